/**
 * Where readers arrive, where they search, and who the people are whose names stand below pages. What was changed of late is
 * found by listings, and what somebody made by their filters, so nobody learns of what they may not see; people are known by
 * their names alone.
 */
import { bookPath, pagePath, shelfPath, type Visit, type Web } from "lectern/contracts";
import { type Html, html, type PluginContext } from "lectern/core";
import type { Book, Cover, Item, Listing } from "./api_types.ts";
import { tiles } from "./containers.ts";

interface Recent extends Item {
  readonly book_slug: string;
}

interface Tile extends Item {
  readonly cover?: Cover | null;
}

interface HomeData {
  readonly pages: readonly Recent[];
  readonly books: readonly Tile[];
  readonly shelves: readonly Tile[];
  readonly added: Html;
}

interface Found {
  readonly id: number;
  readonly type: string;
  readonly url: string;
  readonly preview_html: { readonly name: string; readonly content: string };
  readonly book?: { readonly name: string };
  readonly updated_at: string;
}

interface SearchData {
  readonly query: string;
  readonly type: string;
  readonly found: readonly Found[];
  readonly total: number;
  readonly pager: Html;
}

const RECENT = 8;
const TYPES = ["page", "chapter", "book", "bookshelf"] as const;

/** Mounts the screens. `baseUrl`: the address that the API's own addresses begin with. */
export function mountHome({ site, baseUrl }: Pick<PluginContext, "site" | "baseUrl">, web: Web): void {
  const home = web.view<HomeData>("reading/home", ({ pages, books, shelves, added }, ui) => {
    const { t } = ui;
    if (pages.length + books.length + shelves.length === 0)
      return html`<h1>${t("Welcome")}</h1><p>${t("There is no content yet.")}</p>${
        (ui.may("book-create-all") || ui.may("book-create-own")) &&
        html`<p><a role="button" href="${ui.url("/create-book")}">${ui.icon("plus")} ${t("Create the first book")}</a></p>`
      }${added}`;
    return html`<h1>${t("Welcome")}</h1>
${shelves.length > 0 && html`<section aria-labelledby="home-shelves"><h2 id="home-shelves">${t("Shelves")}</h2>${tiles(shelves, "shelf", shelfPath, ui)}</section>`}
<section aria-labelledby="home-books"><h2 id="home-books">${t("Books")}</h2>${tiles(books, "book", bookPath, ui)}${
      books.length === RECENT && html`<p><a href="${ui.url("/books")}">${t("All books")}</a></p>`
    }</section>
${
  pages.length > 0 &&
  html`<section aria-labelledby="home-pages"><h2 id="home-pages">${t("Recently updated")}</h2><ul class="recent">${pages.map(
    ({ name, slug, book_slug, updated_at }) =>
      html`<li><a href="${ui.url(pagePath({ slug: book_slug }, { slug }))}">${ui.icon("page")} ${name}</a> <span class="quiet">${ui.time(updated_at)}</span></li>`,
  )}</ul></section>`
}${added}`;
  });
  web.screen(site, "/", "reader", async (visit) => {
    const [pages, books, shelves] = await Promise.all([
      visit.get<Listing<Recent>>(`/api/pages?sort=-updated_at&filter[draft]=false&count=${RECENT}`),
      visit.get<Listing<Tile>>(`/api/books?sort=-updated_at&count=${RECENT}`),
      visit.get<Listing<Tile>>(`/api/shelves?sort=name&count=${RECENT}`),
    ]);
    const added = html`${await web.addedParts("home/below", undefined, visit)}`;
    const data = { pages: pages.data, books: books.data, shelves: shelves.data, added };
    return { title: visit.ui.t("Welcome"), body: home(data, visit.ui) };
  });
  mountSearch(site, web, baseUrl);
  mountPeople(site, web);
}

type Site = PluginContext["site"];

function mountSearch(site: Site, web: Web, baseUrl: string): void {
  const view = web.view<SearchData>("reading/search", ({ query, type, found, total, pager }, ui) => {
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

interface Person {
  readonly id: number;
  readonly name: string;
  readonly created_at: string;
}

function mountPeople(site: Site, web: Web): void {
  interface Data {
    readonly person: Person;
    readonly pages: readonly Item[];
    readonly books: readonly Item[];
  }
  const view = web.view<Data>("reading/person", ({ person, pages, books }, ui) => {
    const list = (title: string, items: readonly Item[], pathOf: (item: Item) => string, icon: string) =>
      items.length > 0 &&
      html`<h2>${title}</h2><ul class="recent">${items.map((item) => html`<li><a href="${ui.url(pathOf(item))}">${ui.icon(icon)} ${item.name}</a></li>`)}</ul>`;
    return html`<h1>${person.name}</h1>
${list(ui.t("Books"), books, bookPath, "book")}${list(ui.t("Pages"), pages, ({ id }) => `/link/${id}`, "page")}
${pages.length + books.length === 0 && html`<p class="empty">${ui.t("No content that you can view.")}</p>`}`;
  });
  web.screen(site, "/user/:slug", "reader", async (visit) => {
    const person = await personOf(visit);
    const made = (segment: string) =>
      visit.get<Listing<Book>>(`/api/${segment}?sort=-created_at&count=${RECENT}&filter[created_by]=${person.id}`);
    const [pages, books] = await Promise.all([made("pages"), made("books")]);
    return { title: person.name, body: view({ person, pages: pages.data, books: books.data }, visit.ui) };
  });
}

/** The user of the address. Only those who manage users may list them; everybody knows whose name stands below a page. */
async function personOf(visit: Visit): Promise<Person> {
  return visit.get<Person>(`/api/people/${encodeURIComponent(visit.params.slug ?? "")}`);
}
