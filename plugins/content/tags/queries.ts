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
const COUNT_FIELDS: ListSpec["fields"] = Object.fromEntries(
  ["usages", ...COUNT_NAMES].map((name) => [name, "integer"]),
);
const SUMS = sql.join([
  sql`sum(used.n)::integer as usages`,
  ...Object.entries(COUNTS).map(
    ([kind, name]) =>
      sql`coalesce(sum(used.n) filter (where used.kind = ${sql.lit(kind)}), 0)::integer as ${sql.ref(name)}`,
  ),
]);
const SUMS_OF_NAME = sql.join(
  ["usages", ...COUNT_NAMES].map((name) => sql`sum(${sql.ref(`each.${name}`)})::integer as ${sql.ref(name)}`),
);

type QueryContext = Pick<TagsContext, "contracts" | "runtime" | "slot" | "visible">;

/** The listing of tag names, over items that the viewer sees. */
export function namesListing(context: QueryContext, viewer: Viewer): ListSpec {
  return {
    table: "tags",
    fields: { name: "text", values: "integer", ...COUNT_FIELDS },
    columns: columnsOf(["name", "values"]),
    source: sql`select row_number() over (order by each.name collate "C") as id, each.name, count(*)::integer as values, ${SUMS_OF_NAME}
        from (${visibleValues(context, viewer)}) as each group by each.name`,
  };
}

/** The listing of the values of one tag name, over items that the viewer sees. */
export function valuesListing(context: QueryContext, viewer: Viewer, name: string): ListSpec {
  const key = sql`text_key(${name}::text)`;
  return {
    table: "tags",
    fields: { value: "text", name: "text", ...COUNT_FIELDS },
    columns: columnsOf(["name", "value"]),
    source: sql`select row_number() over (order by each.value collate "C", each.name collate "C") as id, each.*
        from (${visibleValues(context, viewer, key)}) as each`,
  };
}

/** Names and values with their numbers on items that the viewer sees; those of one key of names if it is given. */
function visibleValues(context: QueryContext, viewer: Viewer, key?: RawBuilder<unknown>): RawBuilder<unknown> {
  const ofKey = (table: "tags" | "tag_count") => {
    const column = sql.ref(`${table}.name_key`);
    return key ? sql` and left(${column}, 200) = left(${key}, 200) and ${column} = ${key}` : sql``;
  };
  const kinds = taggedKinds(context.slot("content"));
  const used = kinds.flatMap((kind) =>
    hasOtherRules(context, kind)
      ? [visibleTags(context, viewer, kind, sql`true${ofKey("tags")}`)]
      : countedTags(context, viewer, kind, ofKey),
  );
  return sql`select used.name, used.value, ${SUMS} from (${sql.join(used, sql` union all `)}) as used
    group by used.name, used.value having sum(used.n) > 0`;
}

/** The tags of a kind that the viewer sees, by the counts of lists; beside these they are read from some of the viewer's own items. */
function countedTags(
  context: QueryContext,
  viewer: Viewer,
  kind: TaggedKind,
  ofKey: (table: "tags" | "tag_count") => RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const rows = context.contracts.access.visibleRows(kind.kind, kind.table);
  const counted = sql`select tag_count.kind, tag_count.name, tag_count.value, tag_count.n from tag_count
    where tag_count.kind = ${sql.lit(kind.kind)} and ${rows.ofLists(viewer, sql.ref("tag_count.acl_id"))}${ofKey("tag_count")}`;
  const beside = rows.besideLists(viewer);
  return beside ? [counted, visibleTags(context, viewer, kind, sql`${beside}${ofKey("tags")}`)] : [counted];
}

/** The tags of the items of a kind that the viewer sees and a condition holds for, one by one. */
function visibleTags(
  { visible }: QueryContext,
  viewer: Viewer,
  { kind, table }: TaggedKind,
  where: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select tags.kind, tags.name, tags.value, 1 as n from tags
    join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = tags.item_id and tags.kind = ${sql.lit(kind)}
    where ${visible.where(table, viewer)} and ${where}`;
}

/** Whether another plugin than that of the items hides some of them: it may do so by anything, and not by access lists alone. */
function hasOtherRules({ runtime }: QueryContext, { table }: TaggedKind): boolean {
  const ruling = runtime.plugins().filter(({ plugin }) => {
    const { visibilityRules = [] } = plugin.permissions;
    return visibilityRules === "any" || visibilityRules.includes(table);
  });
  return ruling.length > 1;
}

function columnsOf(first: readonly string[]): RawBuilder<unknown> {
  return sql.join([...first, "usages", ...COUNT_NAMES].map((name) => sql.ref(`tags.${name}`)));
}
