import type { EventTransaction } from "lectern/core";
import { insertItem, updateItem } from "../_items/changes.ts";
import { changedTemplate, templateFor } from "../_items/default_template.ts";
import { BOOK, type Book, type BookChange, type BookDraft, type BooksContext } from "./contract.ts";

/** Creates a book. */
export async function insertBook(context: BooksContext, draft: BookDraft, tx: EventTransaction): Promise<Book> {
  const columns = { default_template_id: await templateFor(context, draft.default_template_id, tx) };
  return insertItem(context, BOOK, draft, { columns }, tx);
}

/** Changes a locked book. */
export async function updateBook(
  context: BooksContext,
  { row, draft }: { readonly row: Book; readonly draft: BookChange },
  tx: EventTransaction,
): Promise<Book> {
  const template = await changedTemplate(context, row.default_template_id, draft.default_template_id, tx);
  const columns = { default_template_id: template };
  return updateItem(context, BOOK, { row, draft }, { columns, isTouched: draft.image !== undefined }, tx);
}
