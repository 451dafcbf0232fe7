import { itemReferences, referenceCheck } from "lectern/contracts";
import { definePlugin, sql } from "lectern/core";
import { removeHistory } from "./changes.ts";
import { BECAME_BOOK, keepChapter, leadChapterToBook } from "./conversions.ts";
import { migrations } from "./migrations.ts";
import { presentPath } from "./queries.ts";

/** Redirects from the earlier addresses of shelves, books, chapters and pages to the present ones, on screens. */
export default definePlugin({
  name: "slug_history",
  requires: ["pages"],
  grants: { write: ["slug_history"], read: ["bookshelves", "books", "chapters", "pages"] },
  migrations,
  setup(context) {
    context.contribute("screen_redirect", { find: (path, viewer) => presentPath(context, path, viewer) });
    context.contribute("dependents", { destroy: removeHistory });
    context.on("chapter_convert", {
      async filter(chapter, tx) {
        await keepChapter(chapter.id, tx);
        return undefined;
      },
      inTransaction: ({ id, from }, tx) => leadChapterToBook(from.id, id, tx),
    });
    context.contribute(
      "self_check",
      referenceCheck(context.db, {
        name: "slug_history/items",
        title: "Every earlier address belongs to an item",
        // Addresses of books stay while those of their former pages need them.
        references: () => [
          ...itemReferences(
            context.slot("content").filter(({ kind }) => kind !== "book"),
            { table: "slug_history", kind: "kind", id: "item_id" },
          ),
          {
            ...{ table: "slug_history", column: "item_id", to: "books" },
            where: sql<boolean>`slug_history.kind = ${BECAME_BOOK}::text`,
          },
        ],
        repair: "delete",
      }),
    );
  },
});
