import type { ExportKind } from "lectern/contracts";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { BooksContext } from "./_context.ts";
import type { Book } from "./contract.ts";
import { bookUrl } from "./urls.ts";

/** Books as exports know them (content-api 15). */
export function booksInExports({ baseUrl, contracts: { markup, tags }, db, visible }: BooksContext): ExportKind {
  return {
    kind: "book",
    async find(viewer, id) {
      const [book] = await rows<Book>(
        db,
        sql`select books.*, ${tags.of("book", sql.ref("books.id"))} as tags
        from books where books.id = ${id}::integer and ${visible.where("books", viewer)}`,
      );
      return (
        book && {
          kind: "book",
          id: book.id,
          name: book.name,
          slug: book.slug,
          priority: 0,
          url: bookUrl(baseUrl, book.slug),
          tags: book.tags,
          description: book.description,
          description_html: markup.describeHtml(book.description_html, book.description),
          parents: [],
        }
      );
    },
  };
}
