import type { ContentKind } from "lectern/contracts";
import { type ListSpec, sql } from "lectern/core";
import { type Db, refs, rows, type TableName } from "lectern/db";
import type { BinItem, Deletion } from "./contract.ts";
import { findKind, kindsBelow } from "./hierarchy.ts";

/** The listing of the recycle bin (platform 7.1). */
export const listing: ListSpec = {
  table: "deletions",
  fields: {
    id: "integer",
    deleted_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
    deletable_type: "code",
    deletable_id: "integer",
  },
  columns: refs(
    ...(["deletions.id", "deletions.deleted_by", "deletions.created_at", "deletions.updated_at"] as const),
    ...(["deletions.deletable_type", "deletions.deletable_id"] as const),
  ),
};

type Item = BinItem;

/**
 * Entries with their items, each with its parent and the number of items below it. Costs one statement for each kind of
 * item, and one for each kind of parent.
 */
export async function withItems(
  db: Pick<Db, "executeQuery">,
  kinds: readonly ContentKind[],
  entries: readonly Deletion[],
): Promise<(Deletion & { deletable: Item | null })[]> {
  const shown = new Map<string, Item>();
  for (const [name, own] of Map.groupBy(entries, ({ deletable_type }) => deletable_type)) {
    const kind = findKind(kinds, name);
    if (!kind) continue;
    const items = await itemsOf(
      db,
      kind,
      own.map(({ deletable_id }) => deletable_id),
      kinds,
    );
    for (const item of await withParents(db, kind, kinds, items)) shown.set(`${name} ${item.id}`, item);
  }
  return entries.map((entry) => ({
    ...entry,
    deletable: shown.get(`${entry.deletable_type} ${entry.deletable_id}`) ?? null,
  }));
}

/** Items as listings show them; with `below`, the number of items of each kind in them: deleted ones count, drafts do not. */
async function itemsOf(
  db: Pick<Db, "executeQuery">,
  { kind, table, columns }: ContentKind,
  ids: readonly number[],
  below: readonly ContentKind[] = [],
): Promise<Item[]> {
  const own = columns.map((column) => columnOf(table, column));
  const counts = kindsBelow(below, kind).map(
    ({ kind: child, column }) => sql`(select count(*) from ${sql.table(child.table)} as child
      where ${sql.ref(`child.${column}`)} = ${columnOf(table, "id")}${child.ownOnly === undefined ? sql`` : sql` and not ${sql.ref(`child.${child.ownOnly}`)}`}) as ${sql.id(`${child.segment}_count`)}`,
  );
  // A template, since the table is that of a contributed kind, which the grants of this plugin do not list.
  return rows<Item>(
    db,
    sql`select ${sql.join([...own, ...counts])} from ${sql.table(table)}
      where ${columnOf(table, "id")} = any(${[...ids]}::integer[])`,
  );
}

/** Adds each item's nearest parent, which may be in the recycle bin itself. */
async function withParents(
  db: Pick<Db, "executeQuery">,
  { parents }: ContentKind,
  kinds: readonly ContentKind[],
  items: readonly Item[],
): Promise<Item[]> {
  const nearestParent = (item: Item) => parents.find(({ column }) => typeof item[column] === "number");
  const shown = new Map<string, NonNullable<Item["parent"]>>();
  for (const { kind: name, column } of parents) {
    const kind = findKind(kinds, name);
    const ids = items.filter((item) => nearestParent(item)?.kind === name).map((item) => item[column] as number);
    if (!kind || ids.length === 0) continue;
    for (const parent of await itemsOf(db, kind, [...new Set(ids)]))
      shown.set(`${name} ${parent.id}`, { ...parent, type: name });
  }
  return items.map((item) => {
    const parent = nearestParent(item);
    if (!parent) return item;
    return { ...item, parent: shown.get(`${parent.kind} ${item[parent.column]}`) ?? null };
  });
}

function columnOf(table: TableName, column: string) {
  return sql.ref(`${table}.${column}`);
}
