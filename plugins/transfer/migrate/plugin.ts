import { fileKeeperSlots } from "lectern/contracts";
import { definePlugin } from "lectern/core";
import { migrateFrom } from "./command.ts";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";

/** The command `migrate-from`, which copies a BookStack, or another server of this API, into this one. It has no routes. */
export default definePlugin({
  name: "migrate",
  requires: ["markup", "overrides", "pages", "tags"],
  grants: {
    write: [
      ...(["migrated_items", "migration_sources", "content_links", "slug_history"] as const),
      ...(["roles", "role_permissions", "role_user", "users"] as const),
      ...(["bookshelves", "bookshelf_books", "books", "chapters", "pages", "page_revisions"] as const),
      ...(["images", "attachments", "comments"] as const),
    ],
    read: ["entity_permissions", "instance"],
    net: "any",
    system: true,
  },
  migrations,
  events: ["migrate_item"],
  commands: { "migrate-from": migrateFrom },
  slots: fileKeeperSlots,
  setup: () => {},
});
