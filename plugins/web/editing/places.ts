/**
 * The screen that chooses the destination of a move or copy. Books are paged and listed with their chapters; a search by name also
 * finds chapters. A book with many chapters has a list of its own. Nothing is preselected, to avoid moves to the wrong place by
 * accident.
 */
import type { Screen, Ui, View, Visit, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";

/** Books on a page of the list, and chapters found by name. */
const OFFERED = 20;
/** Chapters shown below a book, and on a page of that book's own list. */
const BELOW = 5;
const IN_BOOK = 50;

/** A possible destination. */
interface Target {
  readonly value: string;
  /** The name; of a chapter, the names of its book and itself. */
  readonly names: readonly string[];
}

interface BookTarget extends Target {
  readonly chapters: readonly Target[];
  /** Number of further chapters, and the URL of their list. */
  readonly more: number;
  readonly list: string;
}

/** Data of the screen. */
export interface PlacesData {
  readonly title: string;
  readonly action: string;
  readonly back: string;
  readonly submit: string;
  readonly withChapters: boolean;
  readonly query: string;
  /** The id of the only book that is listed; "" for all books. */
  readonly book: string;
  readonly books: readonly BookTarget[];
  /** Chapters found by name. */
  readonly chapters: readonly Target[];
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly chosen: string;
  readonly error: string | undefined;
  /** The error of the choice. */
  readonly choiceError: string | undefined;
  /** The name of the copy; undefined for a move. */
  readonly name: string | undefined;
}

/** A move or copy of an item. */
export interface PlaceAction {
  readonly action: "move" | "copy";
  readonly name: string;
  readonly path: string;
  readonly withChapters: boolean;
}

/** The errors of a rejected form. */
export interface PlaceErrors {
  readonly status: number;
  readonly error?: string;
  readonly choiceError?: string;
}

/** Names the view of the screen. */
export function placesView(web: Web): View<PlacesData> {
  return web.view("editing/places", (data, ui) => drawPlaces(web, data, ui));
}

/** The screen; shown again, it keeps its input. */
export async function places(
  view: View<PlacesData>,
  visit: Visit,
  action: PlaceAction,
  placeErrors?: PlaceErrors,
): Promise<Screen> {
  const { ui } = visit;
  const { name, path, withChapters } = action;
  const data: PlacesData = {
    title: action.action === "move" ? ui.t("Move “:name”", { name }) : ui.t("Copy “:name”", { name }),
    action: `${path}/${action.action}`,
    back: path,
    submit: action.action === "move" ? ui.t("Move") : ui.t("Copy"),
    withChapters,
    ...(await targetsFor(visit, withChapters)),
    chosen: visit.text("target"),
    error: placeErrors?.error,
    choiceError: placeErrors?.choiceError,
    name: action.action === "copy" ? (visit.text("name") === "" ? name : visit.text("name")) : undefined,
  };
  return { title: data.title, body: view(data, ui), status: placeErrors?.status ?? 200, menu: "/books" };
}

/**
 * The chosen parent in the shape of the API; undefined where none was chosen, or the one that the form was opened with: others may have
 * moved the page since.
 */
export function placeIn(visit: Visit): { book_id: string } | { chapter_id: string } | undefined {
  const [whole, kind, id = ""] = /^(book|chapter):(\d{1,10})$/.exec(visit.text("target")) ?? [];
  if (whole === undefined || whole === visit.text("placed")) return undefined;
  return kind === "chapter" ? { chapter_id: id } : { book_id: id };
}

/** The error where none was chosen. */
export function unchosen({ ui }: Visit, withChapters: boolean): PlaceErrors {
  return { status: 422, choiceError: withChapters ? ui.t("Choose a book or a chapter.") : ui.t("Choose a book.") };
}

function drawPlaces({ parts }: Web, data: PlacesData, ui: Ui): Html {
  const { title, action, back, submit, query, book, books, chapters, error, choiceError, name, chosen } = data;
  const radio = ({ value, names }: Target, unseen: number) =>
    html`<label><input type="radio" name="target" value="${value}" required${value === chosen && html` checked`}> <span>${names.map(
      (each, at) =>
        at < unseen
          ? html`<span class="unseen"><bdi>${each}</bdi> › </span>`
          : html`${at > unseen && " › "}<bdi>${each}</bdi>`,
    )}</span></label>`;
  const filters = { ...(query !== "" && { q: query }), ...(book !== "" && { book }) };
  const search = new URLSearchParams({ ...filters, ...(data.page > 1 && { page: String(data.page) }) }).toString();
  const label = data.withChapters ? ui.t("Name of a book or chapter") : ui.t("Name of a book");
  const none = data.withChapters ? ui.t("No matching book or chapter.") : ui.t("No matching book.");
  const fields = html`${name !== undefined && parts.field(ui, { name: "name", label: ui.t("Name"), value: name, required: true, maxlength: 255 })}
<fieldset class="targets" role="radiogroup" aria-required="true"${choiceError !== undefined && html` aria-invalid="true" aria-describedby="target-fault"`}><legend>${ui.t("Destination")}</legend>
${choiceError !== undefined && html`<small class="fault" id="target-fault">${ui.icon("warning")} ${choiceError}</small>`}
${books.length > 0 && html`<ul>${books.map((each) => bookItem(each, radio, ui))}</ul>`}
${chapters.length > 0 && html`<p class="quiet">${ui.t("Matching chapters")}</p><ul>${chapters.map((each) => html`<li>${radio(each, 0)}</li>`)}</ul>`}
${books.length + chapters.length === 0 && html`<p class="empty">${none}</p>`}
${parts.pager(ui, { path: action, query: filters, total: data.total, page: data.page, size: data.size })}</fieldset>`;
  return html`<h1>${title}</h1>
<form class="filters" method="get" action="${ui.url(action)}">${book !== "" && html`<input type="hidden" name="book" value="${book}">`}${parts.field(ui, { name: "q", label: book === "" ? label : ui.t("Name of a chapter"), value: query })}<button class="secondary">${ui.t("Find")}</button>${
    (query !== "" || book !== "") &&
    html` <a role="button" class="secondary outline" href="${ui.url(action)}">${ui.t("All books")}</a>`
  }</form>
${parts.form(ui, { action: search === "" ? action : `${action}?${search}`, fields, submit, cancel: back, error })}`;
}

function bookItem(
  { chapters, more, list, ...target }: BookTarget,
  radio: (target: Target, unseen: number) => Html,
  ui: Ui,
): Html {
  const [name = ""] = target.names;
  return html`<li>${radio(target, 0)}${
    chapters.length + more > 0 &&
    html`<ul>${chapters.map((chapter) => html`<li>${radio(chapter, 1)}</li>`)}${
      more > 0 &&
      html`<li><a href="${ui.url(list)}">${ui.t(":count more chapters", { count: more })}<span class="unseen"> – <bdi>${name}</bdi></span></a></li>`
    }</ul>`
  }</li>`;
}

interface Found {
  readonly id: number;
  readonly name: string;
  readonly book_id?: number;
}

type Targets = Pick<PlacesData, "query" | "book" | "books" | "chapters" | "page" | "size" | "total">;

async function targetsFor(visit: Visit, withChapters: boolean): Promise<Targets> {
  const query = typeof visit.query.q === "string" ? visit.query.q : "";
  const asked = Number(visit.query.page);
  const page = Number.isInteger(asked) && asked >= 1 && asked <= 1_000_000 ? asked : 1;
  const within = withChapters && typeof visit.query.book === "string" ? visit.query.book : "";
  const held = /^\d{1,9}$/.test(within) ? await visit.findItem("book_outline", { id: Number(within) }) : undefined;
  const named = query === "" ? "" : `&filter[name:like]=${encodeURIComponent(`%${query}%`)}`;
  if (held) {
    const list = await visit.get(
      `/api/chapters?filter[book_id]=${held.id}${named}&sort=priority&${partOf(page, IN_BOOK)}`,
    );
    const chapters = list.data.map((chapter) => targetOf(chapter, held.name));
    const books = [{ ...targetOf(held), chapters, more: 0, list: "" }];
    return { query, book: String(held.id), books, chapters: [], page, size: IN_BOOK, total: list.total };
  }
  const [books, found] = await Promise.all([
    visit.get(`/api/books?sort=name${named}&${partOf(page, OFFERED)}`),
    withChapters && query !== ""
      ? visit.get(`/api/chapters?sort=name${named}&${partOf(page, OFFERED)}`)
      : { data: [], total: 0 },
  ]);
  const offered = await Promise.all(books.data.map((book) => withItsChapters(visit, book, withChapters)));
  const shown = new Set(offered.flatMap(({ chapters }) => chapters.map(({ value }) => value)));
  const names = await namesOf(visit, books.data, found.data);
  const chapters = found.data
    .map((chapter) => targetOf(chapter, names.get(chapter.book_id ?? 0) ?? ""))
    .filter(({ value }) => !shown.has(value));
  const total = Math.max(books.total, found.total);
  return { query, book: "", books: offered, chapters, page, size: OFFERED, total };
}

function partOf(page: number, size: number): string {
  return `count=${size}&offset=${(page - 1) * size}`;
}

async function withItsChapters(visit: Visit, book: Found, withChapters: boolean): Promise<BookTarget> {
  const { data, total } = withChapters
    ? await visit.get(`/api/chapters?filter[book_id]=${book.id}&sort=priority&count=${BELOW}`)
    : { data: [], total: 0 };
  return {
    ...targetOf(book),
    chapters: data.map((chapter) => targetOf(chapter, book.name)),
    more: total - data.length,
    list: `${new URL(visit.request.url).pathname}?book=${book.id}`,
  };
}

function targetOf({ id, name }: Found, book?: string): Target {
  return book === undefined ? { value: `book:${id}`, names: [name] } : { value: `chapter:${id}`, names: [book, name] };
}

/** The names of the books of chapters; "" for a book that the viewer may not see. */
async function namesOf(
  visit: Visit,
  known: readonly Found[],
  chapters: readonly Found[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  const missing = new Set(chapters.map(({ book_id = 0 }) => book_id).filter((id) => !names.has(id)));
  if (missing.size > 0)
    for (const { id, name } of await visit.items("book", { ids: [...missing] })) names.set(id, name);
  return names;
}
