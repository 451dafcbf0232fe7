import { activityOf, type Owned } from "lectern/contracts";
import { definePlugin, endpoint, idOf, notFound, sql } from "lectern/core";
import { rows } from "lectern/db";
import { entriesIn, orderRules, type SortedBook } from "./contract.ts";
import { sortBook } from "./sort.ts";

const about =
  "Puts the chapters and pages of a book into an order, all at once or not at all. Of ours.\n" +
  "items lists chapters and pages directly in the book as they shall stand: type (chapter or page) and id. A chapter may " +
  "list pages: the ids of the pages that shall be in it, in order; pages may come from the book or from its other chapters.\n" +
  "What is not named stays after what it follows now. What you may not update keeps its order among its like; moving a " +
  "page between chapters takes what moving it by its update takes.";
const example = {
  request: {
    items: [
      { type: "chapter", id: 3, pages: [12, 14] },
      { type: "page", id: 9 },
    ],
  },
};

/** The order of a book's chapters and pages, written at once. */
export default definePlugin({
  name: "book_sort",
  requires: ["access", "pages"],
  permissions: { write: ["chapters", "pages"], read: ["books"] },
  events: ["book_sort"],
  setup({ app, contracts, contribute, db, perform, validate, visible }) {
    const { access } = contracts;
    contribute(
      "activity",
      activityOf("book_sort", ({ result }) => [
        { type: "book_sort", item: { kind: "book", id: result.id, row: { ...result } } },
      ]),
    );
    app.put(
      "/books/:id/order",
      async ({ viewer, params, input, set }) => {
        const [book] = await rows<SortedBook & Owned>(
          db,
          sql`select * from books where id = ${idOf(params.id, "Book")}::integer and ${visible.where("books", viewer)}`,
        );
        if (!book) throw notFound("Book");
        await access.need(viewer, "book-update", book);
        const { items } = await validate(orderRules, input, viewer);
        await perform("book_sort", viewer, { row: book, items: entriesIn(items) }, (final, tx) =>
          sortBook({ access, sees: visible.where }, final, tx),
        );
        set.status = 204;
      },
      { permit: "access-api", ...endpoint("books", "order", { about, rules: orderRules, example }) },
    );
  },
});
