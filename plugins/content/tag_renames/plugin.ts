/**
 * Renaming and merging of tags on many items at once. The tags themselves are those of the plugin "tags"; items change by their own routes,
 * so that this plugin knows nothing of what follows from an update.
 */
import { activityOf, referenceCheck } from "lectern/contracts";
import { DAY_MS, definePlugin, HOUR_MS, hasPermission, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { Rename } from "./contract.ts";
import { migrations } from "./migrations.ts";
import { mountRenames } from "./routes.ts";
import { purgeRenames, resumeRenames, runRename, TRIES } from "./runs.ts";
import { settings } from "./settings.ts";

const deleteOfUser = prepared("tag_renames.deleteOfUser", (db, p: { id: number }) =>
  db.deleteFrom("tag_renames").where("created_by", "=", p.id),
);

export default definePlugin({
  name: "tag_renames",
  requires: ["access", "tags", "users"],
  grants: {
    write: ["tag_renames", "books", "bookshelves", "chapters", "pages"],
    read: ["tags"],
    impersonate: true,
  },
  optionalTables: ["books", "bookshelves", "chapters", "pages"],
  settings,
  migrations,
  events: ["tag_rename", "tag_rename_batch"],
  setup(context) {
    const { contribute, db, jobs, on, visibilityRule } = context;
    visibilityRule("tag_renames", (viewer) =>
      hasPermission(viewer, "settings-manage") ? true : sql<boolean>`tag_renames.created_by = ${viewer.id}::integer`,
    );
    contribute(
      "activity",
      activityOf("tag_rename", ({ result }) => [{ type: "tag_rename", detail: detailOf(result) }], {
        phrase: "renamed the tag",
        section: "Tags",
      }),
    );
    // What still runs of them ends with the next batch, as the row is gone.
    on("user_delete", {
      async inTransaction({ id }, tx) {
        await deleteOfUser.write(tx.db, { id });
      },
    });
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "tag_renames/users",
        title: "Every rename of a tag belongs to a user",
        references: () => [{ table: "tag_renames", column: "created_by", to: "users" }],
        repair: "delete",
      }),
    );
    jobs.handle("tag_rename_run", ({ id }, run) => runRename(context, id, run), {
      limit: 1,
      tries: TRIES,
      leaseMs: HOUR_MS,
    });
    jobs.every("resume", 2 * context.settings.staleMs, () => resumeRenames(context));
    jobs.every("purge", DAY_MS, () => purgeRenames(context));
    mountRenames(context);
  },
});

/** A rename as the audit log shows it: "OS: linux → Platform: Linux". */
function detailOf({ name, value, to_name, to_value }: Rename): string {
  const tag = (called: string, of: string | null) => (of === null || of === "" ? called : `${called}: ${of}`);
  return `${tag(name, value)} → ${tag(to_name, to_value ?? value)}`;
}
