import { type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import { ACTIONS } from "./contract.ts";

/**
 * Removes a deleted role from all access lists. No user has the role, so no decision changes and items keep their lists.
 * The digests of these lists become null, since they were computed with the role: such lists are not found any more.
 */
export async function removeRoleFromLists(role: number, { db }: EventTransaction): Promise<void> {
  const without = ACTIONS.flatMap((action) =>
    (["allow", "deny"] as const).map((side) => {
      const column = sql.ref(`${action}_${side}`);
      return sql`${column} = array_remove(${column}, ${role}::integer)`;
    }),
  );
  await rows(
    db,
    sql`update acl set digest = null, ${sql.join(without)}
    where view_allow @> array[${role}::integer] or view_deny @> array[${role}::integer]`,
  );
}
