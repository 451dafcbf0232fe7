/** Parts of the listings of named items (content-api 3). A field's place in `fields` is also its place in answers. */
import { type ListSpec, type RawBuilder, sql } from "lectern/core";
import { flattened } from "lectern/db";
import type { ItemKind } from "./contract.ts";

type Fields = ListSpec["fields"];

/** The fields `name` and `slug`. */
export const NAME_FIELDS = { name: { type: "text", key: "name_key" }, slug: "code" } as const satisfies Fields;

/** When an item was created and changed, and by whom. */
export const HISTORY_FIELDS = {
  created_at: "timestamp",
  updated_at: "timestamp",
  created_by: { type: "integer", nullable: true },
  updated_by: { type: "integer", nullable: true },
  owned_by: { type: "integer", nullable: true },
} as const satisfies Fields;

/** The column `cover`: null until the plugin of images fills it, through the contributions to the slot `response_fields`. */
const NO_COVER: RawBuilder<unknown> = flattened(sql`, null as cover`);

/** The listing of a kind whose rows show just the fields that they are sorted and filtered by, the joined columns and `more`. */
export function itemListing(
  { table, joined }: Pick<ItemKind, "table" | "joined">,
  fields: Fields,
  more: RawBuilder<unknown> = sql``,
): ListSpec {
  const columns = flattened(sql`${columnsOf(table, Object.keys(fields))}${joined?.columns ?? sql``}${more}`);
  return joined ? { table, fields, columns, joins: joined.joins } : { table, fields, columns };
}

/** The listing of a kind whose items have a description and a cover. */
export function coveredListing(item: Pick<ItemKind, "table">): ListSpec {
  return itemListing(item, { id: "integer", ...NAME_FIELDS, description: "text", ...HISTORY_FIELDS }, NO_COVER);
}

/** SQL for columns of a table: "books"."id", "books"."name" … */
function columnsOf(table: string, names: readonly string[]): RawBuilder<unknown> {
  return flattened(sql`${sql.join(names.map((name) => sql.ref(`${table}.${name}`)))}`);
}
