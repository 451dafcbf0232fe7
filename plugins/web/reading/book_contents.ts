import { bookPath, chapterPath, pagePath, type Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Book, Entry } from "./api_types.ts";

/** The path of a page in a list; for a draft, that of its editor. */
export function entryPath(book: Pick<Book, "slug">, page: Entry): string {
  return page.draft ? `${bookPath(book)}/draft/${page.id}` : pagePath(book, page);
}

/** A book's contents as a tree of links; `current` is the path of the screen that is shown. */
export function contentsTree(book: Pick<Book, "slug" | "contents">, current: string, ui: Ui): Html {
  const link = (path: string, icon: string, { name, draft }: Entry) =>
    html`<a href="${ui.url(path)}"${path === current && html` aria-current="page"`}>${ui.icon(icon)} <span>${name}${draft && html` <em>(${ui.t("Draft")})</em>`}</span></a>`;
  const page = (entry: Entry) => html`<li>${link(entryPath(book, entry), "page", entry)}</li>`;
  return html`<ul class="contents">${book.contents.map((entry) =>
    entry.type === "chapter"
      ? html`<li>${link(chapterPath(book, entry), "chapter", entry)}${(entry.pages ?? []).length > 0 && html`<ul>${entry.pages?.map(page)}</ul>`}</li>`
      : page(entry),
  )}</ul>`;
}

/** A book's contents beside a screen that shows a part of it. */
export function bookAside(book: Book, current: string, ui: Ui): Html {
  return html`<nav aria-label="${ui.t("Book contents")}"><p><a class="aside-title" href="${ui.url(bookPath(book))}">${ui.icon("book")} <strong>${book.name}</strong></a></p>
<details class="fold" open><summary>${ui.t("Contents")}</summary>${contentsTree(book, current, ui)}</details></nav>`;
}
