import type { FieldsById } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import { itemPresenter } from "../_items/presenter.ts";
import { SHELF, type Shelf, type ShelvesContext } from "./contract.ts";
import { booksOf } from "./shelf_books.ts";

/** What answers show of a shelf itself (content-api 6). */
const FIELDS = [
  ...(["id", "name", "slug", "description", "description_html", "created_by", "updated_by", "owned_by"] as const),
  ...(["created_at", "updated_at", "tags", "cover"] as const),
];

/** Shows shelves; a single read includes the books that the viewer sees. */
export function shelfPresenter(context: ShelvesContext) {
  const { saved, read } = itemPresenter<Shelf, (typeof FIELDS)[number]>(context, SHELF, FIELDS, () =>
    context.slot("response_fields"),
  );
  return {
    saved,
    async whole(shelf: Shelf, viewer: Viewer, fields: Promise<FieldsById>) {
      const [shown, books] = await Promise.all([read(shelf, {}, fields), booksOf(context, shelf.id, viewer)]);
      return { ...shown, books };
    },
  };
}
