import type { Tag, Tags } from "lectern/contracts";
import { definePlugin, type RawBuilder, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { readTags } from "./read.ts";
import { mountTagLists } from "./routes.ts";

/** Tags on items of any kind (content-api 4.3), and what names and values there are. They are set with their items. */
export default definePlugin({
  name: "tags",
  provides: ["tags"],
  permissions: { write: ["tags"], read: ["books", "chapters", "pages", "bookshelves"] },
  migrations,
  setup(context) {
    const { contribute, provide } = context;
    mountTagLists(context);
    contribute("dependents", {
      async destroy(ids, { db }, kind) {
        await rows(db, sql`delete from tags where kind = ${kind} and item_id = any(${[...ids]}::integer[])`);
      },
    });
    contribute("list_item_schema", {
      field: "tags",
      schema: { type: "object", properties: { name: { type: "string" }, value: { type: "string" } } },
    });
    provide("tags", { read: readTags, save, of });
  },
});

const save: Tags["save"] = async (kind, id, tags, tx) => {
  await rows(tx.db, sql`delete from tags where kind = ${kind} and item_id = ${id}`);
  if (tags.length === 0) return;
  const sent = JSON.stringify(
    tags.map(({ name, value, order }, position) => ({ name, value, sort_order: order, position })),
  );
  await rows(
    tx.db,
    sql`insert into tags (kind, item_id, position, name, value, sort_order)
    select ${kind}, ${id}::integer, position, name, value, sort_order
    from jsonb_to_recordset(${sent}::text::jsonb) as sent(position integer, name text, value text, sort_order integer)`,
  );
};

function of(kind: string, idColumn: RawBuilder<unknown>): RawBuilder<Tag[]> {
  return sql`coalesce((
    select json_agg(json_build_object('name', tags.name, 'value', tags.value, 'order', tags.sort_order)
      order by tags.sort_order, tags.position)
    from tags where tags.kind = ${sql.lit(kind)} and tags.item_id = ${idColumn}), '[]')`;
}
