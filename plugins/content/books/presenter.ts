import { type BookEntry, type ContentEntry, type FieldsById, joinedOutlines, outlineLine } from "lectern/contracts";
import { type ContentKind, callContribution, unwritable, type Viewer } from "lectern/core";
import { itemPresenter } from "../_items/presenter.ts";
import { checkedEntries, checkedLines, nestContents } from "./contents.ts";
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
  /** The contents by kind: `made` of what was selected with the book, or of what the kind returns. */
  const byKind = <Selected, Made>(
    { id }: Book,
    viewer: Viewer,
    selected: readonly (Selected | null)[],
    made: (own: Selected | null, read: () => Promise<readonly ContentEntry[]>) => Promise<Made>,
  ) =>
    Promise.all(
      slot("content").map((kind, at) =>
        callContribution(
          kind,
          (each: ContentKind) =>
            made(selected[at] ?? null, async () => written((await each.contents?.(viewer, id)) ?? [])),
          "contents",
        ),
      ),
    );
  return {
    saved,
    /** With an outline in place of the contents; `selected` has its lines by kind, as that of `whole`. */
    async outlined(book: Book, viewer: Viewer, fields: Promise<FieldsById>, selected: readonly (string | null)[]) {
      const lines = byKind(book, viewer, selected, async (own, entries) =>
        own === null ? joinedOutlines(checkedEntries(await entries()).map(outlineLine)) : checkedLines(own),
      );
      const [shown, found] = await Promise.all([read(book, {}, fields), lines]);
      return { ...shown, outline: joinedOutlines(found.map((each) => each ?? "")) };
    },
    /** `selected` has the contents by kind; null for a kind whose contents were not selected with the book. */
    async whole(
      book: Book,
      viewer: Viewer,
      fields: Promise<FieldsById>,
      selected: readonly (readonly BookEntry[] | null)[],
    ) {
      const contents = byKind(book, viewer, selected, async (own, entries) => checkedEntries(own ?? (await entries())));
      const [shown, entries] = await Promise.all([read(book, {}, fields), contents]);
      return { ...shown, contents: nestContents(entries.flatMap((each) => each ?? [])) };
    },
  };
}
