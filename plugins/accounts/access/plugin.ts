import { definePlugin, denied } from "lectern/core";
import type {} from "./contract.ts";
import { keepCounts } from "./counts.ts";
import { decide } from "./decide.ts";
import { forgetRole, readList } from "./lists.ts";
import { migrations } from "./migrations.ts";
import { reachOf, rowsFor } from "./rows.ts";

/** Decides who may do and see what, from roles, ownership and the access lists that overrides on items come to. */
export default definePlugin({
  name: "access",
  provides: ["access"],
  permissions: { write: ["acl", "acl_count"] },
  migrations,
  setup({ cached, db, on, provide, slot }) {
    const lists = cached("lists", (id) => readList(db, Number(id)));
    const listOf = (id: number) => lists.get(String(id));
    provide("access", {
      may: (viewer, permission, item) => decide(listOf, viewer, permission, item),
      async need(viewer, permission, item) {
        if (!(await decide(listOf, viewer, permission, item))) throw denied();
      },
      sees: rowsFor,
      reach: (kind, table) => reachOf(kind, table, () => slot("content").find((known) => known.kind === kind)?.ownOnly),
    });
    // A list says the same for ever, but for roles that vanish.
    on("role_delete", {
      async inTransaction({ id }, tx) {
        await forgetRole(id, tx);
        await lists.forget(tx);
      },
    });
    on("app_boot", {
      async inTransaction(_, tx) {
        for (const kind of slot("content")) await keepCounts(kind, tx);
      },
    });
  },
});
