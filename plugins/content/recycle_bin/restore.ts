/**
 * Restoring items from the recycle bin (platform 7.3). The slug of a deleted item is free for others, so a restored item
 * gets a slug that is free now: its own where possible. Items are locked before their slugs are looked up; where another
 * transaction takes the same slug, the unique index is violated, and the event bus runs the restore again.
 * The statements are templates, since their tables are those of contributed kinds, which the grants of this plugin do not list.
 */
import { type EventTransaction, localizedError, type RawBuilder, sql, uniqueSlug } from "lectern/core";
import { rows } from "lectern/db";
import { deleteEntriesOf, takeItem } from "./changes.ts";
import type { NamedDeletion, RecycleBinContext } from "./contract.ts";
import { hasDeletedParent, type ItemsOfKind, itemWithContents } from "./hierarchy.ts";

/**
 * Restores the item of an entry and everything below it, and returns the number of items. Restores nothing where a parent
 * is deleted: the item is restored with its parent then. The entry is deleted in any case. Throws 409 where items of a kind whose
 * plugin is not installed were deleted with the item: they have no entry of their own, so that nothing would restore them later.
 */
export async function restoreEntry(
  context: Pick<RecycleBinContext, "contracts" | "slot">,
  entry: NamedDeletion,
  tx: EventTransaction,
): Promise<number> {
  const { db } = tx;
  const kinds = context.slot("content");
  const item = await takeItem(context, entry, tx);
  if (!item || (await hasDeletedParent(db, kinds, item))) return 0;
  const items = (await itemWithContents(db, kinds, item)).reverse();
  await refuseAbsentKinds(context, items, entry, tx);
  for (const ofKind of items) {
    await restoreItems(ofKind, tx);
    await deleteEntriesOf(ofKind, tx);
  }
  return items.reduce((sum, { ids }) => sum + ids.length, 0);
}

async function refuseAbsentKinds(
  { contracts }: Pick<RecycleBinContext, "contracts">,
  items: readonly ItemsOfKind[],
  { name }: NamedDeletion,
  { db }: EventTransaction,
): Promise<void> {
  const absent = await contracts.upkeep.deletedAbsentItems(items.map(({ kind, ids }) => ({ kind: kind.kind, ids })));
  if (absent.length === 0) return;
  // Templates, here and below: a list of values as a table, and the tables of contributed kinds.
  const [stranded] = await rows(
    db,
    sql<{
      kind: string;
    }>`select kind from jsonb_to_recordset(${JSON.stringify(absent)}::text::jsonb) as absent(kind text, id integer)
      where not exists (select from deletions where deletable_type = kind and deletable_id = absent.id) limit 1`,
  );
  if (stranded)
    throw localizedError(
      409,
      "“:name” cannot be restored: it contains items of the kind “:kind”, whose plugin is not installed.",
      { name: name ?? "", kind: stranded.kind },
    );
}

/** An item whose slug is to be free. */
interface SluggedItem {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** The id of the parent within which slugs are unique; 0 for none. */
  readonly scope: number;
}

async function restoreItems({ kind, ids }: ItemsOfKind, tx: EventTransaction): Promise<void> {
  if (ids.length === 0) return;
  const table = sql.table(kind.table);
  // Slugs are unique within the topmost parent, such as the book.
  const top = kind.parents.at(-1)?.column;
  const scope = top === undefined ? sql`0` : sql.ref(top);
  const items = await rows<SluggedItem>(
    tx.db,
    sql`select id, name, slug, ${scope} as scope from ${table}
      where id = any(${[...ids]}::integer[]) and deleted_at is not null order by id for update`,
  );
  const restored = await withFreeSlugs(items, { table, scope }, tx);
  await rows(
    tx.db,
    sql`update ${table} as item set deleted_at = null, slug = restored.slug
      from jsonb_to_recordset(${JSON.stringify(restored)}::text::jsonb) as restored(id integer, slug text)
      where item.id = restored.id`,
  );
}

/** Each item's own slug where it is still free, else another one; one statement where all are free. */
async function withFreeSlugs(
  items: readonly SluggedItem[],
  { table, scope }: { readonly table: RawBuilder<unknown>; readonly scope: RawBuilder<unknown> },
  { db }: EventTransaction,
): Promise<{ id: number; slug: string }[]> {
  const present = (scopes: readonly number[], slugs: readonly string[]) =>
    rows<Pick<SluggedItem, "slug" | "scope">>(
      db,
      sql`select slug, ${scope} as scope from ${table} where deleted_at is null
        and ${scope} = any(${[...new Set(scopes)]}::integer[]) and slug = any(${[...slugs]}::text[])`,
    );
  const keyOf = (scopeId: number, slug: string) => `${scopeId} ${slug}`;
  const others = await present(
    items.map((item) => item.scope),
    items.map(({ slug }) => slug),
  );
  const taken = new Set(others.map((other) => keyOf(other.scope, other.slug)));
  const free: { id: number; slug: string }[] = [];
  for (const item of items) {
    // The slug of the name can differ from the one that was taken, so it is looked up as well.
    const isTaken = async (candidate: string) =>
      taken.has(keyOf(item.scope, candidate)) || (await present([item.scope], [candidate])).length > 0;
    const slug = taken.has(keyOf(item.scope, item.slug)) ? await uniqueSlug(item.name, isTaken) : item.slug;
    taken.add(keyOf(item.scope, slug));
    free.push({ id: item.id, slug });
  }
  return free;
}
