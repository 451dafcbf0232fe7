import type { EventTransaction, Viewer } from "lectern/core";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

/**
 * Why a narrower credential may not do this to a user, if so: it could otherwise make or take over an account that may
 * do what it may not. Its owner, and others who hold users-manage, may (platform 1.2).
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
  const given = (draft.roles ?? []).filter((id) => !present.has(id));
  const wider = await rows(
    db,
    sql`select from roles where id = any(${given}::integer[]) and (system_name = 'admin' or exists (
      select from role_permissions where role_id = roles.id and name <> all(${[...viewer.only]}::text[])))`,
  );
  return wider.length > 0 ? "A token may give no role that permits more than its own scope" : undefined;
}
