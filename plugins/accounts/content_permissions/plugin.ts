/**
 * Content permissions: overrides of what roles may do, set on a shelf, book, chapter or page (platform 2.3 and 3). The
 * entries are kept as they were set; what follows from them for each item is kept beside it as one of few shared lists,
 * which the plugin "access" decides by. So a change is written once, below the item that changed, and holds with the
 * commit. Kinds of content come from the slot `content`: whatever else is contributed there can have overrides too.
 */
import { definePlugin, type EventTransaction, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { fromTheTop, inherit, relist } from "./relist.ts";
import { mountPermissions } from "./routes.ts";
import { sweep } from "./sweep.ts";
import { overrides } from "./write.ts";

const SWEEP_MS = 60 * 60_000;

export default definePlugin({
  name: "content_permissions",
  requires: ["access", "users"],
  provides: ["overrides"],
  permissions: { write: ["entity_permissions", "acl", "acl_count"], read: ["roles", "users"] },
  migrations,
  events: ["permissions_update"],
  setup(context) {
    const { contribute, db, every, on, onAny, provide, slot } = context;
    mountPermissions(context);
    provide(
      "overrides",
      overrides(() => slot("content")),
    );

    onAny({
      async inTransaction({ name, result }, tx) {
        const [, of, what] = /^(.+)_(create|move)$/.exec(name) ?? [];
        const kind = slot("content").find((known) => known.kind === of);
        if (!kind) return;
        const item = result as { id: number; acl_id?: number };
        if (what === "move") await relist(slot("content"), kind, item.id, tx);
        else item.acl_id = (await inherit(slot("content"), kind, item.id, tx)) ?? item.acl_id ?? 0;
      },
    });
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await rows(
          tx.db,
          sql`delete from entity_permissions where kind = ${kind} and item_id = any(${[...ids]}::integer[])`,
        );
      },
    });
    // The lists need nothing: what they say of a role that nobody has is taken out of them where they are kept.
    on("role_delete", {
      async inTransaction({ id }, tx) {
        await rows(tx.db, sql`delete from entity_permissions where role_id = ${id}::integer`);
      },
    });
    every("sweep", SWEEP_MS, () => sweep(db as unknown as EventTransaction["db"], fromTheTop(slot("content"))));
  },
});
