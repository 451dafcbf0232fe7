import { bookPath, type ExportKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { exportEntry } from "../_items/export.ts";
import { itemQueries } from "../_items/queries.ts";
import { BOOK, type Book, type BooksContext } from "./contract.ts";

/** Finds books for exports (content-api 15). */
export function bookExports(context: BooksContext): ExportKind {
  const { list } = itemQueries<Book>(context, BOOK);
  return {
    kind: BOOK.kind,
    async find(viewer, id) {
      const [book] = await list(viewer, sql`books.id = ${id}::integer`, sql`books.id`);
      if (!book) return undefined;
      return exportEntry(context, BOOK, book, { url: context.baseUrl + bookPath(book), priority: 0, parents: [] });
    },
  };
}
