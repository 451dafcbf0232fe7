/**
 * Pieces that several screens of reading share: a book's contents, what an item is and when it changed, and what a reader
 * may do with it. Which acts are offered follows roles and ownership alone; the API has the last word on each.
 */
import { bookPath, chapterPath, pagePath, type Tag, type Ui } from "lectern/contracts";
import { type Html, type HtmlPart, html } from "lectern/core";
import type { Book, Entry, Item } from "./api_types.ts";

/** The path of a page in a list; a draft leads to where it is written. */
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

/** Tags as links to what has them too. */
export function tagList(tags: readonly Tag[] | undefined, ui: Ui): Html {
  if (!tags || tags.length === 0) return html``;
  const search = ({ name, value }: Tag) =>
    `/search?query=${encodeURIComponent(`[${name}${value === "" ? "" : `=${value}`}]`)}`;
  return html`<ul class="tags" aria-label="${ui.t("Tags")}">${tags.map(
    (tag) =>
      html`<li><a href="${ui.url(search(tag))}">${ui.icon("tag")} ${tag.name}${tag.value !== "" && html`: <span>${tag.value}</span>`}</a></li>`,
  )}</ul>`;
}

/** A text of the catalogue with markup in its places. */
export function textWithMarkup(ui: Ui, text: string, places: Readonly<Record<string, HtmlPart>>): Html {
  // Places are found again by signs that no text holds.
  const marks = Object.fromEntries(Object.keys(places).map((name) => [name, `\u0001${name}\u0001`]));
  const parts = ui.t(text, marks).split("\u0001");
  return html`${parts.map((part, index) => (index % 2 === 1 ? places[part] : part))}`;
}

/** Who made and changed an item, and when. */
export function history(item: Item, ui: Ui): Html {
  const who = (user: Item["created_by"]) =>
    user ? html`<a href="${ui.url(`/user/${encodeURIComponent(user.slug)}`)}">${user.name}</a>` : ui.t("Unknown user");
  const made = { when: ui.time(item.created_at), who: who(item.created_by) };
  const changed = { when: ui.time(item.updated_at), who: who(item.updated_by) };
  return html`<p class="quiet history">${ui.icon("history")} ${textWithMarkup(ui, "Created :when by :who", made)} · ${textWithMarkup(ui, "Changed :when by :who", changed)}</p>`;
}

/** A description as the API shows it. */
export function description({ description_html, description: words }: Item, ui: Ui): Html {
  if (description_html === undefined || (words ?? "") === "") return html``;
  return html`<div class="description page-content">${ui.raw(description_html)}</div>`;
}

/** What can be done with an item, by those whose roles let them. */
export interface PageAction {
  readonly path: string;
  readonly text: string;
  readonly icon: string;
  readonly may: boolean;
  readonly isDialog?: boolean;
}

/** Acts as a row of links; the rare ones in a menu of their own. */
export function actions(actionList: readonly PageAction[], more: readonly PageAction[], ui: Ui): Html {
  const link = ({ path, text, icon, isDialog }: PageAction) =>
    html`<a href="${ui.url(path)}"${isDialog && html` data-dialog`}>${ui.icon(icon)} ${text}</a>`;
  const rare = more.filter(({ may }) => may);
  return html`<div class="actions">${actionList
    .filter(({ may }) => may)
    .map(
      ({ path, text, icon }) =>
        html`<a role="button" class="small secondary outline" href="${ui.url(path)}">${ui.icon(icon)} ${text}</a>`,
    )}${
    rare.length > 0 &&
    html`<details class="dropdown"><summary role="button" class="small secondary outline">${ui.icon("menu")} ${ui.t("More")}</summary><ul>${rare.map((action) => html`<li>${link(action)}</li>`)}</ul></details>`
  }</div>`;
}

/** A place that holds nothing, and the next step for those who may take it. */
export function nothingYet(text: string, steps: readonly PageAction[], ui: Ui): Html {
  const open = steps.filter(({ may }) => may);
  return html`<div class="empty"><p>${text}</p>${
    open.length > 0 &&
    html`<p class="actions">${open.map((step) => html`<a role="button" href="${ui.url(step.path)}">${ui.icon(step.icon)} ${step.text}</a>`)}</p>`
  }</div>`;
}

/** Whether the reader's roles let them do something with an item: all of its kind, or their own. */
export function mayDo(ui: Ui, permission: string, item: Pick<Item, "owned_by">): boolean {
  return ui.may(`${permission}-all`) || (ui.may(`${permission}-own`) && item.owned_by?.id === ui.viewer.id);
}

/** The formats an item leaves in. */
export function exportActions(path: string, ui: Ui): PageAction[] {
  const may = ui.may("content-export");
  return (
    [
      ["html", ui.t("Export as HTML")],
      ["pdf", ui.t("Export as PDF")],
      ["markdown", ui.t("Export as Markdown")],
      ["plaintext", ui.t("Export as text")],
      ["zip", ui.t("Export as portable ZIP")],
    ] as const
  ).map(([format, text]) => ({ path: `${path}/export/${format}`, text, icon: "export", may }));
}
