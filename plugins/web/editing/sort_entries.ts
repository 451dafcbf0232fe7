/** What the screens that sort one book and several have in common. */
import { bookPath, type Item, type OutlineEntry, outlineEntries, type Ui } from "lectern/contracts";
import type { Cut } from "../_contents/parts.ts";
import type { Entry } from "./order.ts";

/** A book with its outline. */
export type Sorted = Item<"book_outline">;

/** An entry with its name. */
export interface Named extends Entry {
  readonly name: string;
  readonly pages?: readonly Named[];
  readonly cut?: Cut;
}

/** Why the API refused an order. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
}

/** The API rejects an order that names entries which were removed from the book in the meantime. */
export function rejectionOf({ status, message }: Rejection, ui: Ui): Rejection {
  if (status !== 422) return { status, message };
  return { status, message: ui.t("Someone else just changed this book. Nothing was saved. Sort it again.") };
}

/** The chapters and pages without drafts, which always come first. Entries of other plugins have an order of their own. */
export function plain(book: Sorted): Named[] {
  const isPlain = ({ draft, type }: OutlineEntry) => !draft && (type === "chapter" || type === "page");
  const named = ({ type, id, name }: OutlineEntry): Named => ({ type, id, name });
  return outlineEntries(book)
    .filter(isPlain)
    .map((entry) => ({ ...named(entry), ...(entry.pages && { pages: entry.pages.filter(isPlain).map(named) }) }));
}

/** A book of the screen, and the number of its part that is shown. */
export interface BookPart {
  readonly book: Pick<Sorted, "id" | "slug">;
  readonly page: number;
}

/** The field with the part of a book: that of the first one, and of one that is shown beside it. */
export function partField({ book }: BookPart, at: number): string {
  return at === 0 ? "page" : `page-${book.id}`;
}

/** The query of the screen: what is shown beside the first book, and the parts. */
export function sortQuery(books: readonly BookPart[]): Readonly<Record<string, string>> {
  const beside = books.slice(1).map(({ book }) => book.id);
  const turned = books.flatMap((each, at) =>
    each.page > 1 ? [[partField(each, at), String(each.page)] as const] : [],
  );
  return { ...(beside.length > 0 && { with: beside.join(",") }), ...Object.fromEntries(turned) };
}

/** The path of the screen: the first of the books is that of the address, the others are shown beside it. */
export function sortPath(books: readonly BookPart[]): string {
  const [main] = books;
  if (!main) return "/books";
  const search = new URLSearchParams(sortQuery(books)).toString();
  return `${bookPath(main.book)}/sort${search === "" ? "" : `?${search}`}`;
}
