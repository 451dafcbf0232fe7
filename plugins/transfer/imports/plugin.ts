import { activityOf, descriptor } from "lectern/contracts";
import { definePlugin, fileLimit, hasPermission, notFound, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import type { Parts } from "./parts.ts";
import { mountImports } from "./routes.ts";

/** Imports of portable ZIP files, uploaded first and run later (platform 8). Who makes what of them is said in slots. */
export default definePlugin({
  name: "imports",
  requires: ["access"],
  permissions: { write: ["imports"], read: ["books", "chapters"], files: true },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["import_create", "import_run", "import_delete"],
  adds: ["content-import"],
  setup(context) {
    const { contribute, visibilityRule, on, visible } = context;
    const parts: Parts = {
      ...context,
      db: context.db as unknown as Parts["db"],
      sees: (table, viewer) => visible.where(table, viewer),
      limitMb: context.settings.fileLimit,
      async remove(row, tx) {
        const gone = await rows(tx.db, sql`delete from imports where id = ${row.id}::integer returning id`);
        if (gone.length === 0) throw notFound("Import");
        tx.afterCommit(() => context.files.remove(row.file_key));
        return row;
      },
    };
    visibilityRule("imports", (viewer) =>
      hasPermission(viewer, "settings-manage") ? true : sql<boolean>`imports.created_by = ${viewer.id}::integer`,
    );
    contribute("file_claims", {
      plugin: "imports",
      async used(keys) {
        const used = await rows<{ file_key: string }>(
          parts.db,
          sql`select file_key from imports where file_key = any(${[...keys]}::text[])`,
        );
        return used.map(({ file_key }) => file_key);
      },
    });
    for (const event of ["import_create", "import_run", "import_delete"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [{ type: event, detail: descriptor(result), path: `/import/${result.id}` }]),
      );
    on("user_delete", {
      inTransaction: async ({ id }, { db }) => {
        await rows(db, sql`update imports set created_by = null where created_by = ${id}::integer`);
      },
    });
    mountImports(context, parts);
  },
});
