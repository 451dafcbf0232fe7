import type { Tag, Tags } from "lectern/contracts";
import { type ListSpec, type RawBuilder, sql, type Viewer } from "lectern/core";
import type { TagsContext } from "./contract.ts";

/** SQL for the tags of an item as a JSON array, over a column that holds its id. */
export const tagsAsJson: Tags["of"] = (kind, idColumn): RawBuilder<Tag[]> =>
  sql`coalesce((
    select json_agg(json_build_object('name', tags.name, 'value', tags.value, 'order', tags.sort_order)
      order by tags.sort_order, tags.position)
    from tags where tags.kind = ${sql.lit(kind)} and tags.item_id = ${idColumn}), '[]')`;

/** Names of the columns that count the uses of a tag, by kind of item. */
const COUNTS = { page: "page_count", chapter: "chapter_count", book: "book_count", bookshelf: "shelf_count" } as const;
const COUNT_NAMES = Object.values(COUNTS);
const COUNT_FIELDS: ListSpec["fields"] = Object.fromEntries(
  ["usages", ...COUNT_NAMES].map((name) => [name, "integer"]),
);
const COUNT_COLUMNS = sql.join(
  Object.entries(COUNTS).map(
    ([kind, name]) => sql`(count(*) filter (where used.kind = ${sql.lit(kind)}))::integer as ${sql.ref(name)}`,
  ),
);

type QueryContext = Pick<TagsContext, "slot" | "visible">;

/** The listing of tag names, over items that the viewer sees. */
export function namesListing(context: QueryContext, viewer: Viewer): ListSpec {
  return {
    table: "tags",
    fields: { name: "text", values: "integer", ...COUNT_FIELDS },
    columns: columnsOf(["name", "values"]),
    source: sql`select row_number() over (order by used.name collate "C") as id, used.name,
        (count(distinct used.value))::integer as values, (count(*))::integer as usages, ${COUNT_COLUMNS}
        from (${visibleTags(context, viewer)}) as used group by used.name`,
  };
}

/** The listing of the values of one tag name, over items that the viewer sees. */
export function valuesListing(context: QueryContext, viewer: Viewer, name: string): ListSpec {
  return {
    table: "tags",
    fields: { value: "text", name: "text", ...COUNT_FIELDS },
    columns: columnsOf(["name", "value"]),
    source: sql`select row_number() over (order by used.value collate "C", used.name collate "C") as id, used.name, used.value,
        (count(*))::integer as usages, ${COUNT_COLUMNS}
        from (${visibleTags(context, viewer)}) as used where used.name_key = text_key(${name}::text) group by used.name, used.value`,
  };
}

/** The tags of items that the viewer sees: one branch of a union for each kind of content. */
function visibleTags({ slot, visible }: QueryContext, viewer: Viewer): RawBuilder<unknown> {
  const kinds = slot("content").filter(({ kind }) => Object.hasOwn(COUNTS, kind));
  const branches = kinds.map(
    ({ kind, table }) => sql`select tags.name, tags.name_key, tags.value, tags.kind from tags
        join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = tags.item_id and tags.kind = ${sql.lit(kind)}
        where ${visible.where(table, viewer)}`,
  );
  return sql.join(branches, sql` union all `);
}

function columnsOf(first: readonly string[]): RawBuilder<unknown> {
  return sql.join([...first, "usages", ...COUNT_NAMES].map((name) => sql.ref(`tags.${name}`)));
}
