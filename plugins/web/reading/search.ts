/**
 * The screen of the search. Everything about a search is in its address (`search_state.ts`); filters are added and taken out by links, and
 * by a form. It asks the API for its better mode, which corrects words, shows passages and counts what narrows a search down; an engine of a
 * plugin may answer without these.
 */
import {
  type Answers,
  type ContentKind,
  type KindLabels,
  kindLabels,
  type Searchable,
  type Ui,
  type Visit,
} from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ReadingContext } from "./contract.ts";
import { textWithMarkup } from "./item_details.ts";
import { chipList, type Facets, type FilterNames, type Found, facetGroups } from "./search_chips.ts";
import { withExactWords } from "./search_parts.ts";
import {
  apiQuery,
  fieldsOf,
  hasFilters,
  isSearch,
  ORDERS,
  type SearchState,
  searchPath,
  stateOf,
  withoutFilters,
} from "./search_state.ts";

/** A kind of content and how it is called, in English. */
export interface NamedKind extends KindLabels {
  readonly kind: string;
}

/** The answer of the API. */
type Answer = Answers["/api/search"];

/** Data of the screen. */
export interface SearchData {
  readonly state: SearchState;
  readonly names: FilterNames;
  readonly kinds: readonly NamedKind[];
  readonly found: readonly Found[];
  readonly total: number;
  /** Whether there are more than `total`. */
  readonly isLowerBound: boolean;
  /** Whether the book or shelf of the search made no difference, as of an engine that answers no facets. */
  readonly isEverywhere: boolean;
  /** What was searched for instead of words that nothing contains. */
  readonly corrected: Answer["corrected"];
  readonly authors: Facets["authors"];
  readonly pager: Html;
}

