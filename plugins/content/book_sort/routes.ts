import type { Owned } from "lectern/contracts";
import { endpoint, idOf, noContent, notFound, sql } from "lectern/core";
import { rows } from "lectern/db";
import { sortBook } from "./changes.ts";
import { type BookSortContext, orderRules, type SortedBook } from "./contract.ts";
import { about, example } from "./docs.ts";
import { entriesIn } from "./entries.ts";

/** Mounts the route that sorts a book. */
export function mountOrder(context: BookSortContext): void {
  const { app, contracts, db, perform, validate, visible } = context;
  app.put(
    "/books/:id/order",
    async ({ viewer, params, input, set }) => {
      const [book] = await rows<SortedBook & Owned>(
        db,
        sql`select * from books where id = ${idOf(params.id, "Book")}::integer and ${visible.where("books", viewer)}`,
      );
      if (!book) throw notFound("Book");
      await contracts.access.need(viewer, "book-update", book);
      const { items } = await validate(orderRules, input, viewer);
      const draft = { row: book, items: entriesIn(items) };
      await perform("book_sort", viewer, draft, (final, tx) => sortBook(context, final, tx));
      set.status = 204;
    },
    {
      permit: "access-api",
      response: noContent,
      ...endpoint("books", "order", { about, rules: orderRules, example }),
    },
  );
}
