import { bookPath, chapterPath, kindLabels, pagePath, type Ui, type Web } from "lectern/contracts";
import { type Html, html, type PluginContext } from "lectern/core";
import { type ContentsPart, PART_SIZE, partOf, partWith } from "../_contents/parts.ts";
import type { Book, Entry } from "./api_types.ts";
import { searchWithin } from "./search_within.ts";

/** The path of a page in a list; for a draft, that of its editor. */
function entryPath(book: Pick<Book, "slug">, page: Entry): string {
  return page.draft ? `${bookPath(book)}/draft/${page.id}` : pagePath(book, page);
}

/** Whether an entry is a page; those within a chapter have no type. */
export function isPage({ type = "page" }: Pick<Entry, "type">): boolean {
  return type === "page";
}

/** The path of a chapter or page in a book's contents; undefined for other kinds, whose entries have their own address. */
function pathIn(book: Pick<Book, "slug">, entry: Entry): string | undefined {
  if (entry.type === "chapter") return chapterPath(book, entry);
  return isPage(entry) ? entryPath(book, entry) : undefined;
}

/** Links from a part of contents to those before and after it, which a screen at `path` shows. */
export function partLinks(
  { parts }: Pick<Web, "parts">,
  path: string,
  { page, total }: Omit<ContentsPart<unknown>, "entries">,
  ui: Ui,
): Html {
  return parts.pager(ui, { path, query: {}, total, page, size: PART_SIZE });
}

/**
 * Entries of a book's contents as a tree of links; `current` is the path of the screen that is shown. Entries of other plugins have
 * the icon of their kind.
 */
export function contentsTree(
  { slot }: Pick<PluginContext, "slot">,
  book: Pick<Book, "slug">,
  contents: readonly Entry[],
  current: string,
  ui: Ui,
): Html {
  const kinds = slot("content");
  const link = (entry: Entry) => {
    const { name, draft, type = "page", url = "" } = entry;
    const path = pathIn(book, entry);
    const { icon = "page" } = kindLabels(kinds, type);
    return html`<a href="${path === undefined ? url : ui.url(path)}"${path === current && html` aria-current="page"`}>${ui.icon(icon)} <span>${name}${draft && html` <em>(${ui.t("Draft")})</em>`}</span></a>`;
  };
  const page = (entry: Entry) => html`<li>${link(entry)}</li>`;
  return html`<ul class="contents">${contents.map((entry) =>
    entry.type === "chapter"
      ? html`<li>${link(entry)}${(entry.pages ?? []).length > 0 && html`<ul>${entry.pages?.map(page)}</ul>`}</li>`
      : page(entry),
  )}</ul>`;
}

/** A book's contents beside a screen that shows a chapter or page of it: the part that has it, with links to those on the book's screen. */
export function bookAside(
  { slot, web }: { readonly web: Pick<Web, "parts"> } & Pick<PluginContext, "slot">,
  book: Book,
  current: string,
  ui: Ui,
): Html {
  const contents: readonly Entry[] = book.contents;
  const part = partOf(
    contents,
    partWith(contents, (entry) => pathIn(book, entry) === current),
  );
  return html`<nav aria-label="${ui.t("Book contents")}"><p><a class="aside-title" href="${ui.url(bookPath(book))}">${ui.icon("book")} <strong>${book.name}</strong></a></p>${searchWithin("book", book.id, ui)}
<details class="fold" open><summary>${ui.t("Contents")}</summary>${contentsTree({ slot }, book, part.entries, current, ui)}${partLinks(web, bookPath(book), part, ui)}</details></nav>`;
}
