import type { UserRef } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { User, UsersContext } from "./contract.ts";

/** SQL for the time of a user's last activity if no plugin fills the slot `last_activity`. */
const STORED = sql<string | null>`users.last_activity_at`;

/** SQL for the time of a user's last activity. To be called per request, since slots are complete only after the boot. */
export function lastActivityIn({ slot }: Pick<UsersContext, "slot">): RawBuilder<string | null> | undefined {
  return slot("last_activity")[0]?.of(sql.ref("users.id"));
}

/** Adds the time of the last activity to the result of an event, since the event itself may be that activity. */
export async function withLastActivity(user: User, context: UsersContext): Promise<User> {
  const lastActivity = lastActivityIn(context) ?? STORED;
  const [found] = await rows(
    context.db,
    sql<Pick<User, "last_activity_at">>`select ${lastActivity} as last_activity_at from users where id = ${user.id}`,
  );
  return { ...user, ...found };
}

/** The columns of a user that every answer shows. */
export function columnsOf(lastActivity: RawBuilder<string | null> = STORED): RawBuilder<unknown> {
  return sql`users.id, users.name, users.email, users.created_at, users.updated_at, users.external_auth_id, users.slug,
    ${lastActivity} as last_activity_at`;
}

/** Reads a user with roles in one statement; undefined if `where` matches none. */
export async function readUser(
  db: Pick<Db, "executeQuery">,
  where: RawBuilder<unknown>,
  lastActivity?: RawBuilder<string | null>,
): Promise<User | undefined> {
  const [user] = await rows(
    db,
    sql<User>`select ${columnsOf(lastActivity)},
    coalesce((select json_agg(json_build_object('id', roles.id, 'display_name', roles.display_name) order by roles.id)
      from role_user join roles on roles.id = role_user.role_id where role_user.user_id = users.id), '[]') as roles
    from users where ${where}`,
  );
  return user;
}

/** SQL for the reference to the user whose id a column holds; see `Users.ref`. */
export function refOf(column: RawBuilder<unknown>): RawBuilder<UserRef | null> {
  return sql<UserRef | null>`(select json_build_object('id', referred.id, 'name', referred.name, 'slug', referred.slug)
    from users as referred where referred.id = ${column})`;
}

interface ViewerRow {
  id: number;
  name: string;
  slug: string;
  language: string;
  roles: number[];
  permissions: string[];
  admin: boolean;
}

/** Reads a user as a viewer, with the permissions of all its roles; undefined if there is none. */
export async function readViewer(db: Pick<Db, "executeQuery">, id: number): Promise<Viewer | undefined> {
  const [row] = await rows(
    db,
    sql<ViewerRow>`select users.id, users.name, users.slug, users.language,
    coalesce((select json_agg(role_id order by role_id) from role_user where user_id = users.id), '[]') as roles,
    coalesce((select json_agg(distinct granted.name) from role_user join role_permissions as granted using (role_id)
      where user_id = users.id), '[]') as permissions,
    exists (select from role_user join roles on roles.id = role_user.role_id
      where user_id = users.id and roles.system_name = 'admin') as admin
    from users where users.id = ${id}`,
  );
  if (!row) return undefined;
  const { language, permissions, ...rest } = row;
  return { ...rest, permissions: new Set(permissions), via: "session", ...(language === "" ? {} : { language }) };
}
