/**
 * What results of a search show of the items that were found: one statement for each kind among them, and one for each
 * kind that holds them, all at the same time. What holds an item is shown as far as the viewer sees it.
 */
import type { Tag, Tags } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer, yieldToEventLoop } from "lectern/core";
import { type Db, rows, type TableName } from "lectern/db";
import { fold } from "./fold.ts";
import type { SearchedKind } from "./index_items.ts";
import { markedName, previewOf } from "./preview.ts";

/** What showing results needs of the runtime. */
export interface ResultParts {
  readonly db: Pick<Db, "executeQuery">;
  readonly kinds: readonly SearchedKind[];
  readonly tags: Tags;
  readonly baseUrl: string;
  readonly sees: (table: TableName, viewer: Viewer) => RawBuilder<boolean>;
}

/** An item that was found. */
export interface Hit {
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

/** What results show of an item, where it has it. */
const SHOWN = ["slug", "book_id", "chapter_id", "draft", "template", "priority", "created_at", "updated_at"];
const MAX_BODY_SHOWN = 20_000;

/** The results in the order of the hits. */
export async function resultsOf(
  parts: ResultParts,
  viewer: Viewer,
  hits: readonly Hit[],
  wanted: readonly string[],
): Promise<Record<string, unknown>[]> {
  const results = new Map<string, Record<string, unknown>>();
  const yieldNow = yieldToEventLoop();
  const show = async (searched: SearchedKind) => {
    const { kind } = searched.kind;
    const ids = hits.filter((hit) => hit.kind === kind).map(({ id }) => id);
    if (ids.length === 0) return;
    const items = await itemsOf(parts, searched, ids);
    const holders = await holdersOf(parts, viewer, searched, items);
    for (const item of items) {
      // Others have their turn between two texts in which letters have to be counted.
      await yieldNow();
      results.set(`${kind} ${item.id}`, resultOf(parts, kind, item, holders(item), wanted));
    }
  };
  await Promise.all(parts.kinds.map(show));
  return hits.map(({ kind, id }) => results.get(`${kind} ${id}`)).filter((result) => result !== undefined);
}

function itemsOf({ db, tags }: ResultParts, { kind, body }: SearchedKind, ids: readonly number[]): Promise<Row[]> {
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
  { db, kinds, sees }: ResultParts,
  viewer: Viewer,
  { kind: { parents } }: SearchedKind,
  items: readonly Row[],
): Promise<(item: Row) => Record<string, Holder>> {
  const found = new Map<string, Holder>();
  const look = async ({ kind, column }: (typeof parents)[number]) => {
    const holder = kinds.find((one) => one.kind.kind === kind)?.kind;
    const ids = [...new Set(items.map((item) => item[column]).filter((id) => typeof id === "number"))];
    if (!holder || ids.length === 0) return;
    const own = (name: string) => sql.ref(`${holder.table}.${name}`);
    const seen = await rows<Holder>(
      db,
      sql`select ${own("id")}, ${own("name")}, ${own("slug")} from ${sql.table(holder.table)}
        where ${own("id")} = any(${ids}::integer[]) and ${sees(holder.table, viewer)}`,
    );
    for (const one of seen) found.set(`${kind} ${one.id}`, one);
  };
  await Promise.all(parents.map(look));
  return (item) =>
    Object.fromEntries(
      parents.flatMap(({ kind, column }) => {
        const holder = found.get(`${kind} ${String(item[column])}`);
        return holder ? [[kind, holder]] : [];
      }),
    );
}

function resultOf(
  { baseUrl }: ResultParts,
  kind: string,
  { path, body, tags, ...item }: Row,
  holders: Record<string, Holder>,
  wanted: readonly string[],
): Record<string, unknown> {
  const words = wanted.map(fold);
  const has = (text: string) => words.some((word) => fold(text).includes(word));
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
