/**
 * The home screen. `/` leads to what the user or the instance has chosen: the overview at `/home`, a listing, a page or a shelf. The overview has
 * a card for each list of the reader's work, then shelves and books; visitors see what was changed last instead. An instance without content
 * shows what to begin with.
 */
import { type Answers, bookPath, pagePath, type Screen, shelfPath, type Ui, type Visit } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { ListedPage } from "./api_types.ts";
import { type Tile, tiles } from "./containers.ts";
import type { ReadingContext } from "./contract.ts";
import { HOME_LISTS, type HomeList, homeEntries, homeItemPath, readHomeList } from "./home_lists.ts";
import { drawStart } from "./home_start.ts";

/** Data of the screen. */
export interface HomeData {
  /** Pages that were changed last, for visitors and where there are no lists. */
  readonly pages: readonly ListedPage[];
  readonly books: readonly Tile[];
  readonly shelves: readonly Tile[];
  /** Lists of the reader's work. */
  readonly lists: readonly HomeList[];
  /** What to begin with, where there is no content. */
  readonly start: Html;
  readonly added: Html;
}

const RECENT = 8;
/** Entries of a card. */
const IN_CARD = 5;

/** Lists that are shown without entries, too, and say how they get some. */
const TELLS_HOW: ReadonlySet<string> = new Set(["favourites", "recently-viewed"]);

/** Mounts the home page. */
export function mountHome(context: ReadingContext): void {
  const { app, web } = context;
  const home = web.view("reading/home", drawHome);
  const start = web.view("reading/home_start", (data, ui) => drawStart(web, data, ui));
  const overview = async (visit: Visit): Promise<Screen> => {
    const names = visit.ui.isSignedIn ? HOME_LISTS.filter((name) => visit.ui.serves(`/api/${name}`)) : [];
    const [pages, books, shelves, ...lists] = await Promise.all([
      names.includes("activity")
        ? undefined
        : visit.get(`/api/pages?sort=-updated_at&filter[draft]=false&count=${RECENT}`),
      visit.get(`/api/books?sort=-updated_at&count=${RECENT}`),
      visit.get(`/api/shelves?sort=name&count=${RECENT}`),
      ...names.map((name) => readHomeList(context, visit, name, `count=${IN_CARD}`)),
    ]);
    const added = html`${await web.addedParts("home/below", undefined, visit)}`;
    const hasMigrate = context.runtime.plugins().some(({ plugin }) => Object.hasOwn(plugin.commands, "migrate-from"));
    const data: HomeData = {
      ...{ pages: pages?.data ?? [], books: books.data, shelves: shelves.data, lists, added },
      start: start({ baseUrl: context.baseUrl, hasMigrate }, visit.ui),
    };
    return { title: visit.ui.t("Welcome"), menu: "/", body: home(data, visit.ui) };
  };
  web.screen(app.site, "/home", "reader", overview);
  web.screen(app.site, "/", "reader", async (visit) => {
    const chosen = visit.ui.serves("/api/home") ? await visit.get("/api/home") : undefined;
    const path = chosen && pathOf(context, chosen);
    return path === undefined ? overview(visit) : visit.goTo(path);
  });
}

/** The path that a choice leads to; undefined for the overview. */
function pathOf(context: ReadingContext, { shows, item }: Answers["/api/home"]): string | undefined {
  if (item) return homeItemPath(context, item);
  if (shows === "books") return "/books";
  return shows === "bookshelves" ? "/shelves" : undefined;
}

function drawHome({ pages, books, shelves, lists, start, added }: HomeData, ui: Ui): Html {
  const { t } = ui;
  if (pages.length + books.length + shelves.length === 0) return html`<h1>${t("Welcome")}</h1>${start}${added}`;
  const cards = lists.filter(({ name, entries }) => TELLS_HOW.has(name) || entries.length > 0);
  return html`<h1>${t("Welcome")}</h1>
${cards.length > 0 && html`<div class="cards">${cards.map((list) => card(list, ui))}</div>`}
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
}

function card({ name, title, icon, empty, entries, total }: HomeList, ui: Ui): Html {
  const id = `home-${name}`;
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${ui.icon(icon)} ${title}</h2>${
    entries.length === 0 ? html`<p class="quiet">${empty}</p>` : homeEntries(entries)
  }${total > entries.length && html`<p class="more"><a href="${ui.url(`/home/${name}`)}" aria-describedby="${id}">${ui.t("Show all")}</a></p>`}</section>`;
}
