/** How the items that a search found spread over kinds, books, shelves, tags and authors: what a further filter would leave of them. */
import { idSchema, type Static, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import type { SearchTask } from "../contract.ts";
import type { Hit } from "../presenter.ts";

/** Values of a facet that are answered, the most frequent first. */
const MOST = 20;

const count = t.Integer({ minimum: 1 });
const named = t.Object({ id: idSchema, name: t.String(), count });

/** The facets of an answer; of a search with more items than are ranked, those of the ranked ones. */
export const facetsSchema = t.Object(
  {
    types: t.Array(t.Object({ value: t.String(), count })),
    books: t.Array(named),
    shelves: t.Array(named),
    tags: t.Array(t.Object({ name: t.String(), value: t.String(), count })),
    authors: t.Array(t.Object({ id: idSchema, name: t.String(), slug: t.String(), count })),
  },
  { $id: "SearchFacets", description: "With facets=true: how the results spread, of each the 20 most frequent values" },
);

/** The facets of an answer. */
export type Facets = Static<typeof facetsSchema>;

/** Counts the items by each facet; books and shelves that the viewer does not see are left out. */
export async function facetsOf({ context, kinds, viewer }: SearchTask, items: readonly Hit[]): Promise<Facets> {
  const types = kinds
    .map(({ kind: { kind } }) => ({ value: kind, count: items.filter((item) => item.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  if (items.length === 0) return { types, books: [], shelves: [], tags: [], authors: [] };
  const parts = kinds.flatMap(({ kind: { kind, table, columns } }) => {
    const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return [];
    const own = (name: string) => sql.ref(`${table}.${name}`);
    const book = kind === "book" ? own("id") : columns.includes("book_id") ? own("book_id") : sql`null::integer`;
    return sql`select ${kind}::text as kind, ${own("id")} as id, ${book} as book_id,
        ${columns.includes("created_by") ? own("created_by") : sql`null::integer`} as created_by
      from ${sql.table(table)} where ${own("id")} = any(${ids}::integer[])`;
  });
  const hasTable = (name: string) => context.kinds().some(({ kind }) => kind.table === name);
  const list = (select: ReturnType<typeof sql>) =>
    sql`(select coalesce(json_agg(found), '[]') from (${select}) as found)`;
  const books = hasTable("books")
    ? list(sql`select books.id, books.name, count(*)::integer as count from item join books on books.id = item.book_id
        where ${context.visibleTo("books", viewer)} group by books.id order by count(*) desc, books.id limit ${sql.lit(MOST)}`)
    : sql`'[]'::json`;
  const shelves = hasTable("bookshelves")
    ? list(sql`select bookshelves.id, bookshelves.name, count(*)::integer as count
        from item join bookshelf_books on bookshelf_books.book_id = item.book_id
          join bookshelves on bookshelves.id = bookshelf_books.shelf_id
        where ${context.visibleTo("bookshelves", viewer)}
        group by bookshelves.id order by count(*) desc, bookshelves.id limit ${sql.lit(MOST)}`)
    : sql`'[]'::json`;
  const [found] = await rows<Omit<Facets, "types">>(
    context.db,
    sql`with item as materialized (${sql.join(parts, sql` union all `)})
      select ${books} as books, ${shelves} as shelves,
        ${list(sql`select tags.name, tags.value, count(*)::integer as count
          from item join tags on tags.kind = item.kind and tags.item_id = item.id
          group by tags.name, tags.value order by count(*) desc, tags.name, tags.value limit ${sql.lit(MOST)}`)} as tags,
        ${list(sql`select users.id, users.name, users.slug, count(*)::integer as count
          from item join users on users.id = item.created_by
          group by users.id order by count(*) desc, users.id limit ${sql.lit(MOST)}`)} as authors`,
  );
  return { types, ...(found ?? { books: [], shelves: [], tags: [], authors: [] }) };
}
