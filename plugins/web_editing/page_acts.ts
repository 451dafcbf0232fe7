/**
 * What is done with pages and chapters as a whole: moving, copying, deleting. Places are found by name, since an instance
 * may have more books than a list can hold; whether content may go there is the API's to say.
 */
import {
  ApiError,
  bookPath,
  chapterPath,
  type Html,
  html,
  type PluginContext,
  pagePath,
  type Screen,
  type View,
  type Visit,
  type Web,
} from "lectern/core";
import { type Book, chapterOf, type Page, pageOf } from "./find.ts";

/** Places offered at once; the filter finds the others. */
const OFFERED = 20;

/** A place content can be put. */
interface Target {
  readonly value: string;
  /** Its name, after that of its book where it is a chapter. */
  readonly names: readonly string[];
}

/** What the screen of places shows. */
export interface PlacesData {
  readonly title: string;
  readonly action: string;
  readonly back: string;
  readonly submit: string;
  readonly query: string;
  readonly targets: readonly Target[];
  readonly fault: string | undefined;
  /** The name of a copy; undefined where nothing is copied. */
  readonly name: string | undefined;
}

/** Mounts them. */
export function mountPageActs({ site }: Pick<PluginContext, "site">, web: Web): void {
  const view = web.view<PlacesData>("editing/places", (data, ui): Html => {
    const { parts } = web;
    const { title, action, back, submit, query, targets, fault, name } = data;
    const fields = html`${name !== undefined && parts.field(ui, { name: "name", label: ui.t("Name"), value: name, required: true, maxlength: 255 })}
<fieldset class="targets"><legend>${ui.t("Where to")}</legend>
${targets.map(({ value, names }, index) => html`<label><input type="radio" name="target" value="${value}" required${index === 0 && html` checked`}> ${names.map((each, at) => html`${at > 0 && " › "}<bdi>${each}</bdi>`)}</label>`)}
${targets.length === 0 && html`<p class="empty">${ui.t("No book or chapter of that name.")}</p>`}</fieldset>`;
    return html`<h1>${title}</h1>
<form class="filters" method="get" action="${ui.url(action)}">${parts.field(ui, { name: "q", label: ui.t("Name of a book or chapter"), value: query })}<button class="secondary">${ui.t("Find")}</button></form>
${parts.form(ui, { action, fields, submit, cancel: back, fault })}`;
  });

  const page = "/books/:book/page/:page";
  web.screen(site, `${page}/move`, "user", async (visit) => {
    const { book, page: moved } = await pageOf(visit);
    return places(view, visit, { act: "move", name: moved.name, path: pagePath(book, moved), withChapters: true });
  });
  web.form(site, `${page}/move`, "user", async (visit) => {
    const { book, page: moved } = await pageOf(visit);
    const sent = await visit.send<Page>("PUT", `/api/pages/${moved.id}`, placeIn(visit));
    if (!sent.ok)
      return places(
        view,
        visit,
        { act: "move", name: moved.name, path: pagePath(book, moved), withChapters: true },
        sent.message,
        sent.status,
      );
    return visit.goTo(pagePath(await bookBy(visit, sent.body.book_id), sent.body), visit.ui.t("The page is moved."));
  });
  web.screen(site, `${page}/copy`, "user", async (visit) => {
    const { book, page: copied } = await pageOf(visit);
    return places(view, visit, { act: "copy", name: copied.name, path: pagePath(book, copied), withChapters: true });
  });
  web.form(site, `${page}/copy`, "user", async (visit) => {
    const { book, page: copied } = await pageOf(visit);
    const { markdown, raw_html, tags } = copied;
    const sent = await visit.send<Page>("POST", "/api/pages", {
      name: visit.text("name"),
      ...(markdown === "" ? { html: raw_html === "" ? "<p></p>" : raw_html } : { markdown }),
      tags: (tags ?? []).map(({ name, value }) => ({ name, value })) as never,
      ...placeIn(visit),
    });
    if (!sent.ok)
      return places(
        view,
        visit,
        { act: "copy", name: copied.name, path: pagePath(book, copied), withChapters: true },
        sent.message,
        sent.status,
      );
    return visit.goTo(pagePath(await bookBy(visit, sent.body.book_id), sent.body), visit.ui.t("The page is copied."));
  });
  web.screen(site, `${page}/delete`, "user", async (visit) => {
    const { book, page: gone } = await pageOf(visit);
    const { ui } = visit;
    const title = ui.t("Delete “:name”?", { name: gone.name });
    const body = web.parts.confirm(ui, {
      question: title,
      detail: ui.t("The page goes to the recycle bin, with its comments and attachments."),
      action: `${pagePath(book, gone)}/delete`,
      submit: ui.t("Delete"),
      back: pagePath(book, gone),
    });
    return { title, body, menu: "/books" };
  });
  web.form(site, `${page}/delete`, "user", async (visit) => {
    const { book, page: gone } = await pageOf(visit);
    const sent = await visit.send("DELETE", `/api/pages/${gone.id}`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(bookPath(book), visit.ui.t("“:name” is in the recycle bin.", { name: gone.name }));
  });
  web.screen(site, "/books/:book/chapter/:chapter/move", "user", async (visit) => {
    const { book, chapter } = await chapterOf(visit);
    return places(view, visit, {
      act: "move",
      name: chapter.name,
      path: chapterPath(book, chapter),
      withChapters: false,
    });
  });
  web.form(site, "/books/:book/chapter/:chapter/move", "user", async (visit) => {
    const { book, chapter } = await chapterOf(visit);
    const sent = await visit.send<{ slug: string; book_id: number }>(
      "PUT",
      `/api/chapters/${chapter.id}`,
      placeIn(visit),
    );
    if (!sent.ok)
      return places(
        view,
        visit,
        { act: "move", name: chapter.name, path: chapterPath(book, chapter), withChapters: false },
        sent.message,
        sent.status,
      );
    return visit.goTo(
      chapterPath(await bookBy(visit, sent.body.book_id), sent.body),
      visit.ui.t("The chapter is moved."),
    );
  });
}

interface Act {
  readonly act: "move" | "copy";
  readonly name: string;
  readonly path: string;
  readonly withChapters: boolean;
}

async function places(
  view: View<PlacesData>,
  visit: Visit,
  { act, name, path, withChapters }: Act,
  fault?: string,
  status = 200,
): Promise<Screen> {
  const { ui } = visit;
  const query = typeof visit.query.q === "string" ? visit.query.q : "";
  const title = act === "move" ? ui.t("Move “:name”", { name }) : ui.t("Copy “:name”", { name });
  const data: PlacesData = {
    title,
    action: `${path}/${act}`,
    back: path,
    submit: act === "move" ? ui.t("Move") : ui.t("Copy"),
    query,
    targets: await targetsFor(visit, query, withChapters),
    fault,
    name: act === "copy" ? (visit.text("name") === "" ? name : visit.text("name")) : undefined,
  };
  return { title, body: view(data, ui), status, menu: "/books" };
}

interface Found {
  readonly id: number;
  readonly name: string;
  readonly book_id?: number;
}

async function targetsFor(visit: Visit, query: string, withChapters: boolean): Promise<Target[]> {
  const filter = query === "" ? "" : `&filter[name:like]=${encodeURIComponent(`%${query}%`)}`;
  const list = async (segment: string) =>
    (await visit.get<{ data: Found[] }>(`/api/${segment}?count=${OFFERED}&sort=name${filter}`)).data;
  const books = await list("books");
  const chapters = withChapters ? await list("chapters") : [];
  const names = new Map(books.map(({ id, name }) => [id, name]));
  for (const { book_id = 0 } of chapters)
    if (!names.has(book_id)) names.set(book_id, (await visit.find<Found>(`/api/books/${book_id}`))?.name ?? "");
  return [
    ...books.map(({ id, name }) => ({ value: `book:${id}`, names: [name] })),
    ...chapters.map(({ id, name, book_id = 0 }) => ({
      value: `chapter:${id}`,
      names: [names.get(book_id) ?? "", name],
    })),
  ];
}

function placeIn(visit: Visit): { book_id?: string; chapter_id?: string } {
  const [kind, id = ""] = visit.text("target").split(":");
  return kind === "chapter" ? { chapter_id: id } : { book_id: id };
}

function bookBy(visit: Visit, id: number): Promise<Book> {
  return visit.get<Book>(`/api/books/${id}`);
}
