/** Why an account cannot make the roles of plugins, found out without a change: rights are read, and no statement is tried. */
import { sql } from "kysely";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { readState } from "./role_state.ts";
import { changesOf, openTemporary, type RoleGrants } from "./roles.ts";

/**
 * The reason that `syncRoles` would give for not making these roles; undefined where they are as wanted, or can be made so.
 * @example
 * const reason = await roleObstacle(db, [{ plugin: "notes", read: ["users"], write: ["notes"], columns: {} }]);
 */
export async function roleObstacle(db: Db, wanted: readonly RoleGrants[]): Promise<string | undefined> {
  if (wanted.length === 0) return undefined;
  const state = await readState(db);
  if (state.superuser || changesOf(state, wanted, []).length === 0) return undefined;
  // A template: Kysely's builder has no words for catalogs.
  const [rights] = await rows(
    db,
    sql<{ roles: boolean; schemas: boolean; owner: boolean }>`select
      (select rolcreaterole from pg_roles where rolname = current_user) as roles,
      has_database_privilege(current_database(), 'create') as schemas,
      (select pg_has_role(datdba, 'usage') from pg_database where datname = current_database()) as owner`,
  );
  if (!state.schema && !rights?.schemas) return `permission denied for database ${state.database}`;
  if (!rights?.roles) return "permission denied to create role";
  return state.temporary && !rights.owner ? openTemporary(state.database) : undefined;
}
