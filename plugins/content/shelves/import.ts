import { type ContentMaker, shelfPath } from "lectern/contracts";
import { describedIn, importedItem, refillDescription } from "../_items/import.ts";
import { insertShelf } from "./changes.ts";
import { SHELF, type ShelvesContext } from "./contract.ts";

/** Creates empty shelves for books that are converted, with the event and rules of a request. */
export function shelfMaker(context: ShelvesContext): ContentMaker {
  return {
    kind: SHELF.kind,
    async make({ name, tags, ...described }, _parent, tx) {
      const draft = { name, ...describedIn(described), tags };
      const shelf = await tx.perform("bookshelf_create", draft, (final, inner) => insertShelf(context, final, inner));
      return importedItem(SHELF, shelf, context.baseUrl + shelfPath(shelf));
    },
    refill: refillDescription(context, SHELF, () => context.slot("content_record")),
  };
}
