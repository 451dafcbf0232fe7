import { endpoint, idOf, noContent, notFound, type RawBuilder } from "lectern/core";
import { prepared } from "lectern/db";
import { sortBook } from "./changes.ts";
import { type BookSortContext, orderFields, orderRules } from "./contract.ts";
import { about, example } from "./docs.ts";
import { entriesIn } from "./entries.ts";

const findBook = prepared("book_sort.findBook", (db, p: { id: number; visible: RawBuilder<boolean> }) =>
  db.selectFrom("books").selectAll().where("id", "=", p.id).where(p.visible),
);

/** Mounts the route that sorts a book. */
export function mountOrder(context: BookSortContext): void {
  const { app, contracts, db, perform, validate, visible } = context;
  app.put(
    "/books/:id/order",
    async ({ viewer, params, input, set }) => {
      const book = await findBook.executeTakeFirst(db, {
        id: idOf(params.id, "Book"),
        visible: visible.where("books", viewer),
      });
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
      ...endpoint("books", "order", { about, rules: orderRules, fields: orderFields, example }),
    },
  );
}
