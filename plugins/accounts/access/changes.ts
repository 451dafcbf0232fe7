import { type EventTransaction, sql } from "lectern/core";
import { ACTIONS, type Action } from "./contract.ts";

/**
 * Removes a deleted role from all access lists. No user has the role, so no decision changes and items keep their lists.
 * The digests of these lists become null, since they were computed with the role: such lists are not found any more.
 */
export async function removeRoleFromLists(role: number, { db }: EventTransaction): Promise<void> {
  const holder = sql<number[]>`array[${role}::integer]`;
  await db
    .updateTable("acl")
    .set({ digest: null })
    .set(({ ref }) => {
      const without = (side: `${Action}_${"allow" | "deny"}`) =>
        sql<number[]>`array_remove(${ref(side)}, ${role}::integer)`;
      return Object.fromEntries(
        ACTIONS.flatMap((action) => [
          [`${action}_allow`, without(`${action}_allow`)],
          [`${action}_deny`, without(`${action}_deny`)],
        ]),
      );
    })
    .where((eb) => eb.or([eb("view_allow", "@>", holder), eb("view_deny", "@>", holder)]))
    .execute();
}
