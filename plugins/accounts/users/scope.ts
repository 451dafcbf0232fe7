import { type EventTransaction, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

/**
 * The reason why a narrower credential may not make this change to a user; undefined if it may. Otherwise it could create or
 * take over an account with more permissions than its scope. Full credentials with users-manage may (platform 1.2).
 */
export async function beyondScope(
  viewer: Viewer,
  { row, draft }: { row?: User; draft: UserChange },
  { db }: EventTransaction,
): Promise<string | undefined> {
  if (!viewer.only) return undefined;
  if (row && (draft.password_hash !== undefined || (draft.email !== undefined && draft.email !== row.email)))
    return "A token with a scope may not change passwords or addresses of users";
  const present = new Set(row?.roles.map(({ id }) => id));
  const added = (draft.roles ?? []).filter((id) => !present.has(id));
  const wider = await rows(
    db,
    sql`select from roles where id = any(${added}::integer[]) and (system_name = 'admin' or exists (
      select from role_permissions where role_id = roles.id and name <> all(${[...viewer.only]}::text[])))`,
  );
  return wider.length > 0 ? "A token may give no role that permits more than its own scope" : undefined;
}
