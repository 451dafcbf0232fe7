/**
 * Lists of items of several kinds, by one statement each: rows that name items in an order, of which those are shown that the viewer sees,
 * with their books and chapters where the viewer sees these too. How many rows are looked at is bounded by whoever names them, so a viewer
 * who sees few items costs no more. Names and paths are read for the shown ones alone.
 */
import type { ContentKind } from "lectern/contracts";
import { type InputObject, type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { type HomeContext, type HomeItem, listRules } from "./contract.ts";

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
  { validate }: Pick<HomeContext, "validate">,
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
  context: HomeContext,
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
  context: HomeContext,
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
function seenOf({ visible }: HomeContext, viewer: Viewer, { kind, table, ownOnly }: ContentKind): RawBuilder<unknown> {
  const id = sql.ref(`${table}.id`);
  const isPublished = ownOnly === undefined ? sql`true` : sql`not ${sql.ref(`${table}.${ownOnly}`)}`;
  return sql`select ${kind}::text as type, listed.item_id as id, listed.*
    from listed join ${sql.table(table)} on ${id} = listed.item_id and listed.kind = ${kind}::text
    where ${visible.where(table, viewer)} and ${isPublished}`;
}

/** What is shown of an item of a kind. */
function shownOf(context: HomeContext, viewer: Viewer, kind: ContentKind): RawBuilder<unknown> {
  const own = (name: string) => sql.ref(`${kind.table}.${name}`);
  return sql`select ${own("name")} as name, ${own("slug")} as slug, ${kind.path} as path, ${parentsOf(context, viewer, kind)} as parents
    from ${sql.table(kind.table)} where seen.type = ${kind.kind}::text and ${own("id")} = seen.id`;
}

function parentsOf({ kinds, visible }: HomeContext, viewer: Viewer, kind: ContentKind): RawBuilder<unknown> {
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

function present<Extra>({ baseUrl }: HomeContext, row: ListedRow<Extra>): Listed<Extra> {
  const { type, id, name, slug, path, parents, extra } = row;
  const item = { type, id, name, slug, url: baseUrl + path };
  return { item: { ...item, book: parents.book ?? null, chapter: parents.chapter ?? null }, extra };
}
