import type { BookEntry, ContentEntry, FieldsById } from "lectern/contracts";
import { callContribution, unwritable, type Viewer } from "lectern/core";
import { itemPresenter } from "../_items/presenter.ts";
import { checkedEntries, nestContents } from "./contents.ts";
import { BOOK, type Book, type BooksContext } from "./contract.ts";

/** What answers show of a book itself (content-api 5.1). */
const FIELDS = [
  ...(["id", "name", "slug", "description", "created_at", "updated_at", "created_by", "updated_by"] as const),
  ...(["owned_by", "default_template_id", "description_html", "tags", "cover"] as const),
];

/** Entries that JSON can hold. Throws for any others. */
function written(entries: readonly ContentEntry[]): readonly ContentEntry[] {
  const reason = unwritable(entries);
  if (reason !== undefined) throw new Error(`It returned ${reason}`);
  return entries;
}

/** Shows books; a single read includes the contents that the viewer sees. */
export function bookPresenter(context: BooksContext) {
  const { slot } = context;
  const { saved, read } = itemPresenter<Book, (typeof FIELDS)[number]>(context, BOOK, FIELDS, () =>
    slot("response_fields"),
  );
  return {
    saved,
    /** `selected` has the contents by kind; null for a kind whose contents were not selected with the book. */
    async whole(
      book: Book,
      viewer: Viewer,
      fields: Promise<FieldsById>,
      selected: readonly (readonly BookEntry[] | null)[],
    ) {
      const contents = Promise.all(
        slot("content").map(
          async (kind, at) =>
            (await callContribution(
              kind,
              async (each) => checkedEntries(selected[at] ?? written((await each.contents?.(viewer, book.id)) ?? [])),
              "contents",
            )) ?? [],
        ),
      );
      const [shown, entries] = await Promise.all([read(book, {}, fields), contents]);
      return { ...shown, contents: nestContents(entries.flat()) };
    },
  };
}
