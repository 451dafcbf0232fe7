/**
 * Bringing back what lies in the bin (platform 7.3). An item's slug was free for others while it was away, so whatever
 * comes back gets a slug that nobody has by now: its own wherever possible. Items are locked before their slugs are
 * looked at; who creates the same slug meanwhile meets the unique index, and the bus runs the restoring again.
 */
import type { ContentKind } from "lectern/contracts";
import { type EventTransaction, type RawBuilder, sql, uniqueSlug } from "lectern/core";
import { rows } from "lectern/db";
import type { NamedDeletion } from "./contract.ts";
import { type FindKind, type ItemRef, isHeldInBin, itemsBelow } from "./kinds.ts";

/** Restores an entry's item with all below it, and answers how many items that were; the entry goes in any case. */
export async function restore(
  kinds: readonly ContentKind[],
  find: FindKind,
  entry: NamedDeletion,
  tx: EventTransaction,
): Promise<number> {
  const { db } = tx;
  const kind = find(entry.deletable_type);
  const id = entry.deletable_id;
  await rows(db, sql`delete from deletions where id = ${entry.id}::integer`);
  if (!kind || entry.name === null || (await isHeldInBin(db, find, { kind, id }))) return 0;
  const items = [...(await itemsBelow(db, kinds, { kind, id })), { kind, ids: [id] }].reverse();
  for (const item of items) {
    await bringBack(item, tx);
    await rows(
      db,
      sql`delete from deletions where deletable_type = ${item.kind.kind}
        and deletable_id = any(${[...item.ids]}::integer[])`,
    );
  }
  return items.reduce((sum, { ids }) => sum + ids.length, 0);
}

interface Slugged {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  /** Within what the slug must be free. */
  readonly scope: number;
}

async function bringBack({ kind, ids }: ItemRef, tx: EventTransaction): Promise<void> {
  if (ids.length === 0) return;
  const table = sql.table(kind.table);
  // Slugs are unique within what lies furthest up, such as the book.
  const top = kind.parents.at(-1)?.column;
  const scope = top === undefined ? sql`0` : sql.ref(top);
  const items = await rows<Slugged>(
    tx.db,
    sql`select id, name, slug, ${scope} as scope from ${table}
      where id = any(${[...ids]}::integer[]) and deleted_at is not null order by id for update`,
  );
  const back = await withFreeSlugs(items, { table, scope }, tx);
  await rows(
    tx.db,
    sql`update ${table} as item set deleted_at = null, slug = back.slug
      from jsonb_to_recordset(${JSON.stringify(back)}::text::jsonb) as back(id integer, slug text)
      where item.id = back.id`,
  );
}

/** Each item's own slug where nobody took it meanwhile, else a free one; one statement unless some were taken. */
async function withFreeSlugs(
  items: readonly Slugged[],
  { table, scope }: { readonly table: RawBuilder<unknown>; readonly scope: RawBuilder<unknown> },
  { db }: EventTransaction,
): Promise<{ id: number; slug: string }[]> {
  const present = (scopes: readonly number[], slugs: readonly string[]) =>
    rows<Pick<Slugged, "slug" | "scope">>(
      db,
      sql`select slug, ${scope} as scope from ${table} where deleted_at is null
        and ${scope} = any(${[...new Set(scopes)]}::integer[]) and slug = any(${[...slugs]}::text[])`,
    );
  const keyOf = (within: number, slug: string) => `${within} ${slug}`;
  const others = await present(
    items.map((item) => item.scope),
    items.map(({ slug }) => slug),
  );
  const taken = new Set(others.map((other) => keyOf(other.scope, other.slug)));
  const free: { id: number; slug: string }[] = [];
  for (const item of items) {
    // The name may lead to another slug than the one that was taken, so that one is asked for as well.
    const isTaken = async (wished: string) =>
      taken.has(keyOf(item.scope, wished)) || (await present([item.scope], [wished])).length > 0;
    const slug = taken.has(keyOf(item.scope, item.slug)) ? await uniqueSlug(item.name, isTaken) : item.slug;
    taken.add(keyOf(item.scope, slug));
    free.push({ id: item.id, slug });
  }
  return free;
}
