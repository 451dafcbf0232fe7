import { type EventTransaction, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { User, UserChange } from "./contract.ts";

/** Those of the given roles that permit more than `names`. */
const findWider = prepared("users.findWiderRole", (db, p: { ids: readonly number[]; names: readonly string[] }) =>
  db
    .selectFrom("roles")
    .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where((eb) =>
      eb.or([
        eb("system_name", "=", sql.lit("admin")),
        eb.exists(
          eb
            .selectFrom("role_permissions")
            .whereRef("role_permissions.role_id", "=", "roles.id")
            .where("role_permissions.name", "<>", sql<string>`all(${p.names}::text[])`),
        ),
      ]),
    ),
);

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
  const wider = await findWider.executeTakeFirst(db, { ids: added, names: [...viewer.only] });
  return wider ? "A token may give no role that permits more than its own scope" : undefined;
}
