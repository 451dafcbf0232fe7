/**
 * The recycle bin (platform 7): deleted items can be restored or removed permanently. The plugins of the items set
 * `deleted_at`; the bin has one entry for each explicit delete and finds what is below an item by the kinds of content.
 * Dependents of items that are removed permanently are removed through the slot `dependents`. Entries older than a
 * setting are purged.
 */
import { itemReferences, referenceCheck } from "lectern/contracts";
import { definePlugin, HOUR_MS, sql, t } from "lectern/core";
import { prepared } from "lectern/db";
import { ACTIVITIES } from "./activity.ts";
import { addEntry } from "./changes.ts";
import { findKind } from "./hierarchy.ts";
import { migrations } from "./migrations.ts";
import { hasExpired, purgeEntry, purgeExpired } from "./purge.ts";
import { mountRecycleBin } from "./routes.ts";

/** The most days that can be subtracted from a timestamp. */
const MAX_DAYS = 1_000_000;

const forgetUser = prepared("recycle_bin.forgetUser", (db, p: { userId: number }) =>
  db.updateTable("deletions").set({ deleted_by: null }).where("deleted_by", "=", p.userId),
);

const forgetKinds = prepared("recycle_bin.forgetKinds", (db, p: { kinds: readonly string[] }) =>
  db.deleteFrom("deletions").where("deletable_type", "=", sql<string>`any(${p.kinds}::text[])`),
);

export default definePlugin({
  name: "recycle_bin",
  requires: ["upkeep"],
  grants: { write: ["deletions", "books", "bookshelves", "chapters", "pages"], contentTables: ["write"], system: true },
  optionalTables: ["books", "bookshelves", "chapters", "pages"],
  settings: t.Object({
    lifetime: t.Integer({
      default: 30,
      minimum: -1,
      maximum: MAX_DAYS,
      env: "RECYCLE_BIN_LIFETIME",
      unit: "days",
      description: "After how long deleted items are removed permanently; 0 at once, -1 never",
    }),
  }),
  migrations,
  events: ["recycle_bin_restore", "recycle_bin_destroy", "recycle_bin_empty", "recycle_bin_purge"],
  setup(context) {
    const { contribute, jobs, on, settings, slot, visibilityRule } = context;
    const { lifetime } = settings;
    visibilityRule("deletions", () => true);
    on.any({
      async inTransaction({ name, result }, tx) {
        const kind = name.endsWith("_delete") ? findKind(slot("content"), name.slice(0, -"_delete".length)) : undefined;
        if (!kind) return;
        // The result of an event `<kind>_delete` is the item.
        const id = await addEntry(kind, (result as { id: number }).id, tx);
        // Later handlers may still read the item, so it is removed after the commit.
        if (lifetime === 0) tx.afterCommit(() => purgeEntry(context, id));
        else if (lifetime > 0 && (await hasExpired(context, tx.db, lifetime)))
          await tx.enqueue("recycle_bin_purge", {}, { key: "due" });
      },
    });
    on("user_delete", {
      async inTransaction({ id }, { db }) {
        await forgetUser.execute(db, { userId: id });
      },
    });
    on("plugin_purge", {
      async inTransaction({ kinds }, { db }) {
        await forgetKinds.execute(db, { kinds });
      },
    });
    for (const source of ACTIVITIES) contribute("activity", source);
    contribute(
      "self_check",
      referenceCheck(context.db, {
        name: "recycle_bin/entries",
        title: "Every entry of the recycle bin is of an item",
        references: () =>
          itemReferences(slot("content"), { table: "deletions", kind: "deletable_type", id: "deletable_id" }),
        repair: "delete",
      }),
    );
    jobs.handle("recycle_bin_purge", () => purgeExpired(context, lifetime));
    if (lifetime >= 0) jobs.every("purge", HOUR_MS, () => purgeExpired(context, lifetime));
    mountRecycleBin(context);
  },
});
