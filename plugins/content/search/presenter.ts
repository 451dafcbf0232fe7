/**
 * Search results as answers show them. Reads the items with one statement for each kind, and their books and chapters with
 * one for each kind of parent, all concurrently. Parents that the viewer does not see are left out. The statements are
 * templates, since their tables are those of contributed kinds, which the grants of this plugin do not list.
 */
import type { Tag } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer, yieldToEventLoop } from "lectern/core";
import { memoized, rows } from "lectern/db";
import type { SearchContext, SearchedKind, SearchResult } from "./contract.ts";
import { normalizeText } from "./normalize_text.ts";
import { highlightedName, previewOf } from "./preview.ts";

/** An item that was found. */
export interface Hit {
  readonly kind: string;
  readonly id: number;
}

type ItemRow = {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly tags: Tag[];
} & Record<string, unknown>;

/** Columns of an item that results show, if its table has them. */
const COLUMNS = ["slug", "book_id", "chapter_id", "draft", "template", "priority", "created_at", "updated_at"];
/** Maximum characters of a body that previews are made from. */
export const MAX_PREVIEW_BODY = 20_000;

/** Reads and presents items, in the order of the hits. `wanted` are the texts to highlight. */
export async function presentResults(
  context: SearchContext,
  viewer: Viewer,
  hits: readonly Hit[],
  wanted: readonly string[],
): Promise<SearchResult[]> {
  const results = new Map<string, SearchResult>();
  const yieldNow = yieldToEventLoop();
  const show = async (searched: SearchedKind) => {
    const { kind } = searched.kind;
    const ids = hits.filter((hit) => hit.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return;
    const items = await itemsOf(context, searched, ids);
    const parents = await parentsOf(context, viewer, searched, items);
    for (const item of items) {
      // Yields to the event loop, since making the preview of a long text takes time.
      await yieldNow();
      results.set(`${kind} ${item.id}`, presentResult(context, kind, item, parents(item), wanted));
    }
  };
  await Promise.all(context.kinds().map(show));
  return hits.map(({ kind, id }) => results.get(`${kind} ${id}`)).filter((result) => result !== undefined);
}

/** What is selected of the items of a kind: built once for each, as its parts do not depend on the search. */
const SELECTIONS = new WeakMap<SearchedKind, RawBuilder<unknown>>();

function itemsOf({ db, tags }: SearchContext, searched: SearchedKind, ids: readonly number[]): Promise<ItemRow[]> {
  const { kind, body } = searched;
  const column = (name: string) => sql.ref(`${kind.table}.${name}`);
  const select = () => {
    const columns = COLUMNS.filter((name) => kind.columns.includes(name)).map(column);
    return memoized(sql`${sql.join([column("id"), column("name"), ...columns])}, ${kind.path} as path,
      left(${body}, ${MAX_PREVIEW_BODY}) as body, ${tags.of(kind.kind, column("id"))} as tags
    from ${sql.table(kind.table)} where ${column("id")}`);
  };
  const selection = SELECTIONS.get(searched) ?? select();
  SELECTIONS.set(searched, selection);
  // Templates, here and below: the tables are those of contributed kinds, which the types of the builder do not know.
  return rows<ItemRow>(db, sql`select ${selection} = any(${[...ids]}::integer[])`);
}

/** A book or chapter that contains an item. */
type FoundColumns = Omit<SearchResult, "url" | "type" | "tags" | "preview_html">;

type Parent = { readonly id: number; readonly name: string; readonly slug: string };

/** Reads the parents of items that the viewer sees; the function returns those of an item, by kind. */
async function parentsOf(
  { db, kinds, visibleTo }: SearchContext,
  viewer: Viewer,
  { kind: { parents } }: SearchedKind,
  items: readonly ItemRow[],
): Promise<(item: ItemRow) => Record<string, Parent>> {
  const found = new Map<string, Parent>();
  const read = async ({ kind, column }: (typeof parents)[number]) => {
    const parent = kinds().find((one) => one.kind.kind === kind)?.kind;
    const ids = [...new Set(items.map((item) => item[column]).filter((id) => typeof id === "number"))];
    if (!parent || ids.length === 0) return;
    const own = (name: string) => sql.ref(`${parent.table}.${name}`);
    const seen = await rows<Parent>(
      db,
      sql`select ${own("id")}, ${own("name")}, ${own("slug")} from ${sql.table(parent.table)}
        where ${own("id")} = any(${ids}::integer[]) and ${visibleTo(parent.table, viewer)}`,
    );
    for (const one of seen) found.set(`${kind} ${one.id}`, one);
  };
  await Promise.all(parents.map(read));
  return (item) =>
    Object.fromEntries(
      parents.flatMap(({ kind, column }) => {
        const parent = found.get(`${kind} ${String(item[column])}`);
        return parent ? [[kind, parent]] : [];
      }),
    );
}

function presentResult(
  { baseUrl }: SearchContext,
  kind: string,
  { path, body, tags, ...item }: ItemRow,
  parents: Record<string, Parent>,
  wanted: readonly string[],
): SearchResult {
  const words = wanted.map(normalizeText);
  const has = (text: string) => words.some((word) => normalizeText(text).includes(word));
  return {
    // The columns that were read, without the empty ones.
    ...(Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as FoundColumns),
    url: `${baseUrl}${path}`,
    type: kind,
    tags: tags.map((tag) => ({
      ...tag,
      ...(has(tag.name) && { highlight_name: true as const }),
      ...(has(tag.value) && { highlight_value: true as const }),
    })),
    ...parents,
    preview_html: { name: highlightedName(item.name, wanted), content: previewOf(body, wanted) },
  };
}
