import { activityOf, descriptor, importSlots, missingFilesCheck } from "lectern/contracts";
import { definePlugin, fileLimit, hasPermission, sql, t } from "lectern/core";
import { forgetCreator } from "./changes.ts";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { usedKeys } from "./queries.ts";
import { mountImports } from "./routes.ts";

/** Imports of portable ZIP files, uploaded first and run later (platform 8). Plugins say in slots how their items are created. */
export default definePlugin({
  name: "imports",
  requires: ["access"],
  grants: { write: ["imports"], read: ["books", "chapters"], files: true },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["import_create", "import_run", "import_delete"],
  permissions: ["content-import"],
  slots: importSlots,
  setup(context) {
    const { contribute, visibilityRule, on } = context;
    visibilityRule("imports", (viewer) =>
      hasPermission(viewer, "settings-manage") ? true : sql<boolean>`imports.created_by = ${viewer.id}::integer`,
    );
    contribute("file_claims", { plugin: "imports", used: (keys) => usedKeys(context, keys) });
    contribute(
      "self_check",
      missingFilesCheck(context, {
        name: "imports/files",
        title: "The archive of every import is stored",
        table: "imports",
        column: "file_key",
      }),
    );
    for (const event of ["import_create", "import_run", "import_delete"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [{ type: event, detail: descriptor(result), path: `/import/${result.id}` }]),
      );
    on("user_delete", { inTransaction: ({ id }, tx) => forgetCreator(id, tx) });
    mountImports(context);
  },
});
