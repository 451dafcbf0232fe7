import { type Answers, type ContentKind, type KindLabels, kindLabels, type Searchable } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

/** A result of the search. */
export type Found = Answers["/api/search"]["data"][number];

/** A kind of content and how it is called, in English. */
export interface NamedKind extends KindLabels {
  readonly kind: string;
}

/** Data of the screen. */
export interface SearchData {
  readonly query: string;
  /** The chosen kind; "" for all. */
  readonly type: string;
  readonly kinds: readonly NamedKind[];
  readonly found: readonly Found[];
  readonly total: number;
  readonly pager: Html;
}

/** Kinds in the order of the filter; those of plugins follow. */
const FIRST = ["page", "chapter", "book", "bookshelf"];

/** The kinds that are searched, with their labels. */
function searchedKinds(kinds: readonly ContentKind[], searchable: readonly Searchable[]): NamedKind[] {
  const position = ({ kind }: ContentKind) => (FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length);
  return kinds
    .filter(({ kind }) => searchable.some((each) => each.kind === kind))
    .sort((a, b) => position(a) - position(b))
    .map(({ kind }) => ({ kind, ...kindLabels(kinds, kind) }));
}

/** Mounts the search. Links of results lose `baseUrl`, so that they stay on the host that the reader uses. */
export function mountSearch({ baseUrl, app, slot, web }: ReadingContext): void {
  const view = web.view("reading/search", ({ query, type, kinds, found, total, pager }, ui) => {
    const { t } = ui;
    const options = [["", t("Everything")] as const, ...kinds.map(({ kind, many }) => [kind, t(many)] as const)];
    const about = ({ type: name, book }: Found) => {
      const { one } = kinds.find(({ kind }) => kind === name) ?? { one: name };
      return html` <span class="quiet">${t(one)}${book && ` · ${book.name}`}</span>`;
    };
    const iconOf = ({ type: name }: Found) => ui.icon(kinds.find(({ kind }) => kind === name)?.icon ?? "page");
    return html`<h1>${t("Search")}</h1>
<form class="filters" method="get" action="${ui.url("/search")}" aria-label="${t("Search in all content")}">${web.parts.field(ui, { name: "query", label: t("Search terms"), value: query, type: "search" })}
${web.parts.field(ui, { name: "type", label: t("Type"), type: "select", value: type, options })}<button>${t("Search")}</button></form>
${query !== "" && html`<p role="status">${total === 1 ? t("One result") : t(":total results", { total })}</p>`}
${query !== "" && total === 0 && html`<p class="empty">${t("Try fewer or different terms. Each matches words that begin with it.")}${type !== "" && html` <a href="${ui.url(`/search?query=${encodeURIComponent(query)}`)}">${t("Search everything")}</a>`}</p>`}
<ul class="results">${found.map(
      (each) =>
        html`<li><a href="${each.url.startsWith(baseUrl) ? ui.url(each.url.slice(baseUrl.length)) : each.url}">${iconOf(each)} ${ui.raw(each.preview_html.name)}</a>${about(each)}<p>${ui.raw(each.preview_html.content)}</p></li>`,
    )}</ul>${pager}`;
  });
  web.screen(app.site, "/search", "reader", async (visit) => {
    const { ui } = visit;
    const query = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    const kinds = searchedKinds(slot("content"), slot("searchable"));
    const type = kinds.find(({ kind }) => kind === visit.query.type)?.kind ?? "";
    const { page, size } = web.paged(visit.query);
    const search = new URLSearchParams({
      query: type === "" ? query : `${query} {type:${type}}`,
      page: String(page),
      count: String(size),
    });
    const { data, total } = query === "" ? { data: [], total: 0 } : await visit.get(`/api/search?${search}`);
    const pager = web.parts.pager(ui, { path: "/search", query: visit.query, total, page, size });
    const title = query === "" ? ui.t("Search") : ui.t("Search for “:query”", { query });
    return { title, menu: "/search", body: view({ query, type, kinds, found: data, total, pager }, ui) };
  });
}
