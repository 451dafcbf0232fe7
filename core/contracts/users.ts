import { type RawBuilder, sql } from "kysely";
import { type Db, rows, type TableName } from "../../db/mod.ts";
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
  /** What is wrong with a password that a person chooses on a screen, if anything is: whether it is one of the most used. */
  commonPassword(password: string): Promise<string | undefined>;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    users: Users;
  }
}

/** Author, last editor and owner of an item, as single reads show them. */
export interface People {
  readonly created_by: UserRef | null;
  readonly updated_by: UserRef | null;
  readonly owned_by: UserRef | null;
}

/**
 * SQL for the people of an item as a JSON object.
 * @example
 * const people = sql`select ${peopleOf(context.contracts.users, "notes")} as people from notes`;
 */
export function peopleOf(users: Users, table: TableName): RawBuilder<People> {
  const ref = (column: string) => users.ref(sql.ref(`${table}.${column}`));
  return sql`json_build_object('created_by', ${ref("created_by")}, 'updated_by', ${ref("updated_by")},
    'owned_by', ${ref("owned_by")})`;
}

/**
 * Sets `created_by` and `updated_by` to null in the rows of a removed user (platform 5.4).
 * @example
 * context.on("user_delete", { inTransaction: ({ id }, tx) => withoutAuthor(tx.db, "notes", id) });
 */
export async function withoutAuthor(db: Db, table: TableName, userId: number): Promise<void> {
  await rows(
    db,
    sql`update ${sql.table(table)} set created_by = nullif(created_by, ${userId}::integer),
      updated_by = nullif(updated_by, ${userId}::integer)
    where created_by = ${userId}::integer or updated_by = ${userId}::integer`,
  );
}
