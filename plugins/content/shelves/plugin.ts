import { definePlugin, fileLimit, itemPermissions, mountResource, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import { lockItem } from "../_items/changes.ts";
import { itemHandlers, itemResource, registerItemKind, topLevelPlace } from "../_items/resource.ts";
import { insertShelf, updateShelf } from "./changes.ts";
import { bookShelvesFields, listing, SHELF, type Shelf, shelfAnswers, shelfRules } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { migrations } from "./migrations.ts";
import { shelfPresenter } from "./presenter.ts";
import { shelfReader } from "./reader.ts";
import { shelvesOf, shelvesOfOne } from "./shelf_books.ts";

/** Shelves: collections of books in an order (content-api 6). Their kind is "bookshelf" everywhere but in paths. */
export default definePlugin({
  name: "shelves",
  requires: ["access", "users", "tags", "markup"],
  permissions: { write: ["bookshelves", "bookshelf_books"], read: ["books"] },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["bookshelf_create", "bookshelf_update", "bookshelf_delete"],
  adds: itemPermissions("bookshelf"),
  setup(context) {
    const { access } = context.contracts;
    const path = sql<string>`'/shelves/' || bookshelves.slug`;
    registerItemKind(context, SHELF, { segment: "shelves", parents: [], path, listing });
    context.contribute("item_reader", shelfReader(context));
    context.contribute("response_fields", {
      kind: "book",
      moment: "read",
      schema: bookShelvesFields,
      add: (ids, viewer) => shelvesOf(context, ids, viewer),
      select: (id, viewer) => shelvesOfOne(context, id, viewer),
    });
    for (const [kind, column] of [
      ["bookshelf", "shelf_id"],
      ["book", "book_id"],
    ] as const)
      context.contribute("dependents", {
        kind,
        async destroy(ids, { db }) {
          await rows(db, sql`delete from bookshelf_books where ${sql.ref(column)} = any(${[...ids]}::integer[])`);
        },
      });
    context.on("bookshelf_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockItem(SHELF, row, tx), draft }),
    });
    const resource = itemResource(SHELF, listing, access);
    const bodies = shelfRules(context.settings.fileLimit);
    mountResource(
      context,
      // An empty cover in a form takes the cover away (content-api 4.6).
      {
        ...{ ...resource, path: "/shelves", ...bodies, emptyAsNull: ["image"], bodyFirst: false },
        ...{ answers: shelfAnswers, about, examples },
      },
      {
        ...shelfPresenter(context),
        ...itemHandlers<Shelf>(context, SHELF),
        place: topLevelPlace(SHELF, access),
        insert: (draft, tx) => insertShelf(context, draft, tx),
        change: (row, draft, tx) => updateShelf(context, { row, draft }, tx),
      },
    );
  },
});
