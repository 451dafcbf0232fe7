/**
 * Merges changes into the counts of tags. Beside the count of each tag by kind and list there are counts of each name: its uses, and
 * the number of its values that are used with this kind and list alone and in one spelling, which most values are. The other ones are marked as
 * shared, and are counted one by one for each viewer, since a viewer may see several of their places. Names and values are the same if their keys are.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** Names with a value that one merge takes at most, so that it stays within the limit of a statement. */
const MAX_TAGS = 20_000;

/** Waits for other merges, and keeps them out until the transaction ends. */
export async function lockMerges(db: Db): Promise<void> {
  // A template: the builder has no word for locks of tables.
  await rows(db, sql`lock table tag_name_count in share row exclusive mode`);
}

/** Merges all changes, a transaction for each so many tags. Changes nothing, and locks nothing, where there are none. */
export async function mergeAllTagChanges(db: Db): Promise<void> {
  while ((await db.selectFrom("tag_change").select("kind").limit(1).executeTakeFirst()) !== undefined)
    await db.transaction().execute(async (tx) => {
      await lockMerges(tx);
      await mergeTagChanges(tx);
    });
}

/**
 * Merges changes of some tags, after `lockMerges` in the same transaction. All of it is one statement, a template of words that the
 * builder lacks: each part of it sees the counts as they were before.
 */
async function mergeTagChanges(db: Db): Promise<void> {
  await rows(
    db,
    sql`with tag as materialized (select name_key, value_key from tag_change group by 1, 2 limit ${MAX_TAGS}::integer),
      taken as (delete from tag_change using tag where tag_change.name_key = tag.name_key and tag_change.value_key = tag.value_key
        returning tag_change.kind, tag_change.acl_id, tag_change.name, tag_change.name_key, tag_change.value, tag_change.value_key, tag_change.n),
      former as materialized (select held.* from tag cross join lateral (
        select tag_count.ctid as place, kind, acl_id, name, name_key, value, value_key, n, is_shared from tag_count
        where left(name_key, 200) = left(tag.name_key, 200) and left(value_key, 200) = left(tag.value_key, 200)
          and name_key = tag.name_key and value_key = tag.value_key) as held),
      present as materialized (select kind, acl_id, name, value, sum(n)::integer as n,
          count(*) over (partition by name_key, value_key) > 1 as is_shared
        from (select kind, acl_id, name, name_key, value, value_key, n from taken
          union all select kind, acl_id, name, name_key, value, value_key, n from former) as each
        group by kind, acl_id, name, name_key, value, value_key having sum(n) <> 0),
      removed as (delete from tag_count where ctid = any(array(select place from former))),
      added as (insert into tag_count (kind, acl_id, name, value, n, is_shared)
        select kind, acl_id, name, value, n, is_shared from present),
      moved as materialized (select kind, acl_id, name, sum(usages) as usages, sum(own_values) as own_values
        from (select kind, acl_id, name, n as usages, (not is_shared)::integer as own_values from present
          union all select kind, acl_id, name, -n, -(not is_shared)::integer from former) as each group by 1, 2, 3),
      counted as (delete from tag_name_count using moved
        where tag_name_count.kind = moved.kind and tag_name_count.acl_id = moved.acl_id and tag_name_count.name = moved.name
        returning tag_name_count.kind, tag_name_count.acl_id, tag_name_count.name, tag_name_count.usages, tag_name_count.own_values)
      insert into tag_name_count (kind, acl_id, name, usages, own_values)
        select kind, acl_id, name, sum(usages), sum(own_values) from (select * from moved union all select * from counted) as each
        group by 1, 2, 3 having sum(usages) <> 0`,
  );
}
