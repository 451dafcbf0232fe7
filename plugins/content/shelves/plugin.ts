import { definePlugin, fileLimit, itemPermissions, mountResource, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import { shelvesOf } from "./books.ts";
import { rulesFor } from "./contract.ts";
import { listing } from "./listing.ts";
import { migrations } from "./migrations.ts";
import { showing } from "./show.ts";
import { writing } from "./write.ts";

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
    const {
      contracts: { access },
      contribute,
      visibilityRule,
    } = context;
    visibilityRule("bookshelves", () => sql`bookshelves.deleted_at is null`);
    visibilityRule("bookshelves", access.sees("bookshelf", "bookshelves"));
    contribute("searchable", { kind: "bookshelf", body: sql<string>`bookshelves.description` });
    contribute("content", {
      kind: "bookshelf",
      table: "bookshelves",
      segment: "shelves",
      parents: [],
      columns: Object.keys(listing.fields),
      path: sql<string>`'/shelves/' || bookshelves.slug`,
    });
    contribute("response_fields", {
      kind: "book",
      moment: "read",
      add: (ids, viewer) => shelvesOf(context, ids, viewer),
    });
    for (const [kind, column] of [
      ["bookshelf", "shelf_id"],
      ["book", "book_id"],
    ] as const)
      contribute("dependents", {
        kind,
        async destroy(ids, { db }) {
          await rows(db, sql`delete from bookshelf_books where ${sql.ref(column)} = any(${[...ids]}::integer[])`);
        },
      });
    mountResource(
      context,
      {
        name: "bookshelf",
        noun: "Shelf",
        path: "/shelves",
        ...rulesFor(context.settings.fileLimit),
        // An empty cover in a form takes the cover away (content-api 4.6).
        emptyAsNull: ["image"],
        bodyFirst: false,
        list: { ...listing, reach: access.reach("bookshelf", "bookshelves") },
        about,
        examples,
      },
      {
        ...showing(context),
        ...writing(context),
        may: (viewer, verb, shelf) => access.may(viewer, `bookshelf-${verb}`, shelf),
        async place(viewer) {
          await access.need(viewer, "bookshelf-create-all");
          return true;
        },
      },
    );
  },
});
