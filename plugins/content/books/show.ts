import { withResponseFields } from "lectern/contracts";
import { peopleOf, type ResourceHandlers, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { BooksContext } from "./_context.ts";
import { nested } from "./contents.ts";
import type { Book, CreateRules, UpdateRules } from "./contract.ts";

type Handlers = ResourceHandlers<Book, CreateRules, UpdateRules, true>;

/** How books are found and shown (content-api 5.1). */
export function showing({
  contracts: { users, tags, markup },
  db,
  slot,
  visible,
}: BooksContext): Pick<Handlers, "find" | "listed" | "show"> {
  const people = peopleOf(users, "books");
  const ownTags = tags.of("book", sql.ref("books.id"));
  const saved = (book: Book) => ({
    id: book.id,
    name: book.name,
    slug: book.slug,
    description: book.description,
    created_at: book.created_at,
    updated_at: book.updated_at,
    created_by: book.created_by,
    updated_by: book.updated_by,
    owned_by: book.owned_by,
    default_template_id: book.default_template_id,
    description_html: markup.describeHtml(book.description_html, book.description),
    tags: book.tags,
    cover: null,
  });
  return {
    async find(viewer, id) {
      const [book] = await rows<Book>(
        db,
        sql`select books.*, ${people} as people, ${ownTags} as tags
        from books where books.id = ${id} and ${visible.where("books", viewer)}`,
      );
      return book;
    },
    listed: (records, viewer) =>
      withResponseFields(
        slot("response_fields"),
        "book",
        "listed",
        records.map((record) => ({ ...(record as { id: number }), cover: null })),
        viewer,
      ),
    async show(book, viewer, moment) {
      if (moment === "saved")
        return (await withResponseFields(slot("response_fields"), "book", "saved", [saved(book)], viewer))[0];
      const base = { ...saved(book), ...book.people };
      const [[shown], entries] = await Promise.all([
        withResponseFields(slot("response_fields"), "book", "read", [base], viewer),
        Promise.all(slot("content").map((kind) => kind.contents?.(viewer, book.id) ?? [])),
      ]);
      return { ...shown, contents: nested(entries.flat()) };
    },
  };
}
