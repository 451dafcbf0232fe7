import type { Dependents, Tags } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";

/** Replaces all tags of an item: one delete and, unless the list is empty, one insert. */
export const saveTags: Tags["save"] = async (kind, id, tags, tx) => {
  await rows(tx.db, sql`delete from tags where kind = ${kind} and item_id = ${id}`);
  if (tags.length === 0) return;
  const json = JSON.stringify(
    tags.map(({ name, value, order }, position) => ({ name, value, sort_order: order, position })),
  );
  await rows(
    tx.db,
    sql`insert into tags (kind, item_id, position, name, value, sort_order)
    select ${kind}, ${id}::integer, position, name, value, sort_order
    from jsonb_to_recordset(${json}::text::jsonb) as sent(position integer, name text, value text, sort_order integer)`,
  );
};

/** Removes the tags of items that are permanently deleted. */
export const deleteTags: Dependents["destroy"] = async (ids, { db }, kind) => {
  await rows(db, sql`delete from tags where kind = ${kind} and item_id = any(${[...ids]}::integer[])`);
};
