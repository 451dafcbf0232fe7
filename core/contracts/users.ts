import type { RawBuilder } from "kysely";
import type { EventTransaction } from "../events/event_bus.ts";
import type { Viewer } from "../viewer.ts";

/** How answers refer to a user (content-api 1.2). */
export interface UserRef {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** An account whose password was given rightly. */
export interface Credentialed {
  readonly id: number;
  readonly isConfirmed: boolean;
  /** The stored hash it fitted; what is done in its name must find it unchanged. */
  readonly hash: string;
}

/** What other plugins ask about users. */
export interface Users {
  /** SQL for the reference to the user whose id a column holds: JSON `{id, name, slug}`, null where the user is gone. */
  ref(column: RawBuilder<unknown>): RawBuilder<UserRef | null>;
  /** The user with roles and permissions as of now, remembered until they change; undefined where there is none. */
  viewer(id: number): Promise<Viewer | undefined> | Viewer | undefined;
  /**
   * The account an e-mail address and a password name; undefined where they do not fit. Takes as long for an unknown
   * address as for a wrong password, about 100 ms of a core: throttle before asking.
   */
  byPassword(email: string, password: string): Promise<Credentialed | undefined>;
  /**
   * Why a viewer may not manage the account of a user with what belongs to it, if so: the accounts of holders of the
   * system role Admin are managed by such holders alone. For vetoes; whose own account it is, they ask themselves.
   */
  guardedAdmin(viewer: Viewer, id: number, tx: Pick<EventTransaction, "db">): Promise<string | undefined>;
  /**
   * The id of a user, as it is in a path, whose tokens and sessions the viewer may manage: the viewer's own, or any with
   * users-manage. A credential with a scope needs users-manage even for the viewer's own (platform 1.2). Throws ApiError
   * 403, then 404.
   */
  manageableUser(viewer: Viewer, id: string): Promise<number>;
  /** What is wrong with a password that a person chooses on a screen, if anything is: whether it is one of the most used. */
  commonPassword(password: string): Promise<string | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    users: Users;
  }
}
