/**
 * Lists of items of several kinds, by one statement each: rows that name items in an order, of which those are shown that the viewer sees,
 * with their books and chapters where the viewer sees these too. How many rows are looked at is bounded by whoever names them, so a viewer
 * who sees few items costs no more. Names and paths are read for the shown ones alone.
 */
import type { ContentKind, HomeKind } from "lectern/contracts";
import {
  denied,
  type InputObject,
  idOf,
  idSchema,
  notFound,
  nullable,
  type PluginContext,
  type RawBuilder,
  rules,
  type Static,
  sql,
  t,
  type Viewer,
} from "lectern/core";
import { type Db, rows } from "lectern/db";
import { itemRefSchema } from "./answers.ts";

/** The kinds of items in lists. */
export const LISTED_KINDS: readonly HomeKind[] = ["page", "chapter", "book", "bookshelf"];

/** The query of a list. */
export const listRules = rules({ count: ["integer", "min:1", "max:100"], offset: ["integer", "min:0", "max:100000"] });

/** The fields of an item in a list. Its book and chapter are null where it has none, or the viewer does not see it. */
export const listedFields = {
  type: t.Union([t.Literal("page"), t.Literal("chapter"), t.Literal("book"), t.Literal("bookshelf")]),
  id: idSchema,
  name: t.String(),
  slug: t.String(),
  url: t.String(),
  book: nullable(itemRefSchema),
  chapter: nullable(itemRefSchema),
};

/** An item that a list names. */
export const homeItemSchema = t.Object(listedFields, { $id: "HomeItem" });

/** An item that a list names. */
export type HomeItem = Static<typeof homeItemSchema>;

/** What lists are read with. */
export interface ListedContext extends Pick<PluginContext, "baseUrl" | "validate" | "visible"> {
  readonly db: Db;
  /** The kinds in lists whose plugins are there. */
  kinds(): readonly ContentKind[];
}

/** Those of all kinds that lists have, read once they are asked for. */
export function listedKinds(all: () => readonly ContentKind[]): ListedContext["kinds"] {
  let known: readonly ContentKind[] | undefined;
  return () => (known ??= all().filter(({ kind }) => LISTED_KINDS.some((each) => each === kind)));
}

/** Items that a list shows by default. */
const DEFAULT_COUNT = 20;

interface ListedRow<Extra> {
  readonly type: HomeItem["type"];
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly path: string;
  readonly parents: Readonly<Record<string, HomeItem["book"]>>;
  readonly extra: Extra;
  readonly total: number;
}

/** An item of a list, and what the list says of it. */
export interface Listed<Extra> {
  readonly item: HomeItem;
  readonly extra: Extra;
}

/** A part of a list, and how many items all of it has. */
export interface ListedPart<Extra> {
  readonly data: readonly Listed<Extra>[];
  readonly total: number;
}

/** Which part of a list a query asks for. Throws 422. */
export async function partIn(
  { validate }: Pick<ListedContext, "validate">,
  query: InputObject,
  viewer: Viewer,
): Promise<{ readonly count: number; readonly offset: number }> {
  const { count = DEFAULT_COUNT, offset = 0 } = await validate(listRules, query, viewer);
  return { count, offset };
}

/** A list as SQL. */
export interface ListSql {
  /** Its rows: `kind`, `item_id`, their `place` in the order, and further columns with other names than `id`, `type` and `total`. */
  readonly listed: RawBuilder<unknown>;
  /** What the list says of an item, a JSON object over `seen`, which has these columns: it is made for the shown items alone. */
  readonly extra: RawBuilder<unknown>;
}

/** The part of a list that the viewer sees. */
export async function listedItems<Extra>(
  context: ListedContext,
  viewer: Viewer,
  { listed, extra }: ListSql,
  { count, offset }: { readonly count: number; readonly offset: number },
): Promise<ListedPart<Extra>> {
  const kinds = context.kinds();
  if (kinds.length === 0) return { data: [], total: 0 };
  // A template: the tables are those of contributed kinds, which the types of the builder do not know.
  const found = await rows<ListedRow<Extra>>(
    context.db,
    sql`with listed as materialized (${listed}),
      seen as materialized (
        select each.*, count(*) over ()::integer as total from (${sql.join(
          kinds.map((kind) => seenOf(context, viewer, kind)),
          sql` union all `,
        )}) as each
        order by place limit ${count}::integer offset ${offset}::integer)
      select seen.type, seen.id, ${extra} as extra, seen.total, item.name, item.slug, item.path, item.parents
      from seen join lateral (${sql.join(
        kinds.map((kind) => shownOf(context, viewer, kind)),
        sql` union all `,
      )}) as item on true order by seen.place`,
  );
  return { data: found.map((row) => present(context, row)), total: found[0]?.total ?? 0 };
}

