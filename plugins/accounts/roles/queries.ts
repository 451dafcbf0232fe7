import { type RawBuilder, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Role } from "./contract.ts";

/** SQL for the number of users of a role, for listings and their sorting. */
export const usersCount: RawBuilder<unknown> = sql`(select count(*)::integer from role_user as member
  where member.role_id = roles.id)`;
/** SQL for the number of permissions of a role, likewise. */
export const permissionsCount: RawBuilder<unknown> = sql`(select count(*)::integer from role_permissions as granted
  where granted.role_id = roles.id)`;

/** The columns of a role that every answer shows. */
export const columns: RawBuilder<unknown> = sql`roles.id, roles.display_name, roles.description, roles.created_at,
  roles.updated_at, roles.system_name, roles.external_auth_id, roles.mfa_enforced`;

/** Reads a role with its permissions and users in one statement; undefined if `where` matches none. */
export async function readRole(db: Pick<Db, "executeQuery">, where: RawBuilder<unknown>): Promise<Role | undefined> {
  const [role] = await rows(
    db,
    sql<Role>`select ${columns},
    coalesce((select json_agg(granted.name order by granted.name) from role_permissions as granted
      where granted.role_id = roles.id), '[]') as permissions,
    coalesce((select json_agg(json_build_object('id', users.id, 'name', users.name, 'slug', users.slug)
      order by users.name_key, users.id)
      from role_user join users on users.id = role_user.user_id where role_user.role_id = roles.id), '[]') as users
    from roles where ${where}`,
  );
  return role;
}
