/**
 * The lists of the home screen, each with how an entry is drawn: a card of the overview shows the first entries, a screen of its own all of them, in
 * pages. They are read from the API, one request for each; a list whose plugin is left out is not shown.
 */
import { type Answers, activityDescription, type Ui, type Visit } from "lectern/contracts";
import { ApiError, type Html, type HtmlPart, html } from "lectern/core";
import type { ReadingContext } from "./contract.ts";

/** An item that a list names. */
export type HomeItem = Answers["/api/favourites"]["data"][number] | Answers["/api/activity"]["data"][number]["item"];

/** The names of the lists, as in the paths of their screens. */
export type HomeListName = "activity" | "drafts" | "favourites" | "most-viewed" | "recently-viewed";

/** Entries of a list, drawn, and how many all of it has. */
export interface HomeList {
  readonly name: HomeListName;
  /** Translated, as the text of an empty list is. */
  readonly title: string;
  readonly icon: string;
  readonly empty: string;
  readonly entries: readonly Html[];
  readonly total: number;
}

interface ListTexts {
  readonly title: string;
  readonly icon: string;
  readonly empty: string;
}

const TEXTS: Readonly<Record<HomeListName, ListTexts>> = {
  drafts: { title: "Continue writing", icon: "edit", empty: "You have no drafts." },
  "recently-viewed": { title: "Recently viewed", icon: "eye", empty: "You have not opened anything yet." },
  favourites: {
    title: "Favourites",
    icon: "star",
    empty: "Mark pages, chapters, books and shelves with the star, and you find them here.",
  },
  activity: { title: "Recent activity", icon: "history", empty: "Nothing has been done yet to what you can view." },
  "most-viewed": { title: "Most viewed", icon: "chart", empty: "Views are counted every ten minutes." },
};

/** The lists in the order of their cards. */
export const HOME_LISTS: readonly HomeListName[] = [
  "drafts",
  "recently-viewed",
  "favourites",
  "activity",
  "most-viewed",
];

/** Entries of a screen. */
const PAGE_SIZE = 30;

/** The icon of a kind. */
const ICONS: Readonly<Record<string, string>> = { page: "page", chapter: "chapter", book: "book", bookshelf: "shelf" };

/** Reads a list for the reader. `query` is that of the API. */
export async function readHomeList(
  context: ReadingContext,
  visit: Visit,
  name: HomeListName,
  query: string,
): Promise<HomeList> {
  const { title, icon, empty } = TEXTS[name];
  const { ui } = visit;
  const { entries, total } = await READERS[name](context, visit, query);
  return { name, title: ui.t(title), icon, empty: ui.t(empty), entries, total };
}

/** Mounts the screens of whole lists. */
export function mountHomeLists(context: ReadingContext): void {
  const { app, web } = context;
  const view = web.view("reading/home_list", ({ list, pager }, ui) => {
    const shown = list.entries.length === 0 ? html`<p class="empty">${list.empty}</p>` : homeEntries(list.entries);
    return html`<h1>${ui.icon(list.icon)} ${list.title}</h1>${shown}${pager}`;
  });
  web.screen(app.site, "/home/:list", "user", async (visit) => {
    const name = HOME_LISTS.find((each) => each === visit.params.list);
    if (name === undefined || !visit.ui.serves(`/api/${name}`)) throw new ApiError(404, "The list was not found");
    const { page, size, query } = web.paged(visit.query, PAGE_SIZE);
    const list = await readHomeList(context, visit, name, query);
    const path = `/home/${name}`;
    const pager = web.parts.pager(visit.ui, { path, query: {}, total: list.total, page, size });
    const crumbs = [{ text: visit.ui.t("Overview"), path: "/home" }, { text: list.title }];
    return { title: list.title, crumbs, menu: "/", body: view({ list, pager }, visit.ui) };
  });
}