/** The item of an id; undefined where the viewer does not see it. */
export async function listedItem(
  context: ListedContext,
  viewer: Viewer,
  kind: string,
  id: number,
): Promise<HomeItem | undefined> {
  const one = {
    listed: sql`select ${kind}::text as kind, ${id}::integer as item_id, 1 as place`,
    extra: sql`null::json`,
  };
  const { data } = await listedItems(context, viewer, one, { count: 1, offset: 0 });
  return data[0]?.item;
}

/** The rows of a kind that the viewer sees, of which drafts are the viewer's own and belong to another list. */
function seenOf(
  { visible }: ListedContext,
  viewer: Viewer,
  { kind, table, ownOnly }: ContentKind,
): RawBuilder<unknown> {
  const id = sql.ref(`${table}.id`);
  const isPublished = ownOnly === undefined ? sql`true` : sql`not ${sql.ref(`${table}.${ownOnly}`)}`;
  return sql`select ${kind}::text as type, listed.item_id as id, listed.*
    from listed join ${sql.table(table)} on ${id} = listed.item_id and listed.kind = ${kind}::text
    where ${visible.where(table, viewer)} and ${isPublished}`;
}

/** What is shown of an item of a kind. */
function shownOf(context: ListedContext, viewer: Viewer, kind: ContentKind): RawBuilder<unknown> {
  const own = (name: string) => sql.ref(`${kind.table}.${name}`);
  return sql`select ${own("name")} as name, ${own("slug")} as slug, ${kind.path} as path, ${parentsOf(context, viewer, kind)} as parents
    from ${sql.table(kind.table)} where seen.type = ${kind.kind}::text and ${own("id")} = seen.id`;
}

function parentsOf({ kinds, visible }: ListedContext, viewer: Viewer, kind: ContentKind): RawBuilder<unknown> {
  const found = kind.parents.flatMap(({ kind: name, column }) => {
    const parent = kinds().find((one) => one.kind === name);
    if (!parent) return [];
    const own = (each: string) => sql.ref(`${parent.table}.${each}`);
    return sql`${name}::text, (
      select json_build_object('id', ${own("id")}, 'name', ${own("name")}, 'slug', ${own("slug")}) from ${sql.table(parent.table)}
      where ${own("id")} = ${sql.ref(`${kind.table}.${column}`)} and ${visible.where(parent.table, viewer)})`;
  });
  return found.length === 0 ? sql`'{}'::json` : sql`json_build_object(${sql.join(found)})`;
}

function present<Extra>({ baseUrl }: ListedContext, row: ListedRow<Extra>): Listed<Extra> {
  const { type, id, name, slug, path, parents, extra } = row;
  const item = { type, id, name, slug, url: baseUrl + path };
  return { item: { ...item, book: parents.book ?? null, chapter: parents.chapter ?? null }, extra };
}

const NOUNS: Readonly<Record<HomeKind, string>> = {
  page: "Page",
  chapter: "Chapter",
  book: "Book",
  bookshelf: "Shelf",
};

/** The item that a path names, seen or not. Throws 404 for what is none. */
export function namedItem({ kind, id }: { readonly kind: string; readonly id: string }): {
  readonly kind: HomeKind;
  readonly item_id: number;
} {
  const known = LISTED_KINDS.find((each) => each === kind);
  if (!known) throw notFound("Item");
  return { kind: known, item_id: idOf(id, NOUNS[known]) };
}

/** The item that a path names. Throws 404 where the viewer does not see it, in the words of an item that there is not. */
export async function seenItem(
  context: ListedContext,
  viewer: Viewer,
  params: { readonly kind: string; readonly id: string },
): Promise<HomeItem> {
  const { kind, item_id } = namedItem(params);
  const item = await listedItem(context, viewer, kind, item_id);
  if (!item) throw notFound(NOUNS[kind]);
  return item;
}

/** Whether a viewer is a user, who has favourites, watches and a home page. */
export function isPerson({ via }: Viewer): boolean {
  return via !== "guest" && via !== "system";
}

/** Throws 403 for visitors, and for a narrower credential, which changes nothing of its user's own. */
export function requireOwner(viewer: Viewer): void {
  if (!isPerson(viewer) || viewer.only) throw denied();
}
