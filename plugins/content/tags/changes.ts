import type { Dependents, Tags } from "lectern/contracts";
import { sql } from "lectern/core";
import { prepared } from "lectern/db";

const deleteOfItem = prepared("tags.deleteOfItem", (db, p: { kind: string; itemId: number }) =>
  db.deleteFrom("tags").where("kind", "=", p.kind).where("item_id", "=", p.itemId),
);

const insert = prepared("tags.insert", (db, p: { kind: string; itemId: number; tags: string }) =>
  db
    .insertInto("tags")
    .columns(["kind", "item_id", "position", "name", "value", "sort_order"])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{
            position: number;
            name: string;
            value: string;
            sort_order: number;
          }>`jsonb_to_recordset(${p.tags}::text::jsonb)`.as<"sent">(
            sql`sent(position integer, name text, value text, sort_order integer)`,
          ),
        )
        .select([sql<string>`${p.kind}::text`.as("kind"), sql<number>`${p.itemId}::integer`.as("item_id")])
        .select(["sent.position", "sent.name", "sent.value", "sent.sort_order"]),
    ),
);

const deleteOfItems = prepared("tags.deleteOfItems", (db, p: { kind: string; itemIds: readonly number[] }) =>
  db.deleteFrom("tags").where("kind", "=", p.kind).where("item_id", "=", sql<number>`any(${p.itemIds}::integer[])`),
);

/** Replaces all tags of an item: one delete and, unless the list is empty, one insert. */
export const saveTags: Tags["save"] = async (kind, id, tags, tx) => {
  await deleteOfItem.execute(tx.db, { kind, itemId: id });
  if (tags.length === 0) return;
  const json = JSON.stringify(
    tags.map(({ name, value, order }, position) => ({ name, value, sort_order: order, position })),
  );
  await insert.execute(tx.db, { kind, itemId: id, tags: json });
};

/** Removes the tags of items that are permanently deleted. */
export const deleteTags: Dependents["destroy"] = async (ids, { db }, kind) => {
  await deleteOfItems.execute(db, { kind, itemIds: [...ids] });
};
