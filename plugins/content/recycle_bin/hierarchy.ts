/**
 * What is below an item and above it, derived from the kinds of content alone: a kind names the kinds that can contain it
 * and the column of each, so a book's chapters and pages are found without knowing what a book is.
 * Its statements are templates, since their tables are those of contributed kinds, which the grants of this plugin do not list.
 */
import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { RecycleBinContext } from "./contract.ts";

/** Items of one kind. */
export interface ItemsOfKind {
  readonly kind: ContentKind;
  readonly ids: readonly number[];
}

/** An item by its kind and id. */
export interface ItemOfKind {
  readonly kind: ContentKind;
  readonly id: number;
}

/** A kind by its name; undefined where its plugin is gone. */
export function findKind(kinds: readonly ContentKind[], name: string): ContentKind | undefined {
  return kinds.find(({ kind }) => kind === name);
}

/** The names of all kinds. */
export function kindNames({ slot }: Pick<RecycleBinContext, "slot">): string[] {
  return slot("content").map(({ kind }) => kind);
}

/** The kinds that a kind can contain, each with the column that names the parent. */
export function kindsBelow(kinds: readonly ContentKind[], name: string): { kind: ContentKind; column: string }[] {
  return kinds.flatMap((kind) => {
    const parent = kind.parents.find((one) => one.kind === name);
    return parent ? [{ kind, column: parent.column }] : [];
  });
}

/** Locks all items below one, deleted or not. Returns the deepest first, and the item itself last. */
export async function itemWithContents(
  db: Db,
  kinds: readonly ContentKind[],
  { kind, id }: ItemOfKind,
): Promise<ItemsOfKind[]> {
  const below = kindsBelow(kinds, kind.kind).sort((a, b) => b.kind.parents.length - a.kind.parents.length);
  const found: ItemsOfKind[] = [];
  for (const { kind: child, column } of below) {
    // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
    const items = await rows<{ id: number }>(
      db,
      sql`select id from ${sql.table(child.table)} where ${sql.ref(column)} = ${id}::integer order by id for update`,
    );
    found.push({ kind: child, ids: items.map((item) => item.id) });
  }
  return [...found, { kind, ids: [id] }];
}

/**
 * Whether a parent of an item is in the recycle bin or gone. Takes shared locks on the parents until the transaction ends,
 * so that no item is restored into a book that is being deleted. The item must be locked already.
 */
export async function hasDeletedParent(
  db: Db,
  kinds: readonly ContentKind[],
  { kind, id }: ItemOfKind,
): Promise<boolean> {
  const columns = kind.parents.map(({ column }) => sql.ref(column));
  if (columns.length === 0) return false;
  const [item] = await rows<Record<string, number | null>>(
    db,
    sql`select ${sql.join(columns)} from ${sql.table(kind.table)} where id = ${id}::integer`,
  );
  // The topmost parent is locked first, as by a delete.
  for (const { kind: name, column } of kind.parents.toReversed()) {
    const parentKind = findKind(kinds, name);
    const parentId = item?.[column];
    if (!parentKind || typeof parentId !== "number") continue;
    const [parent] = await rows<{ is_deleted: boolean }>(
      db,
      sql`select deleted_at is not null as is_deleted from ${sql.table(parentKind.table)}
        where id = ${parentId}::integer for share`,
    );
    if (parent?.is_deleted ?? true) return true;
  }
  return false;
}
