import { peopleOf, type RawBuilder, sql, type Viewer } from "lectern/core";
import { flattened, rows } from "lectern/db";
import type { ItemContext, ItemKind } from "./contract.ts";

/** Reads of the items of a kind that a viewer sees. */
export interface ItemQueries<Row> {
  /** An item with its tags and people; undefined where the viewer does not see it. */
  find(viewer: Viewer, id: number): Promise<Row | undefined>;
  /** The items that meet a condition, with their tags. */
  list(viewer: Viewer, where: RawBuilder<unknown>, order: RawBuilder<unknown>): Promise<Row[]>;
}

/** Makes the reads of a kind; each of them is one statement. */
export function itemQueries<Row>(
  { contracts: { users, tags }, db, visible }: ItemContext,
  { kind, table, joined }: ItemKind,
): ItemQueries<Row> {
  const id = sql.ref(`${table}.id`);
  const columns = flattened(sql`${sql.table(table)}.*${joined?.columns ?? sql``}`);
  const ownTags = flattened(sql`${tags.of(kind, id)} as tags`);
  const people = flattened(sql`${peopleOf(users, table)} as people`);
  const from = flattened(sql`from ${sql.table(table)} ${joined?.joins ?? sql``}`);
  return {
    async find(viewer, itemId) {
      const [item] = await rows<Row>(
        db,
        sql`select ${columns}, ${people}, ${ownTags} ${from}
        where ${id} = ${itemId}::integer and ${visible.where(table, viewer)}`,
      );
      return item;
    },
    list: (viewer, where, order) =>
      rows<Row>(
        db,
        sql`select ${columns}, ${ownTags} ${from} where ${where} and ${visible.where(table, viewer)} order by ${order}`,
      ),
  };
}
