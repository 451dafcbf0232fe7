/**
 * Finding items: one statement over all kinds that picks the page of results and one that counts, both through what the
 * viewer may see; then what the results show, in one statement for each kind among them.
 */
import { type RawBuilder, sql, type Tag, type Tags, type Viewer } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import { conditionsOf, wordsOf } from "./conditions.ts";
import type { SearchedKind } from "./index_items.ts";
import type { Search } from "./parse.ts";
import { markedName, previewOf } from "./preview.ts";

/** What searching needs of the house. */
export interface SearchParts {
  readonly db: Pick<Db, "executeQuery">;
  readonly kinds: readonly SearchedKind[];
  readonly tags: Tags;
  readonly baseUrl: string;
  readonly sees: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}

interface Hit {
  readonly kind: string;
  readonly id: number;
}
type Row = {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly tags: Tag[];
} & Record<string, unknown>;

/** Larger kinds first where nothing else orders the results (content-api 14). */
const ORDER = ["bookshelf", "book", "chapter", "page"];
/** What results show of an item, where it has it. */
const SHOWN = ["slug", "book_id", "chapter_id", "draft", "template", "priority", "created_at", "updated_at"];
/** How much a hit in the body, tags and name counts; PostgreSQL takes D, C, B, A. */
const WEIGHTS = "{0.05, 0.1, 0.3, 1.0}";
const MAX_BODY_SHOWN = 20_000;

/** Answers a search: a page of results, and how many there are in all. */
export async function findItems(
  parts: SearchParts,
  viewer: Viewer,
  search: Search,
  { page, count }: { readonly page: number; readonly count: number },
): Promise<{ data: Record<string, unknown>[]; total: number }> {
  const words = wordsOf(search);
  // Words without a letter or digit are no words of any text.
  if (search.terms.length > 0 && words === undefined) return { data: [], total: 0 };
  const found = sql.join(
    parts.kinds.map((one) => matching(parts, one, viewer, search, words)),
    sql` union all `,
  );
  const [hits, [counted]] = await Promise.all([
    rows<Hit>(
      parts.db,
      sql`select kind, id from (${found}) as found order by score desc, place, id
        limit ${count} offset ${(page - 1) * count}`,
    ),
    rows<{ total: number }>(parts.db, sql`select count(*) as total from (${found}) as found`),
  ]);
  const wanted = [...search.terms, ...search.exacts.filter(({ negated }) => !negated).map(({ text }) => text)];
  return { data: await shown(parts, viewer, hits, wanted), total: counted?.total ?? 0 };
}

function matching(
  { sees }: SearchParts,
  searched: SearchedKind,
  viewer: Viewer,
  search: Search,
  words: string | undefined,
): RawBuilder<unknown> {
  const { kind, table } = searched.kind;
  const id = sql.ref(`${table}.id`);
  const place = ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length;
  const where = sql.join([sees(table, viewer), ...conditionsOf(search, searched, viewer)], sql` and `);
  if (words === undefined)
    return sql`select ${kind}::text as kind, ${id} as id, 0::real as score, ${place}::integer as place
      from ${sql.table(table)} where ${where}`;
  return sql`select ${kind}::text as kind, ${id} as id,
      ts_rank(${WEIGHTS}::real[], search_index.document, ${words}::tsquery) as score, ${place}::integer as place
    from search_index join ${sql.table(table)} on ${id} = search_index.item_id
    where search_index.kind = ${kind} and search_index.document @@ ${words}::tsquery and ${where}`;
}

async function shown(
  parts: SearchParts,
  viewer: Viewer,
  hits: readonly Hit[],
  wanted: readonly string[],
): Promise<Record<string, unknown>[]> {
  const results = new Map<string, Record<string, unknown>>();
  for (const searched of parts.kinds) {
    const { kind } = searched.kind;
    const ids = hits.filter((hit) => hit.kind === kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const items = await itemsOf(parts, searched, ids);
    const holders = await holdersOf(parts, viewer, searched, items);
    for (const item of items) results.set(`${kind} ${item.id}`, resultOf(parts, kind, item, holders(item), wanted));
  }
  return hits.map(({ kind, id }) => results.get(`${kind} ${id}`)).filter((result) => result !== undefined);
}

function itemsOf({ db, tags }: SearchParts, { kind, body }: SearchedKind, ids: readonly number[]): Promise<Row[]> {
  const column = (name: string) => sql.ref(`${kind.table}.${name}`);
  const columns = SHOWN.filter((name) => kind.columns.includes(name)).map(column);
  return rows<Row>(
    db,
    sql`select ${sql.join([column("id"), column("name"), ...columns])}, ${kind.path} as path,
      left(${body}, ${MAX_BODY_SHOWN}) as body, ${tags.of(kind.kind, column("id"))} as tags
    from ${sql.table(kind.table)} where ${column("id")} = any(${[...ids]}::integer[])`,
  );
}

type Holder = { readonly id: number; readonly name: string; readonly slug: string };

/** What holds an item, by kind, as far as the viewer sees it. */
async function holdersOf(
  { db, kinds, sees }: SearchParts,
  viewer: Viewer,
  { kind: { parents } }: SearchedKind,
  items: readonly Row[],
): Promise<(item: Row) => Record<string, Holder>> {
  const found = new Map<string, Holder>();
  for (const { kind, column } of parents) {
    const holder = kinds.find((one) => one.kind.kind === kind)?.kind;
    const ids = [...new Set(items.map((item) => item[column]).filter((id) => typeof id === "number"))];
    if (!holder || ids.length === 0) continue;
    const own = (name: string) => sql.ref(`${holder.table}.${name}`);
    const seen = await rows<Holder>(
      db,
      sql`select ${own("id")}, ${own("name")}, ${own("slug")} from ${sql.table(holder.table)}
        where ${own("id")} = any(${ids}::integer[]) and ${sees(holder.table, viewer)}`,
    );
    for (const one of seen) found.set(`${kind} ${one.id}`, one);
  }
  return (item) =>
    Object.fromEntries(
      parents.flatMap(({ kind, column }) => {
        const holder = found.get(`${kind} ${String(item[column])}`);
        return holder ? [[kind, holder]] : [];
      }),
    );
}

function resultOf(
  { baseUrl }: SearchParts,
  kind: string,
  { path, body, tags, ...item }: Row,
  holders: Record<string, Holder>,
  wanted: readonly string[],
): Record<string, unknown> {
  const has = (text: string) => wanted.some((one) => text.toLowerCase().includes(one.toLowerCase()));
  return {
    ...Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)),
    url: `${baseUrl}${path}`,
    type: kind,
    tags: tags.map((tag) => ({
      ...tag,
      ...(has(tag.name) && { highlight_name: true }),
      ...(has(tag.value) && { highlight_value: true }),
    })),
    ...holders,
    preview_html: { name: markedName(item.name, wanted), content: previewOf(body, wanted) },
  };
}
