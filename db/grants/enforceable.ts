/** Whether the roles of plugins can hold in a database, without changing it: for commands that do not boot. */
import { sql } from "kysely";
import { rows } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { functionName, GRANTS_SCHEMA } from "./names.ts";

/** Why PostgreSQL does not enforce the grants of plugins. */
export interface Enforceability {
  /** Why the account cannot make roles, and so not enforce the grants of new plugins; undefined if it can. */
  readonly reason: string | undefined;
  /** Whether the statements of a plugin run as its role since an earlier boot. */
  has(plugin: string): boolean;
}

/**
 * Reads what the account may do and which plugins have a role.
 * @example
 * const found = await enforceability(db);
 * const reason = found.has("notes") ? undefined : found.reason;
 */
export async function enforceability(db: Db): Promise<Enforceability> {
  // A template: Kysely's builder has no words for catalogs.
  const [found] = await rows(
    db,
    sql<{ makesRoles: boolean; isClosed: boolean; functions: string[] }>`
    select rolsuper or rolcreaterole as "makesRoles", pg_has_role(datdba, 'USAGE') or not exists (
        select from aclexplode(coalesce(datacl, acldefault('d', datdba))) where grantee = 0 and privilege_type = 'TEMPORARY'
      ) as "isClosed",
      array(select proname::text from pg_proc where pronamespace = to_regnamespace(${GRANTS_SCHEMA})) as functions
    from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
  );
  const { makesRoles = false, isClosed = false, functions = [] } = found ?? {};
  const known = new Set(functions);
  const closing = "everybody may create temporary tables in the database, and its account may not revoke that";
  return {
    reason: makesRoles ? (isClosed ? undefined : closing) : "permission denied to create role",
    has: (plugin) => known.has(functionName("run", plugin)),
  };
}