/** Entries as a list. */
export function homeEntries(entries: readonly Html[]): Html {
  return html`<ul class="recent home-list">${entries.map((entry) => html`<li>${entry}</li>`)}</ul>`;
}

/** The path of an item's screen. */
export function homeItemPath({ baseUrl }: Pick<ReadingContext, "baseUrl">, { url }: Pick<HomeItem, "url">): string {
  return url.slice(baseUrl.length);
}

type Reader = (
  context: ReadingContext,
  visit: Visit,
  query: string,
) => Promise<{ readonly entries: readonly Html[]; readonly total: number }>;

const READERS: Readonly<Record<HomeListName, Reader>> = {
  async favourites(context, visit, query) {
    const { data, total } = await visit.get(`/api/favourites?${query}`);
    return { entries: data.map((item) => itemEntry(context, item, [], visit.ui)), total };
  },
  async "recently-viewed"(context, visit, query) {
    const { data, total } = await visit.get(`/api/recently-viewed?${query}`);
    return { entries: data.map((item) => itemEntry(context, item, [visit.ui.time(item.viewed_at)], visit.ui)), total };
  },
  async "most-viewed"(context, visit, query) {
    const { ui } = visit;
    const { data, total } = await visit.get(`/api/most-viewed?${query}`);
    const views = (count: number) => ui.t(":count views", { count });
    return { entries: data.map((item) => itemEntry(context, item, [views(item.views)], ui)), total };
  },
  async drafts(context, visit, query) {
    const { ui } = visit;
    const { data, total } = await visit.get(`/api/drafts?${query}`);
    const entries = data.map((draft) => {
      const { item, name } = draft;
      const isNew = draft.kind !== "page";
      const shown = name.trim() === "" ? ui.t("New page") : name;
      const place = isNew ? ui.t("New page in “:name”", { name: item.name }) : (item.book?.name ?? item.name);
      return entry(draftPath(context, draft), "edit", shown, [place, ui.time(draft.updated_at)], ui);
    });
    return { entries, total };
  },
  async activity(context, visit, query) {
    const { ui } = visit;
    const slots = { activity: context.slot("activity"), content: context.slot("content") };
    const { data, total } = await visit.get(`/api/activity?${query}`);
    const entries = data.map(({ type, user, item, created_at }) => {
      const phrase = activityDescription(slots, type)?.phrase ?? type.replaceAll("_", " ");
      const who = user
        ? html`<a href="${ui.url(`/user/${encodeURIComponent(user.slug)}`)}">${user.name}</a>`
        : ui.t("Unknown user");
      return itemEntry(context, item, [who, ui.t(phrase), ui.time(created_at)], ui);
    });
    return { entries, total };
  },
};

/** The path of the editor that shows a draft. */
function draftPath(
  { baseUrl }: ReadingContext,
  { kind, item, page_id, slot }: Answers["/api/drafts"]["data"][number],
): string {
  const path = homeItemPath({ baseUrl }, item);
  if (kind === "page") return `${path}/edit`;
  const book = kind === "book" ? item.slug : item.book?.slug;
  if (page_id !== null && book !== undefined) return `/books/${encodeURIComponent(book)}/draft/${page_id}`;
  return `${path}/create-page?slot=${encodeURIComponent(slot)}`;
}

/** An item with its book, and what the list says of it. */
function itemEntry(context: ReadingContext, item: HomeItem, facts: readonly HtmlPart[], ui: Ui): Html {
  const book = item.book === null ? [] : [item.book.name];
  return entry(homeItemPath(context, item), ICONS[item.type] ?? "page", item.name, [...book, ...facts], ui);
}

function entry(path: string, icon: string, name: string, facts: readonly HtmlPart[], ui: Ui): Html {
  const said = facts.map((fact, at) => html`${at > 0 && " · "}<span>${fact}</span>`);
  return html`<a href="${ui.url(path)}">${ui.icon(icon)} <span>${name}</span></a>${facts.length > 0 && html`<small class="quiet">${said}</small>`}`;
}
