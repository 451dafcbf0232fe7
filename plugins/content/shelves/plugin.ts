/**
 * Shelves: collections of books in an order (content-api 6). Their kind is "bookshelf" everywhere but in paths.
 */

import { itemPermissions, referenceCheck } from "lectern/contracts";
import { definePlugin, fileLimit, mountResource, sql, t } from "lectern/core";
import { prepared, refs } from "lectern/db";
import { cachedReader, cachedReads } from "../_items/cached.ts";
import { lockItem } from "../_items/changes.ts";
import { itemHandlers, itemResource, registerItemKind, topLevelPlace } from "../_items/resource.ts";
import { insertShelf, updateShelf } from "./changes.ts";
import { bookShelvesFields, listing, SHELF, shelfAnswers, shelfRules } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { shelfMaker } from "./import.ts";
import { migrations } from "./migrations.ts";
import { shelfPresenter } from "./presenter.ts";
import { shelfOfSlug, shelfReader } from "./reader.ts";
import { shelveCopy, shelvesOf, shelvesOfOne } from "./shelf_books.ts";

const removeWhere = (name: string, column: "shelf_id" | "book_id") =>
  prepared(name, (db, p: { ids: readonly number[] }) =>
    db.deleteFrom("bookshelf_books").where(column, "=", sql<number>`any(${p.ids}::integer[])`),
  );
const REMOVALS = {
  bookshelf: removeWhere("shelves.removeAllBooks", "shelf_id"),
  book: removeWhere("shelves.removeFromShelves", "book_id"),
};

export default definePlugin({
  name: "shelves",
  requires: ["access", "users", "tags", "markup"],
  grants: { write: ["bookshelves", "bookshelf_books"], read: ["books", "images", "tags", "users"] },
  optionalTables: ["images", "tags", "users"],
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["bookshelf_create", "bookshelf_update", "bookshelf_delete"],
  permissions: itemPermissions("bookshelf"),
  setup(context) {
    const { access } = context.contracts;
    const [presenter, reader] = [shelfPresenter(context), shelfReader(context)];
    const path = sql<string>`'/shelves/' || ${refs("bookshelves.slug")}`;
    registerItemKind(context, SHELF, {
      segment: "shelves",
      labels: { one: "Shelf", many: "Shelves", icon: "shelf" },
      parents: [],
      path,
      listing,
    });
    const reads = cachedReads(context, SHELF, {
      dependsOn: () => [
        { table: "bookshelf_books", column: "shelf_id" },
        { table: "books", shown: { table: "bookshelf_books", item: "shelf_id", row: "book_id" } },
      ],
      load: (viewer, id) => reader.find(viewer, { id }),
      shared: () => ({ table: "bookshelves" }),
    });
    context.contribute("item_reader", cachedReader(SHELF, reader, reads, shelfOfSlug(context)));
    context.contribute("content_maker", shelfMaker(context));
    context.contribute("response_fields", {
      kind: "book",
      moment: "read",
      schema: bookShelvesFields,
      add: (ids, viewer) => shelvesOf(context, ids, viewer),
      select: (id, viewer) => shelvesOfOne(context, id, viewer),
      cached: {
        dependsOn: [
          { table: "bookshelf_books", column: "book_id" },
          { table: "bookshelves", shown: { table: "bookshelf_books", item: "book_id", row: "shelf_id" } },
        ],
        isSame: true,
      },
    });
    for (const [kind, remove] of Object.entries(REMOVALS))
      context.contribute("dependents", {
        kind,
        async destroy(ids, { db }) {
          await remove.execute(db, { ids: [...ids] });
        },
      });
    context.contribute(
      "self_check",
      referenceCheck(context.db, {
        name: "shelves/books",
        title: "Every place on a shelf is of a shelf and a book",
        references: () => [
          { table: "bookshelf_books", column: "shelf_id", to: "bookshelves" },
          { table: "bookshelf_books", column: "book_id", to: "books" },
        ],
        repair: "delete",
      }),
    );
    context.on("content_copy", {
      inTransaction: ({ kind, id, made }, tx) =>
        kind === "book" ? shelveCopy(context, { id, copyId: made.id }, tx) : undefined,
    });
    context.on("bookshelf_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockItem(SHELF, row, tx), draft }),
    });
    const resource = itemResource(context, SHELF, listing);
    const bodies = shelfRules(context.settings.fileLimit);
    mountResource(
      context,
      // An empty cover in a form takes the cover away (content-api 4.6).
      {
        ...{ ...resource, path: "/shelves", ...bodies, emptyAsNull: ["image"], bodyFirst: false },
        ...{ answers: shelfAnswers, about, examples },
      },
      {
        read: reads.read,
        show: presenter.saved,
        ...itemHandlers(context, SHELF),
        place: topLevelPlace(SHELF, access),
        insert: (draft, tx) => insertShelf(context, draft, tx),
        change: (row, draft, tx) => updateShelf(context, { row, draft }, tx),
      },
    );
  },
});
