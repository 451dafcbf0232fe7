import type { ContentKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { entryColumn, itemColumn } from "./queries.ts";

/** How long a list must have been unused before it is deleted, in minutes; longer than any transaction that just found it. */
const IDLE_MINUTES = 60;

/**
 * Deletes access lists that no item uses, their empty counters, and overrides of items that were deleted permanently. Such
 * rows are harmless; deleting them bounds their number.
 */
export async function sweep(db: Db, kinds: readonly ContentKind[]): Promise<void> {
  // A list that another transaction finds meanwhile is locked or has a new `touched_at`, so it is skipped.
  await db
    .deleteFrom("acl")
    .where("id", "in", (eb) =>
      eb
        .selectFrom("acl")
        .select("id")
        .where("id", "<>", 0)
        .where("touched_at", "<", sql<string>`now() - make_interval(mins => ${IDLE_MINUTES}::integer)`)
        .where("id", "not in", (used) =>
          used
            .selectFrom("acl_count")
            .select("acl_id")
            .groupBy("acl_id")
            .having(({ fn }) => fn.sum("held"), "<>", 0),
        )
        .forUpdate()
        .skipLocked(),
    )
    .execute();
  await db
    .deleteFrom("acl_count")
    .where("acl_id", "<>", 0)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom("acl").whereRef("acl.id", "=", "acl_count.acl_id"))))
    .execute();
  for (const { kind, table } of kinds) {
    // A template, since no grant names the tables of content.
    await rows(
      db,
      sql`delete from entity_permissions as entry where ${entryColumn("kind")} = ${kind}
        and not exists (select from ${sql.table(table)} as item where ${itemColumn("item", "id")} = ${entryColumn("item_id")})`,
    );
  }
}
