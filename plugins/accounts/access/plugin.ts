import { definePlugin, denied } from "lectern/core";
import { overAll } from "lectern/db";
import { removeRoleFromLists } from "./changes.ts";
import type {} from "./contract.ts";
import { decide } from "./decide.ts";
import { ensureItemCounts } from "./item_counts.ts";
import { migrations } from "./migrations.ts";
import { readList } from "./queries.ts";
import { accessChecks } from "./self_checks.ts";
import { checkContentTables, checkRuledTables, type RuledTable } from "./table_checks.ts";
import { visibilityRuleFor, visibleRowsFor } from "./visibility.ts";

/** Decides who may see and change which items: by roles, ownership, and the access lists derived from overrides. */
export default definePlugin({
  name: "access",
  provides: ["access"],
  grants: { write: ["acl", "acl_count", "books", "bookshelves", "chapters", "pages"] },
  optionalTables: ["books", "bookshelves", "chapters", "pages"],
  migrations,
  async syncSchema(db, { slot }) {
    await checkContentTables(db, slot("content"));
    await ensureItemCounts(slot("content"), db);
  },
  setup({ cache, contribute, db, on, provide, runtime, slot }) {
    const ruled: RuledTable[] = [];
    const isContent = (name: string) => slot("content").some(({ kind }) => kind === name);
    const lists = cache.values("lists", (id) => readList(db, Number(id)));
    const loadList = (id: number) => lists.get(String(id));
    provide("access", {
      may: (viewer, permission, item) => decide({ loadList, isContent }, viewer, permission, item),
      async need(viewer, permission, item) {
        if (!(await decide({ loadList, isContent }, viewer, permission, item))) throw denied();
      },
      visibilityRuleOf(kind, table) {
        ruled.push({ kind, table });
        return visibilityRuleFor(kind, table);
      },
      visibleRows: (kind, table) =>
        visibleRowsFor(kind, table, () => slot("content").find((known) => known.kind === kind)?.ownOnly),
    });
    on("app_boot", {
      async inTransaction(_, tx) {
        await checkRuledTables(tx.db, ruled, slot("content"), runtime.plugins());
      },
    });
    for (const check of accessChecks(() => slot("content"), overAll(db))) contribute("self_check", check);
    // Lists are immutable but for the removal of deleted roles.
    on("role_delete", {
      async inTransaction({ id }, tx) {
        await removeRoleFromLists(id, tx);
        await lists.forget(tx);
      },
    });
  },
});
