/**
 * Users, for other plugins: references in answers, viewers, passwords, and who manages whose account. References are SQL, since
 * they are selected with the rows that name the users. Not here: changes of users, which are events of the provider.
 */

import { type RawBuilder, sql } from "kysely";
import { deepFreeze, type EventTransaction, type ItemTable, type SlotSpecs, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";

/** A user as answers refer to one (content-api 1.2). */
export interface UserRef {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** How screens show a user. */
export interface UserFace {
  readonly name: string;
  /** Where the picture is; undefined, or the address of the picture that the API gives users without one, for none. */
  readonly url?: string | undefined;
  /** Whether it is the picture of a screen about the user, and not one beside a name. */
  readonly isLarge?: boolean;
}

/** An account whose password was right. */
export interface Credentialed {
  readonly id: number;
  readonly isConfirmed: boolean;
  /** Stands for the password that matched, without telling its hash; later changes check that it is still the same. */
  readonly seal: string;
}

/**
 * Users, for other plugins.
 * @example
 * export default definePlugin({
 *   name: "authors",
 *   requires: ["users"],
 *   grants: { read: ["notes"], columns: { users: ["id", "name", "slug"] } },
 *   setup({ app, contracts: { users }, visible }) {
 *     const author = users.ref(sql.ref("notes.created_by"));
 *     app.get(
 *       "/notes/recent",
 *       ({ viewer }) =>
 *         visible("notes", viewer)
 *           .select(["id", "name", author.as("author")])
 *           .orderBy("id", "desc")
 *           .limit(20)
 *           .execute(),
 *       { permit: "access-api" },
 *     );
 *   },
 * });
 */
export interface Users {
  /**
   * SQL for a reference to the user of an id column: JSON `{id, name, slug}`, null where the user is gone. It reads these columns of
   * the table `users`, which the plugin has to be granted: `columns: { users: ["id", "name", "slug"] }`.
   */
  ref(column: RawBuilder<unknown>): RawBuilder<UserRef | null>;
  /** The user with current roles and permissions, cached until they change; undefined for an unknown id. */
  viewer(id: number): Promise<Viewer | undefined> | Viewer | undefined;
  /**
   * The account of an e-mail address and a password; undefined where they do not match. Takes as long for an unknown address
   * as for a wrong password, about 100 ms of CPU time: throttle before the call. Needs the power `auth`.
   */
  byPassword(email: string, password: string): Promise<Credentialed | undefined>;
  /**
   * The reason of a veto where a viewer may not manage a user's account: only holders of the system role Admin manage accounts
   * of its holders. The caller allows users their own account.
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
  /** Whether accounts whose e-mail address is not confirmed are refused. It may change: ask where one is refused. */
  needsConfirmation(): boolean;
}

/**
 * The pictures of users. The file is made from the field `image` of the draft of `user_update`, which is null where the picture is
 * to be removed.
 * @example
 * context.contribute("user_picture", {
 *   of: (user) => sql<string | null>`(select path from portraits where portraits.user_id = ${user})`,
 * });
 */
export interface UserPicture {
  /** SQL for the path of the picture below the base URL, given SQL for the user's id; null for none. Another picture has another path. */
  of(user: RawBuilder<unknown>): RawBuilder<string | null>;
}

declare module "lectern/core" {
  interface Contracts {
    users: Users;
  }
  interface Slots {
    /** Only the first contribution is used. */
    user_picture: UserPicture;
  }
}

/** What is known of these slots beside their types. */
export const userPictureSlots = deepFreeze({
  user_picture: { members: { of: "function" }, ships: ["of"], limit: "readers" },
} as const satisfies SlotSpecs);

type Author = keyof ItemTable;

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
  const ref = (column: Author) => users.ref(sql.ref(`${table}.${column}`));
  return sql`json_build_object('created_by', ${ref("created_by")}, 'updated_by', ${ref("updated_by")},
    'owned_by', ${ref("owned_by")})`;
}

/**
 * Sets `created_by` and `updated_by` to null in the rows of a removed user (platform 5.4).
 * @example
 * context.on("user_delete", { inTransaction: ({ id }, tx) => withoutAuthor(tx.db, "notes", id) });
 */
export async function withoutAuthor(db: Db, table: TableName, userId: number): Promise<void> {
  // A template, since the builder's types need the name of the table.
  const [creator, editor] = [sql.id("created_by" satisfies Author), sql.id("updated_by" satisfies Author)];
  await rows(
    db,
    sql`update ${sql.table(table)} set ${creator} = nullif(${creator}, ${userId}::integer),
      ${editor} = nullif(${editor}, ${userId}::integer)
    where ${creator} = ${userId}::integer or ${editor} = ${userId}::integer`,
  );
}
