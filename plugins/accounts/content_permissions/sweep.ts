import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";

/** How long a list must have been unused before it is deleted, in minutes; longer than any transaction that just found it. */
const IDLE_MINUTES = 60;

/**
 * Deletes access lists that no item uses, their empty counters, and overrides of items that were deleted permanently. Such
 * rows are harmless; deleting them bounds their number.
 */
export async function sweep(db: Db, kinds: readonly ContentKind[]): Promise<void> {
  // A list that another transaction finds meanwhile is locked or has a new `touched_at`, so it is skipped.
  await rows(
    db,
    sql`delete from acl where id in (
      select id from acl where id <> 0 and touched_at < now() - make_interval(mins => ${IDLE_MINUTES}::integer)
        and id not in (select acl_id from acl_count group by acl_id having sum(held) <> 0)
      for update skip locked)`,
  );
  await rows(
    db,
    sql`delete from acl_count where acl_id <> 0 and not exists (select from acl where acl.id = acl_count.acl_id)`,
  );
  for (const { kind, table } of kinds) {
    await rows(
      db,
      sql`delete from entity_permissions entry where entry.kind = ${kind}
        and not exists (select from ${sql.table(table)} as item where item.id = entry.item_id)`,
    );
  }
}
