/** What holds an item: the links above a screen lead to a shelf, the book and the chapter. A shelf is named where the reader sees it. */
import { bookPath, type Crumb, chapterPath, shelfPath, type Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Book, Entry } from "./api_types.ts";

/** The crumbs above the screen of a book: the first of its shelves, or the list of books. */
export function holdersOf({ shelves = [] }: Pick<Book, "shelves">, ui: Ui): Crumb[] {
  const [shelf] = shelves;
  if (!shelf) return [{ text: ui.t("Books"), path: "/books" }];
  return [
    { text: ui.t("Shelves"), path: "/shelves" },
    { text: shelf.name, path: shelfPath(shelf) },
  ];
}

/** The crumbs above the screen of what is in a book, or in a chapter of it. */
export function crumbsIn(book: Book, ui: Ui, chapter?: Pick<Entry, "name" | "slug">): Crumb[] {
  return [
    ...holdersOf(book, ui),
    { text: book.name, path: bookPath(book) },
    ...(chapter ? [{ text: chapter.name, path: chapterPath(book, chapter) }] : []),
  ];
}

/** Links to the shelves of a book that is on several; nothing for others, whose shelf is above the screen. */
export function shelvesOf({ shelves = [] }: Pick<Book, "shelves">, ui: Ui): Html | false {
  return (
    shelves.length > 1 &&
    html`<p class="quiet on-shelves">${ui.icon("shelf")} ${ui.t("Shelves")}: ${shelves.map(
      (shelf, at) => html`${at > 0 && ", "}<a href="${ui.url(shelfPath(shelf))}">${shelf.name}</a>`,
    )}</p>`
  );
}
