import type { HomeKind } from "lectern/contracts";
import { hasPermission, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { WatchingContext } from "./contract.ts";

/** Viewers of one statement: each adds a condition of its own to the text. */
const AT_ONCE = 50;

/**
 * Which users see an item, by the visibility rules of its table; with a permission those alone who have it. Viewers with their permissions are
 * read now, so that a right that was taken away counts at once.
 */
export async function seeing(
  { contracts, db, kinds, visible }: WatchingContext,
  item: { readonly kind: HomeKind; readonly id: number },
  userIds: readonly number[],
  permission?: string,
): Promise<ReadonlySet<number>> {
  const table = kinds().find(({ kind }) => kind === item.kind)?.table;
  if (!table) return new Set();
  const known = await Promise.all(userIds.map((id) => contracts.users.viewer(id)));
  const viewers = known.filter(
    (viewer): viewer is Viewer => viewer !== undefined && (!permission || hasPermission(viewer, permission)),
  );
  const found = new Set<number>();
  for (let start = 0; start < viewers.length; start += AT_ONCE) {
    // A template: a row for each viewer with the condition of that viewer, over the table of a contributed kind.
    const each = viewers.slice(start, start + AT_ONCE).map(
      (viewer) => sql`select ${viewer.id}::integer as id where exists (select from ${sql.table(table)}
          where ${sql.ref(`${table}.id`)} = ${item.id}::integer and ${visible.where(table, viewer)})`,
    );
    for (const { id } of await rows<{ id: number }>(db, sql.join(each, sql` union all `))) found.add(id);
  }
  return found;
}
