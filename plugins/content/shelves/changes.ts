import type { EventTransaction } from "lectern/core";
import { insertItem, updateItem } from "../_items/changes.ts";
import { SHELF, type Shelf, type ShelfChange, type ShelfDraft, type ShelvesContext } from "./contract.ts";
import { idsOf, setBooks } from "./shelf_books.ts";

/** Creates a shelf and puts the given books on it. */
export async function insertShelf(context: ShelvesContext, draft: ShelfDraft, tx: EventTransaction): Promise<Shelf> {
  const shelf = await insertItem(context, SHELF, draft, { columns: {} }, tx);
  if (draft.books !== undefined) await setBooks(context, shelf.id, idsOf(draft.books), tx);
  return shelf;
}

/** Changes a locked shelf; given books replace those on it. */
export async function updateShelf(
  context: ShelvesContext,
  change: { readonly row: Shelf; readonly draft: ShelfChange },
  tx: EventTransaction,
): Promise<Shelf> {
  const { books, image } = change.draft;
  const shelf = await updateItem(context, SHELF, change, { columns: {}, isTouched: image !== undefined }, tx);
  if (books !== undefined) await setBooks(context, shelf.id, idsOf(books), tx);
  return shelf;
}
