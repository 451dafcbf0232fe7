/**
 * Bringing back what lies in the bin (platform 7.3). An item's slug was free for others while it was away, so whatever
 * comes back gets a slug that nobody has by now: its own wherever possible. Items are locked before their slugs are
 * looked at; who creates the same slug meanwhile meets the unique index, and the bus runs the restoring again.
 */
import { type ContentKind, sql, uniqueSlug, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { NamedDeletion } from "./contract.ts";
import { type FindKind, type ItemRef, isHeldInBin, itemsBelow } from "./kinds.ts";

/** Restores an entry's item with all below it, and answers how many items that were; the entry goes in any case. */
export async function restore(
  kinds: readonly ContentKind[],
  find: FindKind,
  entry: NamedDeletion,
  work: Work,
): Promise<number> {
  const { db } = work;
  const kind = find(entry.deletable_type);
  const id = entry.deletable_id;
  await rows(db, sql`delete from deletions where id = ${entry.id}::integer`);
  if (!kind || entry.name === null || (await isHeldInBin(db, find, { kind, id }))) return 0;
  const items = [...(await itemsBelow(db, kinds, { kind, id })), { kind, ids: [id] }].reverse();
  for (const item of items) {
    await bringBack(item, work);
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

async function bringBack({ kind, ids }: ItemRef, { db }: Work): Promise<void> {
  if (ids.length === 0) return;
  const table = sql.table(kind.table);
  // Slugs are unique within what lies furthest up, such as the book.
  const top = kind.parents.at(-1)?.column;
  const scope = top === undefined ? sql`0` : sql.ref(top);
  const items = await rows<Slugged>(
    db,
    sql`select id, name, slug, ${scope} as scope from ${table}
      where id = any(${[...ids]}::integer[]) and deleted_at is not null order by id for update`,
  );
  const others = await rows<Pick<Slugged, "slug" | "scope">>(
    db,
    sql`select slug, ${scope} as scope from ${table} where deleted_at is null
      and ${scope} = any(${[...new Set(items.map((item) => item.scope))]}::integer[])
      and slug = any(${items.map(({ slug }) => slug)}::text[])`,
  );
  const keyOf = (scoped: number, slug: string) => `${scoped} ${slug}`;
  const taken = new Set(others.map((other) => keyOf(other.scope, other.slug)));
  const back: { id: number; slug: string }[] = [];
  for (const item of items) {
    const isFree = !taken.has(keyOf(item.scope, item.slug));
    const slug = isFree
      ? item.slug
      : await uniqueSlug(item.name, async (wished) => wished === item.slug || taken.has(keyOf(item.scope, wished)));
    taken.add(keyOf(item.scope, slug));
    back.push({ id: item.id, slug });
  }
  await rows(
    db,
    sql`update ${table} as item set deleted_at = null, slug = back.slug
      from jsonb_to_recordset(${JSON.stringify(back)}::text::jsonb) as back(id integer, slug text)
      where item.id = back.id`,
  );
}
