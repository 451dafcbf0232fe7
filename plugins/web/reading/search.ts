import { type Html, html } from "lectern/core";
import type { Listing } from "./api_types.ts";
import type { ReadingContext } from "./contract.ts";

/** A result of the search. */
export interface Found {
  readonly id: number;
  readonly type: string;
  readonly url: string;
  readonly preview_html: { readonly name: string; readonly content: string };
  readonly book?: { readonly name: string };
  readonly updated_at: string;
}

/** Data of the screen. */
export interface SearchData {
  readonly query: string;
  readonly type: string;
  readonly found: readonly Found[];
  readonly total: number;
  readonly pager: Html;
}

const TYPES = ["page", "chapter", "book", "bookshelf"] as const;

/** Mounts the search. Links of results lose `baseUrl`, so that they stay on the host that the reader uses. */
export function mountSearch({ baseUrl, site, web }: ReadingContext): void {
  const view = web.view("reading/search", ({ query, type, found, total, pager }, ui) => {
    const { t } = ui;
    const names = { page: t("Pages"), chapter: t("Chapters"), book: t("Books"), bookshelf: t("Shelves") };
    const options = [["", t("Everything")] as const, ...TYPES.map((each) => [each, names[each]] as const)];
    return html`<h1>${t("Search")}</h1>
<form class="filters" method="get" action="${ui.url("/search")}" aria-label="${t("Search in all content")}">${web.parts.field(ui, { name: "query", label: t("Search terms"), value: query, type: "search" })}
${web.parts.field(ui, { name: "type", label: t("Type"), type: "select", value: type, options })}<button>${t("Search")}</button></form>
${query !== "" && html`<p role="status">${total === 1 ? t("One result") : t(":total results", { total })}</p>`}
${query !== "" && total === 0 && html`<p class="empty">${t("Try fewer or different terms. Each matches words that begin with it.")}${type !== "" && html` <a href="${ui.url(`/search?query=${encodeURIComponent(query)}`)}">${t("Search everything")}</a>`}</p>`}
<ul class="results">${found.map(
      (each) =>
        html`<li><a href="${each.url.startsWith(baseUrl) ? ui.url(each.url.slice(baseUrl.length)) : each.url}">${ui.icon(each.type === "bookshelf" ? "shelf" : each.type)} ${ui.raw(each.preview_html.name)}</a>${each.book && html` <span class="quiet">${each.book.name}</span>`}<p>${ui.raw(each.preview_html.content)}</p></li>`,
    )}</ul>${pager}`;
  });
  web.screen(site, "/search", "reader", async (visit) => {
    const { ui } = visit;
    const query = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    const type = TYPES.find((each) => each === visit.query.type) ?? "";
    const { page, size } = web.paged(visit.query);
    const search = new URLSearchParams({
      query: type === "" ? query : `${query} {type:${type}}`,
      page: String(page),
      count: String(size),
    });
    const { data, total } =
      query === "" ? { data: [], total: 0 } : await visit.get<Listing<Found>>(`/api/search?${search}`);
    const pager = web.parts.pager(ui, { path: "/search", query: visit.query, total, page, size });
    const title = query === "" ? ui.t("Search") : ui.t("Search for “:query”", { query });
    return { title, menu: "/search", body: view({ query, type, found: data, total, pager }, ui) };
  });
}
