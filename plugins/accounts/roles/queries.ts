import type { ExpressionBuilder, QueryCreator } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { type RawBuilder, sql } from "lectern/core";
import { prepared, refs, type Tables } from "lectern/db";

/** SQL for the number of users of a role, for listings and their sorting. */
export const usersCount: RawBuilder<unknown> = sql`(select count(*)::integer from role_user as member
  where member.role_id = ${refs("roles.id")})`;
/** SQL for the number of permissions of a role, likewise. */
export const permissionsCount: RawBuilder<unknown> = sql`(select count(*)::integer from role_permissions as granted
  where granted.role_id = ${refs("roles.id")})`;

const COLUMNS = [
  "roles.id",
  "roles.display_name",
  "roles.description",
  "roles.created_at",
  "roles.updated_at",
  "roles.system_name",
  "roles.external_auth_id",
  "roles.mfa_enforced",
] as const;

/** The columns of a role that every answer shows. */
export const columns: RawBuilder<unknown> = refs(...COLUMNS);

/** A query of roles with their permissions and users, both sorted by name. */
export function selectRoles(db: QueryCreator<Tables>) {
  return db.selectFrom("roles").select(COLUMNS).select([permissionsOf, usersOf]);
}

/** Reads a role with its permissions and users. */
export const findRole = prepared("roles.find", (db, p: { id: number }) => selectRoles(db).where("roles.id", "=", p.id));

function permissionsOf(eb: ExpressionBuilder<Tables, "roles">) {
  return eb
    .selectFrom("role_permissions as granted")
    .select(({ ref }) =>
      sql<string[]>`coalesce(json_agg(${ref("granted.name")} order by ${ref("granted.name")}), '[]')`.as("names"),
    )
    .whereRef("granted.role_id", "=", "roles.id")
    .$asScalar()
    .$notNull()
    .as("permissions");
}

function usersOf(eb: ExpressionBuilder<Tables, "roles">) {
  return jsonArrayFrom(
    eb
      .selectFrom("role_user")
      .innerJoin("users", "users.id", "role_user.user_id")
      .select(["users.id", "users.name", "users.slug"])
      .whereRef("role_user.role_id", "=", "roles.id")
      .orderBy("users.name_key")
      .orderBy("users.id"),
  ).as("users");
}