/** Kinds in the order of the filter; those of plugins follow. */
const FIRST = ["page", "chapter", "book", "bookshelf"];
const ORDER_TEXTS: Readonly<Record<(typeof ORDERS)[number], string>> = {
  relevance: "Best first",
  updated: "Changed last first",
  created: "Newest first",
  name: "By name",
};
const NOBODY: Answer = { data: [], total: 0 };

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
  const own = (url: string, ui: Ui) => (url.startsWith(`${baseUrl}/`) ? ui.url(url.slice(baseUrl.length)) : url);
  const view = web.view("reading/search", (data, ui) => {
    const { state, names, kinds, found, total, isLowerBound, isEverywhere, pager } = data;
    const { t } = ui;
    const count = isLowerBound ? t("More than :total results", { total }) : t(":total results", { total });
    return html`<h1>${t("Search")}</h1>
${form(data, ui)}
${chipList(state, names, kinds, ui)}
${correction(data, ui)}
${isEverywhere && web.parts.notice(ui, "note", t("This search engine does not search within a book or shelf: results are from everywhere."))}
${isSearch(state) && html`<p role="status">${count}</p>`}
${isSearch(state) && total === 0 && nothingFound(state, ui)}
<ul class="results">${found.map((each) => result(each, kinds, ui))}</ul>${pager}
${help(ui)}`;
  });

  function form({ state, kinds, authors }: SearchData, ui: Ui): Html {
    const { t } = ui;
    const { field } = web.parts;
    const several = state.type.includes("|");
    const types = (several ? state.type.split("|") : []).map((kind) =>
      t(kinds.find((one) => one.kind === kind)?.many ?? kind),
    );
    const options = [
      ["", t("Everything")] as const,
      ...(several ? [[state.type, types.join(", ")] as const] : []),
      ...kinds.map(({ kind, many }) => [kind, t(many)] as const),
    ];
    const shown = new Set(["query", "type", "sort", "author", "after", "before"]);
    const hidden = Object.entries(fieldsOf(state)).filter(([name]) => !shown.has(name));
    const isKnown = state.author === "" || authors.some(({ slug }) => slug === state.author);
    const people = [
      ["", t("Everybody")] as const,
      ...(isKnown ? [] : [[state.author, state.author] as const]),
      ...authors.map(({ slug, name }) => [slug, name] as const),
    ];
    const isOpen = state.author !== "" || state.after !== "" || state.before !== "";
    return html`<form class="filters search-form" method="get" action="${ui.url("/search")}" aria-label="${t("Search in all content")}">${hidden.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}${field(ui, { name: "query", label: t("Search terms"), value: state.query, type: "search" })}
${field(ui, { name: "type", label: t("Type"), type: "select", value: state.type, options })}
${field(ui, { name: "sort", label: t("Order"), type: "select", value: state.order, options: ORDERS.map((order) => [order, t(ORDER_TEXTS[order])] as const) })}<button>${t("Search")}</button>
<details class="more-filters"${isOpen && html` open`}><summary>${t("More filters")}</summary><div class="filters">
${people.length > 1 && field(ui, { name: "author", label: t("Created by"), type: "select", value: state.author, options: people })}
${field(ui, { name: "after", label: t("Changed since"), type: "date", value: state.after })}
${field(ui, { name: "before", label: t("Changed before"), type: "date", value: state.before })}</div></details></form>`;
  }

  function correction({ state, corrected }: SearchData, ui: Ui): Html {
    if (!corrected) return html``;
    if (corrected.words.length === 0) {
      const words = ui.t("Nothing has such a tag. Its words were searched for: :words", { words: corrected.query });
      return web.parts.notice(ui, "note", words);
    }
    const typed = corrected.words.map((word) => word.typed);
    const exactly = { ...state, query: withExactWords(state.query, typed) };
    const used = html`<strong>${corrected.words.map((word) => word.used).join(" ")}</strong>`;
    const [bad, link] = [typed.join(" "), ui.t("Search for “:words” exactly", { words: typed.join(" ") })];
    return html`<p class="notice note corrected">${textWithMarkup(ui, "Searched for :used instead of :typed.", { used, typed: html`<q>${bad}</q>` })} <a href="${ui.url(searchPath(exactly))}">${link}</a></p>`;
  }

  function nothingFound(state: SearchState, ui: Ui): Html {
    const { t } = ui;
    return html`<p class="empty">${state.query !== "" && html`${t("Nothing was found for “:query”.", { query: state.query })} `}${t("Try fewer or different terms. Each matches words that begin with it.")}${
      hasFilters(state) && html` <a href="${ui.url(searchPath(withoutFilters(state)))}">${t("Search everything")}</a>`
    }</p>`;
  }

  function result(each: Found, kinds: readonly NamedKind[], ui: Ui): Html {
    const { one, icon = "page" } = kinds.find(({ kind }) => kind === each.type) ?? { one: each.type };
    const passages = each.passages && each.passages.length > 0 ? each.passages : [each.preview_html.content];
    const files = each.attachments ?? [];
    return html`<li><a href="${own(each.url, ui)}">${ui.icon(icon)} ${ui.raw(each.preview_html.name)}</a> <span class="quiet">${ui.t(one)}${each.book && ` · ${each.book.name}`}</span>${passages.map(
      (passage) => html`<p>${ui.raw(passage)}</p>`,
    )}${
      files.length > 0 &&
      html`<ul class="found-files" aria-label="${ui.t("Attachments")}">${files.map(
        ({ name, url, passages: inside }) =>
          html`<li><a href="${own(url, ui)}">${ui.icon("attachment")} ${name}</a>${inside.map((passage) => html`<p>${ui.raw(passage)}</p>`)}</li>`,
      )}</ul>`
    }</li>`;
  }

  web.screen(app.site, "/search", "reader", async (visit) => {
    const { ui } = visit;
    const kinds = searchedKinds(slot("content"), slot("searchable"));
    const state = stateOf(
      visit.query,
      kinds.map(({ kind }) => kind),
    );
    const { page, size } = web.paged(visit.query);
    const [answer, names] = await Promise.all([
      isSearch(state) ? visit.get(`/api/search?${apiQuery(state, { page, size })}`) : NOBODY,
      namesOf(visit, state),
    ]);
    const { data, total, total_is_lower_bound, corrected, facets } = answer;
    const pager = web.parts.pager(ui, { path: "/search", query: fieldsOf(state), total, page, size });
    const title = state.query === "" ? ui.t("Search") : ui.t("Search for “:query”", { query: state.query });
    const shown = { state, names, kinds, found: data, total, isLowerBound: total_is_lower_bound === true, pager };
    const isEverywhere = (state.book !== undefined || state.shelf !== undefined) && facets === undefined;
    const body = view({ ...shown, isEverywhere, corrected, authors: facets?.authors ?? [] }, ui);
    return { title, menu: "/search", aside: facetGroups(facets, state, kinds, ui), body };
  });
}

/** The names of what filters refer to, as far as the reader sees it. */
async function namesOf(visit: Visit, { book, shelf, author }: SearchState): Promise<FilterNames> {
  const [inBook, onShelf, person] = await Promise.all([
    book === undefined ? undefined : visit.findItem("book", { id: book }),
    shelf === undefined ? undefined : visit.findItem("bookshelf", { id: shelf }),
    author === "" ? undefined : visit.find(`/api/people/${encodeURIComponent(author)}`),
  ]);
  return { book: inBook?.name, shelf: onShelf?.name, author: person?.name };
}

/** The signs that a query may have. */
function help({ t }: Ui): Html {
  const signs = [
    ['"exact text"', t("These words, next to each other and spelt so")],
    ["[team] [team=ops]", t("What has a tag, or a tag with a value")],
    ["{type:page|chapter}", t("One kind of content, or several")],
    ["{created_by:ada} {updated_by:me}", t("Who created or changed it")],
    ["{updated_after:2026-01-31}", t("When it was changed; also updated_before, created_after and created_before")],
    ['-"text" -[tag] -{type:page}', t("A minus before one of these leaves out what has it")],
  ] as const;
  return html`<details class="search-help"><summary>${t("How to search")}</summary><dl>${signs.map(
    ([sign, text]) => html`<div><dt><code dir="ltr">${sign}</code></dt><dd>${text}</dd></div>`,
  )}</dl></details>`;
}
