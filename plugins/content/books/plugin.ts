import { definePlugin, fileLimit, itemPermissions, mountResource, sql, t } from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import { rulesFor } from "./contract.ts";
import { booksInExports } from "./export.ts";
import { listing } from "./listing.ts";
import { bookMaker } from "./make.ts";
import { migrations } from "./migrations.ts";
import { showing } from "./show.ts";
import { writing } from "./write.ts";

/** Books: named collections of chapters and pages (content-api 5). */
export default definePlugin({
  name: "books",
  requires: ["access", "users", "tags", "markup"],
  permissions: { write: ["books"], read: ["pages"] },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["book_create", "book_update", "book_delete"],
  adds: itemPermissions("book"),
  setup(context) {
    const {
      contracts: { access },
      contribute,
      visibilityRule,
    } = context;
    visibilityRule("books", () => sql`books.deleted_at is null`);
    visibilityRule("books", access.sees("book", "books"));
    contribute("searchable", { kind: "book", body: sql<string>`books.description` });
    contribute("content", {
      kind: "book",
      table: "books",
      segment: "books",
      parents: [],
      columns: Object.keys(listing.fields),
      path: sql<string>`'/books/' || books.slug`,
    });
    // A template that is gone for good is no template any more (content-api 4.7).
    contribute("dependents", {
      kind: "page",
      async destroy(ids, { db }) {
        await rows(
          db,
          sql`update books set default_template_id = null where default_template_id = any(${[...ids]}::integer[])`,
        );
      },
    });
    contribute("export_kind", booksInExports(context));
    contribute(
      "content_maker",
      bookMaker(context, () => context.slot("content_record")),
    );
    mountResource(
      context,
      {
        name: "book",
        noun: "Book",
        path: "/books",
        ...rulesFor(context.settings.fileLimit),
        // An empty cover in a form takes the cover away (content-api 4.6).
        emptyAsNull: ["image"],
        bodyFirst: false,
        list: { ...listing, reach: access.reach("book", "books") },
        about,
        examples,
      },
      {
        ...showing(context),
        ...writing(context),
        may: (viewer, verb, book) => access.may(viewer, `book-${verb}`, book),
        async place(viewer) {
          await access.need(viewer, "book-create-all");
          return true;
        },
      },
    );
  },
});
