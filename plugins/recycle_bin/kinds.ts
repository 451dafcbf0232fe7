/**
 * What lies below an item and above it, worked out from the kinds of content alone: a kind says which kinds may hold it
 * and by which column, so a book's chapters and pages are found without the bin knowing what a book is.
 */
import { type ContentKind, sql } from "lectern/core";
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

/** Whether something that holds an item lies in the bin itself, or is gone. */
export async function isHeldInBin(
  db: Db,
  find: FindKind,
  { kind, id }: { readonly kind: ContentKind; readonly id: number },
): Promise<boolean> {
  for (const { kind: name, column } of kind.parents) {
    const parent = find(name);
    if (!parent) continue;
    const [held] = await rows<{ binned: boolean }>(
      db,
      sql`select parent.deleted_at is not null or parent.id is null as binned
      from ${sql.table(kind.table)} as item left join ${sql.table(parent.table)} as parent
        on parent.id = item.${sql.ref(column)}
      where item.id = ${id}::integer and item.${sql.ref(column)} is not null`,
    );
    if (held?.binned) return true;
  }
  return false;
}
