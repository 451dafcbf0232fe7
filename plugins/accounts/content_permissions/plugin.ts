/**
 * Content permissions: overrides of the permissions of roles, set on a shelf, book, chapter or page (platform 2.3 and 3).
 * The entries are stored as set. Each item also refers to an access list with the overrides in force on it, own and
 * inherited; items share the lists, and the plugin "access" decides by them. A change updates the lists of the item and
 * everything below it in one transaction. Every kind in the slot `content` can have overrides.
 */
import { itemReferences, referenceCheck } from "lectern/contracts";
import { definePlugin, HOUR_MS, sql } from "lectern/core";
import { overAll, prepared } from "lectern/db";
import { areSetOn, createOverrides } from "./changes.ts";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { inheritAccessList, parentsFirst, updateAccessLists } from "./propagation.ts";
import { mountPermissions } from "./routes.ts";
import { sweep } from "./sweep.ts";

const SWEEP_MS = HOUR_MS;

const removeOfItems = prepared("content_permissions.removeOfItems", (db, p: { kind: string; ids: readonly number[] }) =>
  db
    .deleteFrom("entity_permissions")
    .where("kind", "=", p.kind)
    .where("item_id", "=", sql<number>`any(${p.ids}::integer[])`),
);

const removeOfRole = prepared("content_permissions.removeOfRole", (db, p: { id: number }) =>
  db.deleteFrom("entity_permissions").where("role_id", "=", p.id),
);

export default definePlugin({
  name: "content_permissions",
  requires: ["access", "users"],
  provides: ["overrides"],
  grants: {
    write: ["entity_permissions", "acl", "acl_count", "books", "bookshelves", "chapters", "pages", "roles"],
    read: ["bookshelf_books", "roles", "users"],
    contentTables: ["write"],
  },
  optionalTables: ["bookshelf_books", "books", "bookshelves", "chapters", "pages"],
  migrations,
  events: ["permissions_update", "permissions_copy"],
  setup(context) {
    const { cache, contribute, db, jobs, on, provide, slot } = context;
    mountPermissions(context);
    // Each screen of an item asks.
    const areSet = cache.values("areSet", (key) => {
      const [kind = "", id] = key.split(" ");
      return areSetOn(db, { kind, id: Number(id) });
    });
    const overrides = {
      ...createOverrides(() => slot("content"), context.contracts.access),
      areSet: async (kind: string, id: number) => areSet.get(`${kind} ${id}`),
    };
    provide("overrides", overrides, { replace: "writes", copy: "ships", areSet: "ships" });
    on("permissions_update", {
      async inTransaction({ kind, id }, tx) {
        await areSet.forget(tx, `${kind} ${id}`);
      },
    });

    on.any({
      async inTransaction({ name, result }, tx) {
        const [, kindName, verb] = /^(.+)_(create|move)$/.exec(name) ?? [];
        const kind = slot("content").find((known) => known.kind === kindName);
        if (!kind) return;
        const item = result as { id: number; acl_id?: number };
        if (verb === "move") await updateAccessLists(slot("content"), kind, item.id, tx);
        else if (!kind.hasParentList?.(item))
          item.acl_id = (await inheritAccessList(slot("content"), kind, item.id, tx)) ?? item.acl_id ?? 0;
      },
    });
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await removeOfItems.execute(tx.db, { kind, ids: [...ids] });
      },
    });
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "content_permissions/entries",
        title: "Every content permission belongs to an item and a role",
        references: () => [
          ...itemReferences(slot("content"), { table: "entity_permissions", kind: "kind", id: "item_id" }),
          { table: "entity_permissions", column: "role_id", to: "roles", where: sql`entity_permissions.role_id <> 0` },
        ],
        repair: "delete",
      }),
    );
    // The plugin "access" removes the role from the access lists.
    on("role_delete", {
      async inTransaction({ id }, tx) {
        await removeOfRole.execute(tx.db, { id });
        await areSet.forget(tx);
      },
    });
    jobs.every("sweep", SWEEP_MS, () => sweep(overAll(db), parentsFirst(slot("content"))));
  },
});
