import { MINUTE_MS, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { LISTED_KINDS } from "../_items/listed_items.ts";

/** Between two counts. */
export const COUNT_EVERY_MS: number = 10 * MINUTE_MS;
/** Items that are kept, so that those who see few of them find some. */
const KEPT = 500;

/**
 * Counts which items were opened most, by all users together. The sum of all views takes as long as there are views, so it is made by
 * a schedule and not where it is read.
 */
export async function countMostViewed(db: Db): Promise<void> {
  // A template, since it replaces the rows by one statement: readers find either all former rows or all new ones.
  await rows(
    db,
    sql`with counted as materialized (
        select kind, item_id, least(sum(count), 2147483647)::integer as views from item_views
        where kind = any(${[...LISTED_KINDS]}::text[]) group by kind, item_id order by 3 desc limit ${sql.lit(KEPT)}),
      gone as (delete from most_viewed where not exists (select from counted
        where counted.kind = most_viewed.kind and counted.item_id = most_viewed.item_id))
      insert into most_viewed (kind, item_id, views) select kind, item_id, views from counted order by kind, item_id
      on conflict (kind, item_id) do update set views = excluded.views where most_viewed.views <> excluded.views`,
  );
}
