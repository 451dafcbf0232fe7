/**
 * What lies below an item and above it, worked out from the kinds of content alone: a kind says which kinds may hold it
 * and by which column, so a book's chapters and pages are found without the bin knowing what a book is.
 */
import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** An item by kind and number. */
export interface ItemRef {
  readonly kind: ContentKind;
  readonly ids: readonly number[];
}

/** Finds a kind by its name. */
export type FindKind = (name: string) => ContentKind | undefined;

/** Kinds that may lie below a kind, with the column that says so. */
export function kindsBelow(kinds: readonly ContentKind[], name: string): { kind: ContentKind; column: string }[] {
  return kinds.flatMap((kind) => {
    const parent = kind.parents.find((one) => one.kind === name);
    return parent ? [{ kind, column: parent.column }] : [];
  });
}

/** All items below one, in the bin or not, locked; those deepest down first. */
export async function itemsBelow(
  db: Db,
  kinds: readonly ContentKind[],
  { kind, id }: { readonly kind: ContentKind; readonly id: number },
): Promise<ItemRef[]> {
  const below = kindsBelow(kinds, kind.kind).sort((a, b) => b.kind.parents.length - a.kind.parents.length);
  const found: ItemRef[] = [];
  for (const { kind: child, column } of below) {
    const items = await rows<{ id: number }>(
      db,
      sql`select id from ${sql.table(child.table)} where ${sql.ref(column)} = ${id}::integer order by id for update`,
    );
    found.push({ kind: child, ids: items.map((item) => item.id) });
  }
  return found;
}

/**
 * Whether something that holds an item lies in the bin itself, or is gone. What holds it is kept as it is until the
 * transaction ends: an item never comes back into a book that is being deleted. The item must be locked already.
 */
export async function isHeldInBin(
  db: Db,
  find: FindKind,
  { kind, id }: { readonly kind: ContentKind; readonly id: number },
): Promise<boolean> {
  const columns = kind.parents.map(({ column }) => sql.ref(column));
  if (columns.length === 0) return false;
  const [item] = await rows<Record<string, number | null>>(
    db,
    sql`select ${sql.join(columns)} from ${sql.table(kind.table)} where id = ${id}::integer`,
  );
  // What lies furthest up is locked first, as whoever deletes it does.
  for (const { kind: name, column } of kind.parents.toReversed()) {
    const parent = find(name);
    const parentId = item?.[column];
    if (!parent || typeof parentId !== "number") continue;
    const [held] = await rows<{ binned: boolean }>(
      db,
      sql`select deleted_at is not null as binned from ${sql.table(parent.table)}
        where id = ${parentId}::integer for share`,
    );
    if (held?.binned ?? true) return true;
  }
  return false;
}
