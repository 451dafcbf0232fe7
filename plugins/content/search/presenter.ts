/**
 * Search results as answers show them. Reads the items with one statement for each kind, concurrently, their books and chapters with
 * them. Parents that the viewer does not see are left out. The statements are templates, since their tables are those of contributed
 * kinds, which the grants of this plugin do not list.
 */
import type { Tag } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer, yieldToEventLoop } from "lectern/core";
import { flattened, memoized, rows } from "lectern/db";
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
  /** By kind; null where the item has none or the viewer does not see it. */
  readonly parents: Readonly<Record<string, Parent | null>>;
} & Record<string, unknown>;

/** Columns of an item that results show, if its table has them. */
const COLUMNS = ["slug", "book_id", "chapter_id", "draft", "template", "priority", "created_at", "updated_at"];
/** Maximum characters of a body that previews are made from. */
export const MAX_PREVIEW_BODY = 20_000;

/** How what was searched is shown in a result, as HTML. */
export interface Marking {
  /** A whole name. */
  name(name: string): string;
  /** Excerpts of a body. */
  content(body: string): string;
  /** The excerpts one by one, where an answer has them. */
  passages?(body: string): string[];
  /** Whether the name or value of a tag is marked. */
  isIn(text: string): boolean;
}

/** Marks texts wherever they are found, as the original does. */
export function markingOf(wanted: readonly string[]): Marking {
  const words = wanted.map(normalizeText);
  return {
    name: (name) => highlightedName(name, wanted),
    content: (body) => previewOf(body, wanted),
    isIn: (text) => words.some((word) => normalizeText(text).includes(word)),
  };
}

/** Reads and presents items, in the order of the hits. */
export async function presentResults(
  context: SearchContext,
  viewer: Viewer,
  hits: readonly Hit[],
  marking: Marking,
): Promise<SearchResult[]> {
  const results = new Map<string, SearchResult>();
  const yieldNow = yieldToEventLoop();
  const show = async (searched: SearchedKind) => {
    const { kind } = searched.kind;
    const ids = hits.filter((hit) => hit.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const item of await itemsOf(context, viewer, searched, ids)) {
      // Yields to the event loop, since making the preview of a long text takes time.
      await yieldNow();
      results.set(`${kind} ${item.id}`, presentResult(context, kind, item, marking));
    }
  };
  await Promise.all(context.kinds().map(show));
  return hits.map(({ kind, id }) => results.get(`${kind} ${id}`)).filter((result) => result !== undefined);
}

/** SQL for the items of a kind: built once for each, as these parts do not depend on the search. */
interface Selection {
  readonly shown: RawBuilder<unknown>;
  readonly items: RawBuilder<unknown>;
}

const SELECTIONS = new WeakMap<SearchedKind, Selection>();

function shownColumns({ kind }: SearchedKind): string[] {
  return ["id", "name", ...COLUMNS.filter((name) => kind.columns.includes(name))];
}

/** `left` counts the characters of a text one by one, which takes longer than all else, so short texts are returned as they are. */
function selectionOf({ tags }: SearchContext, searched: SearchedKind): Selection {
  const { kind, body } = searched;
  const own = (name: string) => sql.ref(`${kind.table}.${name}`);
  const columns = shownColumns(searched);
  const most = sql.lit(MAX_PREVIEW_BODY);
  return {
    shown: flattened(sql`${sql.join([...columns, "path", "tags"].map((name) => sql.ref(`found_item.${name}`)))},
      case when octet_length(found_item.body) <= ${most} then found_item.body else left(found_item.body, ${most}) end as body`),
    items: memoized(sql`select ${sql.join(columns.map(own))}, ${kind.path} as path, ${body} as body,
      ${tags.of(kind.kind, own("id"))} as tags from ${sql.table(kind.table)} where ${own("id")}`),
  };
}

function itemsOf(
  context: SearchContext,
  viewer: Viewer,
  searched: SearchedKind,
  ids: readonly number[],
): Promise<ItemRow[]> {
  const selection = SELECTIONS.get(searched) ?? selectionOf(context, searched);
  SELECTIONS.set(searched, selection);
  // A template: the tables are those of contributed kinds, which the types of the builder do not know.
  return rows<ItemRow>(
    context.db,
    sql`select ${selection.shown}, ${parentsOf(context, viewer, searched)} as parents
      from (${selection.items} = any(${[...ids]}::integer[]) offset 0) as found_item`,
  );
}

/** A book or chapter that contains an item. */
type FoundColumns = Omit<SearchResult, "url" | "type" | "tags" | "preview_html">;

type Parent = { readonly id: number; readonly name: string; readonly slug: string };

/** SQL for the parents of an item that the viewer sees, by kind. */
function parentsOf({ kinds, visibleTo }: SearchContext, viewer: Viewer, searched: SearchedKind): RawBuilder<unknown> {
  const shown = shownColumns(searched);
  const found = searched.kind.parents.flatMap((each) => {
    const parent = kinds().find((one) => one.kind.kind === each.kind)?.kind;
    if (!parent || !shown.includes(each.column)) return [];
    const own = (name: string) => sql.ref(`${parent.table}.${name}`);
    return sql`${parent.kind}::text, (
      select json_build_object('id', ${own("id")}, 'name', ${own("name")}, 'slug', ${own("slug")}) from ${sql.table(parent.table)}
      where ${own("id")} = ${sql.ref(`found_item.${each.column}`)} and ${visibleTo(parent.table, viewer)})`;
  });
  return found.length === 0 ? sql`'{}'::json` : sql`json_build_object(${sql.join(found)})`;
}

function presentResult(
  { baseUrl }: SearchContext,
  kind: string,
  { path, body, tags, parents, ...item }: ItemRow,
  marking: Marking,
): SearchResult {
  return {
    // The columns that were read, without the empty ones.
    ...(Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as FoundColumns),
    url: `${baseUrl}${path}`,
    type: kind,
    tags: tags.map((tag) => ({
      ...tag,
      ...(marking.isIn(tag.name) && { highlight_name: true as const }),
      ...(marking.isIn(tag.value) && { highlight_value: true as const }),
    })),
    ...Object.fromEntries(Object.entries(parents).filter(([, parent]) => parent !== null)),
    preview_html: { name: marking.name(item.name), content: marking.content(body) },
    ...(marking.passages && { passages: marking.passages(body) }),
  };
}
