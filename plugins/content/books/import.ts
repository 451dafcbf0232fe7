import { bookPath, type ContentMaker } from "lectern/contracts";
import { sql } from "lectern/core";
import { flattened, prepared, refs } from "lectern/db";
import { describedIn, importedItem, newItems, refillDescription, type SourceParameters } from "../_items/import.ts";
import { insertBook } from "./changes.ts";
import { BOOK, type BooksContext } from "./contract.ts";

const sources = prepared("books.sources", (db, p: SourceParameters) =>
  db
    .selectFrom("books")
    .select(["books.id", "books.name", "books.description", "books.description_html", "books.default_template_id"])
    .select(p.tags.as("tags"))
    .where("books.id", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible),
);

/** Creates books for imports and copies, with the event and rules of a request. */
export function bookMaker(context: BooksContext): ContentMaker {
  const ownTags = flattened(context.contracts.tags.of(BOOK.kind, refs("books.id")));
  return {
    kind: BOOK.kind,
    async make({ name, default_template_id = null, tags, ...described }, _parent, tx) {
      const draft = { name, ...describedIn(described), default_template_id, tags };
      const book = await tx.perform("book_create", draft, (final, inner) => insertBook(context, final, inner));
      return importedItem(BOOK, book, context.baseUrl + bookPath(book));
    },
    refill: refillDescription(context, BOOK, () => context.slot("content_record")),
    async read(ids, { db }, viewer) {
      return newItems(
        await sources.execute(db, { ids, tags: ownTags, visible: context.visible.where("books", viewer) }),
      );
    },
  };
}
