import { bookPath, type ContentMaker } from "lectern/contracts";
import { importedItem, refillDescription } from "../_items/import.ts";
import { insertBook } from "./changes.ts";
import { BOOK, type BooksContext } from "./contract.ts";

/** Creates books for imports, with the event and rules of a request. */
export function bookMaker(context: BooksContext): ContentMaker {
  return {
    kind: BOOK.kind,
    async make({ name, description_html = "", tags }, _parent, tx) {
      const draft = { name, description_html, tags };
      const book = await tx.perform("book_create", draft, (final, inner) => insertBook(context, final, inner));
      return importedItem(BOOK, book, context.baseUrl + bookPath(book));
    },
    refill: refillDescription(context, BOOK, () => context.slot("content_record")),
  };
}
