/**
 * Tags of items as SQL, and the listings of names and values of tags. What a viewer sees of them is the sum of the counts of the access
 * lists that the viewer sees whole (counts.ts), and beside these the tags of some of the viewer's own items, one by one. If another
 * plugin hides items of a kind, all tags of the kind are read one by one.
 */
import type { Tag, Tags } from "lectern/contracts";
import { type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import type { TagsContext } from "./contract.ts";
import { COUNTS, type TaggedKind, taggedKinds } from "./counts.ts";

/** SQL for the tags of an item as a JSON array, over a column that holds its id. */
export const tagsAsJson: Tags["of"] = (kind, idColumn): RawBuilder<Tag[]> =>
  sql`coalesce((
    select json_agg(json_build_object('name', tags.name, 'value', tags.value, 'order', tags.sort_order)
      order by tags.sort_order, tags.position)
    from tags where tags.kind = ${sql.lit(kind)} and tags.item_id = ${idColumn}), '[]')`;

const COUNT_NAMES = Object.values(COUNTS);
const COUNT = { type: "integer", isNoFilter: true } as const;
const COUNT_FIELDS: ListSpec["fields"] = Object.fromEntries(["usages", ...COUNT_NAMES].map((name) => [name, COUNT]));
const SUMS = sql.join([
  sql`sum(used.n)::integer as usages`,
  ...Object.entries(COUNTS).map(
    ([kind, name]) =>
      sql`coalesce(sum(used.n) filter (where used.kind = ${sql.lit(kind)}), 0)::integer as ${sql.ref(name)}`,
  ),
]);

/** What the statements about tags depend on. */
export type QueryContext = Pick<TagsContext, "contracts" | "runtime" | "slot" | "visible">;

/** What a viewer sees of tags. */
export interface Sight {
  /** Whether a row of a table of counts is of a kind and list that the viewer sees whole. */
  isSeen(table: "tag_change" | "tag_count" | "tag_name_count"): RawBuilder<boolean>;
  /** The other tags that the viewer sees, one by one; undefined for none. */
  readonly others: RawBuilder<unknown> | undefined;
}

/**
 * The listing of tag names, over items that the viewer sees, by their keys. The values of a name are those of its counts and the shared ones; those of
 * which changes or other tags are seen are counted with and without them, and the difference is added.
 */
export function namesListing(context: QueryContext, viewer: Viewer): ListSpec {
  const { isSeen, others } = sightOf(context, viewer);
  return {
    table: "tags",
    fields: { name: "text", values: COUNT, ...COUNT_FIELDS },
    columns: columnsOf(["name", "values"]),
    source: sql`with changed as materialized (select kind, name, name_key, value_key, n from tag_change where ${isSeen("tag_change")}
          ${others ? sql`union all select kind, name, name_key, value_key, n from (${others}) as other` : sql``}),
        tag as materialized (select name_key, value_key, sum(n) as n from changed group by 1, 2),
        former as materialized (select tag.name_key, tag.n, coalesce((select sum(tag_count.n) from tag_count
          where left(name_key, 200) = left(tag.name_key, 200) and left(value_key, 200) = left(tag.value_key, 200)
            and tag_count.name_key = tag.name_key and tag_count.value_key = tag.value_key and ${isSeen("tag_count")}), 0) as known from tag),
        used as (select kind, name, name_key, sum(each.n) as n, sum(each.values) as values from (
          select kind, name, name_key, usages as n, own_values as values from tag_name_count where ${isSeen("tag_name_count")}
          union all select null, null, name_key, 0, 1
            from (select distinct name_key, value_key from tag_count where is_shared and ${isSeen("tag_count")}) as shared
          union all select kind, name, name_key, n, 0 from changed
          union all select null, null, name_key, 0, (known + n > 0)::integer - (known > 0)::integer from former) as each group by 1, 2, 3)
      select row_number() over (order by used.name_key) as id, ${spelling("name")}, sum(used.values)::integer as values, ${SUMS}
        from used group by used.name_key having sum(used.n) > 0`,
  };
}

/** The listing of the values of one tag name, over items that the viewer sees. */
export function valuesListing(context: QueryContext, viewer: Viewer, name: string): ListSpec {
  const key = sql`text_key(${name}::text)`;
  const { isSeen, others } = sightOf(context, viewer, ofKey("tags", key));
  return {
    table: "tags",
    fields: { value: "text", name: { type: "text", isNoFilter: true }, ...COUNT_FIELDS },
    columns: columnsOf(["name", "value"]),
    source: sql`select row_number() over (order by used.value_key) as id, ${spelling("name")}, ${spelling("value")}, ${SUMS}
        from (select kind, name, value, value_key, sum(n) as n from (
          select kind, name, value, value_key, n from tag_count where ${isSeen("tag_count")} and ${ofKey("tag_count", key)}
          union all select kind, name, value, value_key, n from tag_change where ${isSeen("tag_change")} and name_key = ${key}
          ${others ? sql`union all select kind, name, value, value_key, n from (${others}) as other` : sql``}) as each group by 1, 2, 3, 4) as used
        group by used.value_key having sum(used.n) > 0`,
  };
}

/** Of the spellings of a name or value that are in use the first one, capitals before small letters: which one is oldest is not known. */
function spelling(column: "name" | "value"): RawBuilder<unknown> {
  return sql`min(${sql.ref(`used.${column}`)} collate "C") filter (where used.n > 0) as ${sql.ref(column)}`;
}

/** What a viewer sees of tags; of others than the counted ones those for which a condition on `tags` holds, if it is given. */
export function sightOf(context: QueryContext, viewer: Viewer, only?: RawBuilder<boolean>): Sight {
  const kinds = taggedKinds(context.slot("content"));
  const counted = kinds.filter((kind) => !hasOtherRules(context, kind));
  const rowsOf = ({ kind, table }: TaggedKind) => context.contracts.access.visibleRows(kind, table);
  const others = kinds.flatMap((kind) => {
    const which = counted.includes(kind) ? rowsOf(kind).besideLists(viewer) : sql`true`;
    return which ? [visibleTags(context, viewer, kind, only ? sql`${which} and ${only}` : which)] : [];
  });
  return {
    isSeen(table) {
      const column = sql.ref<number>(`${table}.acl_id`);
      const seen = counted.map(
        (kind) => sql`${sql.ref(`${table}.kind`)} = ${sql.lit(kind.kind)} and ${rowsOf(kind).ofLists(viewer, column)}`,
      );
      return seen.length === 0 ? sql<boolean>`false` : sql<boolean>`(${sql.join(seen, sql` or `)})`;
    },
    others: others.length === 0 ? undefined : sql.join(others, sql` union all `),
  };
}

function ofKey(table: "tags" | "tag_count", key: RawBuilder<unknown>): RawBuilder<boolean> {
  const column = sql.ref(`${table}.name_key`);
  return sql<boolean>`left(${column}, 200) = left(${key}, 200) and ${column} = ${key}`;
}

/** The tags of the items of a kind that the viewer sees and a condition holds for, one by one. */
function visibleTags(
  { visible }: QueryContext,
  viewer: Viewer,
  { kind, table }: TaggedKind,
  where: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select tags.kind, tags.name, tags.name_key, tags.value, tags.value_key, 1 as n from tags
    join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = tags.item_id and tags.kind = ${sql.lit(kind)}
    where ${visible.where(table, viewer)} and ${where}`;
}

/** Whether another plugin than that of the items hides some of them: it may do so by anything, and not by access lists alone. */
function hasOtherRules({ runtime }: QueryContext, { table }: TaggedKind): boolean {
  return runtime.plugins().filter(({ recorded }) => recorded.visibilityRules?.includes(table)).length > 1;
}

function columnsOf(first: readonly string[]): RawBuilder<unknown> {
  return sql.join([...first, "usages", ...COUNT_NAMES].map((name) => sql.ref(`tags.${name}`)));
}
