import { bookPath, pagePath, shelfPath } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ListedPage } from "./api_types.ts";
import { type Tile, tiles } from "./containers.ts";
import type { ReadingContext } from "./contract.ts";

/** Data of the screen. */
export interface HomeData {
  readonly pages: readonly ListedPage[];
  readonly books: readonly Tile[];
  readonly shelves: readonly Tile[];
  readonly added: Html;
}

const RECENT = 8;

/** Mounts the home page: shelves, books and recently updated pages. */
export function mountHome({ app, web }: ReadingContext): void {
  const home = web.view("reading/home", ({ pages, books, shelves, added }, ui) => {
    const { t } = ui;
    if (pages.length + books.length + shelves.length === 0)
      return html`<h1>${t("Welcome")}</h1><p>${t("There is no content yet.")}</p>${
        (ui.may("book-create-all") || ui.may("book-create-own")) &&
        ui.serves("/create-book") &&
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
  web.screen(app.site, "/", "reader", async (visit) => {
    const [pages, books, shelves] = await Promise.all([
      visit.get(`/api/pages?sort=-updated_at&filter[draft]=false&count=${RECENT}`),
      visit.get(`/api/books?sort=-updated_at&count=${RECENT}`),
      visit.get(`/api/shelves?sort=name&count=${RECENT}`),
    ]);
    const added = html`${await web.addedParts("home/below", undefined, visit)}`;
    const data = { pages: pages.data, books: books.data, shelves: shelves.data, added };
    return { title: visit.ui.t("Welcome"), body: home(data, visit.ui) };
  });
}
