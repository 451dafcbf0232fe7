import { itemPermissions } from "lectern/contracts";
import { definePlugin, fileLimit, mountResource, sql, t } from "lectern/core";
import { refs } from "lectern/db";
import { cachedReader, cachedReads } from "../_items/cached.ts";
import { lockItem } from "../_items/changes.ts";
import { clearedTemplates, templateDependents } from "../_items/default_template.ts";
import { deleteKindsBelow, moveKindsBelow } from "../_items/kinds_below.ts";
import { itemHandlers, itemResource, registerItemKind, topLevelPlace } from "../_items/resource.ts";
import { insertBook, updateBook } from "./changes.ts";
import { contentTables, hasShownContents } from "./contents.ts";
import { BOOK, bookAnswers, bookRules, listing } from "./contract.ts";
import { about, examples } from "./docs.ts";
import { bookExports } from "./export.ts";
import { bookMaker } from "./import.ts";
import { migrations } from "./migrations.ts";
import { bookPresenter } from "./presenter.ts";
import { bookOfSlug, bookReader, outlineReader } from "./reader.ts";

const clearTemplates = clearedTemplates("books");

/** Books: named collections of chapters and pages (content-api 5). */
export default definePlugin({
  name: "books",
  requires: ["access", "users", "tags", "markup"],
  grants: {
    write: ["books"],
    read: ["pages", "bookshelf_books", "bookshelves", "chapters", "images", "tags", "users"],
    contentTables: ["write"],
  },
  optionalTables: ["bookshelf_books", "bookshelves", "chapters", "images", "tags", "users"],
  migrations,
  permissions: itemPermissions("book"),
  settings: t.Object({ fileLimit }),
  events: ["book_create", "book_update", "book_delete"],
  setup(context) {
    const { contracts, contribute, on } = context;
    const { access } = contracts;
    const [presenter, reader] = [bookPresenter(context), bookReader(context)];
    registerItemKind(context, BOOK, {
      segment: "books",
      labels: { one: "Book", many: "Books", icon: "book" },
      parents: [],
      path: sql<string>`'/books/' || ${refs("books.slug")}`,
      listing,
    });
    const source = {
      dependsOn: () => contentTables(context),
      shared: () => (hasShownContents(context) ? { table: "books" as const } : undefined),
    };
    const reads = cachedReads(context, BOOK, { ...source, load: (viewer, id) => reader.find(viewer, { id }) });
    contribute("item_reader", cachedReader(BOOK, reader, reads, bookOfSlug(context)));
    const outlines = outlineReader(context);
    const outlineReads = cachedReads(
      context,
      { ...BOOK, answers: "outline" },
      { ...source, load: (viewer, id) => outlines.find(viewer, { id }) },
    );
    contribute("item_reader", cachedReader(BOOK, outlines, outlineReads, bookOfSlug(context)));
    contribute("dependents", templateDependents(clearTemplates));
    contribute("export_kind", bookExports(context));
    contribute("content_maker", bookMaker(context));
    deleteKindsBelow(context, "book");
    moveKindsBelow(context);
    on("book_update", { filter: async (change, tx) => ({ ...change, row: await lockItem(BOOK, change.row, tx) }) });
    mountResource(
      context,
      {
        ...itemResource(context, BOOK, listing),
        path: "/books",
        ...bookRules(context.settings.fileLimit),
        // An empty cover in a form takes the cover away (content-api 4.6).
        emptyAsNull: ["image"],
        bodyFirst: false,
        answers: bookAnswers,
        about,
        examples,
      },
      {
        place: topLevelPlace(BOOK, access),
        ...itemHandlers(context, BOOK),
        read: reads.read,
        show: presenter.saved,
        insert: (draft, tx) => insertBook(context, draft, tx),
        change: (row, draft, tx) => updateBook(context, { row, draft }, tx),
      },
    );
  },
});
