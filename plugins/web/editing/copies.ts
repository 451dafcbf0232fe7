/**
 * Copies of pages, chapters and books, and conversions of chapters to books and of books to shelves. The API decides who may, and does the
 * work; a big copy is made in the background, with a screen that shows its progress. That screen is read again by its script, or without
 * scripts by the browser.
 */
import {
  type Answers,
  bookPath,
  chapterPath,
  pagePath,
  type Screen,
  shelfPath,
  type Ui,
  type View,
  type Visit,
} from "lectern/contracts";
import { ApiError, type Html, html } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";
import { bookOf, chapterOf, pageOf } from "./items.ts";
import { type PlaceAction, type PlacesData, placeIn, places, unchosen } from "./places.ts";

type Progress = Answers[`/api/copies/${number}`];
type Kind = "page" | "chapter" | "book";

/** Data of the screen on which a book is copied. */
export interface BookCopyData {
  readonly title: string;
  readonly path: string;
  readonly name: string;
  readonly error: string | undefined;
}

/** Data of the screen of a copy in the background. */
export interface CopyProgressData {
  readonly progress: Progress;
  /** The path of this screen. */
  readonly path: string;
}

/** Seconds between two looks at a copy without scripts. */
const REFRESH_SECONDS = 3;

/** An item on whose screen a copy or a conversion was chosen. */
interface Source {
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

/** Mounts the screens; `view` is that of the destination. */
export function mountCopies({ app, web, scripts }: EditingContext, view: View<PlacesData>): void {
  const pageSource = async (visit: Visit): Promise<Source> => {
    const { book, page } = await pageOf(visit);
    return { ...page, path: pagePath(book, page) };
  };
  const chapterSource = async (visit: Visit): Promise<Source> => {
    const { book, chapter } = await chapterOf(visit);
    return { ...chapter, path: chapterPath(book, chapter) };
  };
  const bookSource = async (visit: Visit): Promise<Source> => {
    const book = await bookOf(visit);
    return { ...book, path: bookPath(book) };
  };

  const placed = [
    { kind: "page", at: "/books/:book/page/:page", sourceOf: pageSource },
    { kind: "chapter", at: "/books/:book/chapter/:chapter", sourceOf: chapterSource },
  ] as const;
  for (const { kind, at, sourceOf } of placed) {
    const withChapters = kind === "page";
    const actionOf = ({ name, path }: Source): PlaceAction => ({ action: "copy", name, path, withChapters });
    web.screen(app.site, `${at}/copy`, "user", async (visit) => places(view, visit, actionOf(await sourceOf(visit))));
    web.form(app.site, `${at}/copy`, "user", async (visit) => {
      const source = await sourceOf(visit);
      const place = placeIn(visit);
      if (!place || (!withChapters && "chapter_id" in place))
        return places(view, visit, actionOf(source), unchosen(visit, withChapters));
      const sent = await copied(visit, kind, source.id, place);
      return sent.ok
        ? afterCopy(visit, kind, sent.body)
        : places(view, visit, actionOf(source), { error: sent.message, status: sent.status });
    });
  }

  const bookView = web.view("editing/book_copy", ({ title, path, name, error }, ui): Html => {
    const fields = html`${web.parts.field(ui, { name: "name", label: ui.t("Name"), value: name, required: true, maxlength: 255 })}
<p class="quiet">${ui.t("What you can view is copied, without attachments, comments and revisions.")}</p>`;
    const form = { action: `${path}/copy`, fields, submit: ui.t("Copy"), cancel: path, error };
    return html`<h1>${title}</h1>${web.parts.form(ui, form)}`;
  });
  const bookCopy = (visit: Visit, { name, path }: Source, error?: { message: string; status: number }): Screen => {
    const title = visit.ui.t("Copy “:name”", { name });
    const typed = visit.text("name") === "" ? name : visit.text("name");
    const body = bookView({ title, path, name: typed, error: error?.message }, visit.ui);
    return { title, body, menu: "/books", status: error?.status ?? 200 };
  };
  web.screen(app.site, "/books/:book/copy", "user", async (visit) => bookCopy(visit, await bookSource(visit)));
  web.form(app.site, "/books/:book/copy", "user", async (visit) => {
    const source = await bookSource(visit);
    const sent = await copied(visit, "book", source.id, {});
    return sent.ok ? afterCopy(visit, "book", sent.body) : bookCopy(visit, source, sent);
  });

  const progressView = web.view("editing/copy", ({ progress, path }, ui) => drawProgress(progress, path, ui));
  web.screen(app.site, "/copies/:id", "user", async (visit) => {
    const { ui } = visit;
    const id = idOf(visit);
    const progress = await visit.get(`/api/copies/${id}`);
    const path = progress.copy_id === null ? undefined : await pathOf(visit, progress.kind, progress.copy_id);
    if (path !== undefined) return visit.goTo(path, ui.t(COPIED[progress.kind as Kind]));
    const title = ui.t("Copying “:name”", { name: progress.name });
    const body = progressView({ progress, path: `/copies/${id}` }, ui);
    return { title, body, menu: "/books", scripts: isUnderWay(progress) ? [scripts.copy] : [] };
  });

  const confirmed = (
    visit: Visit,
    { path }: Source,
    { title, detail, to }: { title: string; detail: string; to: string },
  ): Screen => {
    const confirm = { question: title, detail, action: `${path}/${to}`, submit: visit.ui.t("Convert"), back: path };
    return { title, body: web.parts.confirm(visit.ui, confirm), menu: "/books" };
  };
  web.screen(app.site, "/books/:book/chapter/:chapter/convert-to-book", "user", async (visit) => {
    const source = await chapterSource(visit);
    const title = visit.ui.t("Convert the chapter “:name” to a book?", { name: source.name });
    const detail = visit.ui.t(
      "Its pages move into a new book with the name, description, tags and permissions of the chapter. Their earlier addresses lead to them. The chapter is gone then. A book cannot be converted back.",
    );
    return confirmed(visit, source, { title, detail, to: "convert-to-book" });
  });
  web.form(app.site, "/books/:book/chapter/:chapter/convert-to-book", "user", async (visit) => {
    const { id } = await chapterSource(visit);
    const sent = await visit.send("POST", `/api/chapters/${id}/convert-to-book`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(bookPath(sent.body), visit.ui.t("The chapter is a book now."));
  });
  web.screen(app.site, "/books/:book/convert-to-shelf", "user", async (visit) => {
    const source = await bookSource(visit);
    const title = visit.ui.t("Convert the book “:name” to a shelf?", { name: source.name });
    const detail = visit.ui.t(
      "Each of its chapters becomes a book on a new shelf with the name, description, tags, cover and permissions of this book. If it has pages of its own, the book stays on that shelf, with “Pages” added to its name; otherwise it is gone. Books get the permissions of this book where their chapter has none of its own; later changes of the permissions of the shelf do not apply to them. A shelf cannot be converted back.",
    );
    return confirmed(visit, source, { title, detail, to: "convert-to-shelf" });
  });
  web.form(app.site, "/books/:book/convert-to-shelf", "user", async (visit) => {
    const { id } = await bookSource(visit);
    const sent = await visit.send("POST", `/api/books/${id}/convert-to-shelf`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(shelfPath(sent.body), visit.ui.t("The book is a shelf now."));
  });
}

const SEGMENTS = { page: "pages", chapter: "chapters", book: "books" } as const;
const COPIED = {
  page: "The page is copied.",
  chapter: "The chapter is copied.",
  book: "The book is copied.",
} as const;

function copied(visit: Visit, kind: Kind, id: number, place: { book_id?: string; chapter_id?: string }) {
  const input = { name: visit.text("name"), ...place };
  return visit.send("POST", `/api/${SEGMENTS[kind]}/${id}/copy`, input);
}

/** Leads to the copy, or to the progress of one in the background. */
async function afterCopy(visit: Visit, kind: Kind, made: { readonly id: number }): Promise<Response> {
  const { id } = made;
  if ("copy_id" in made) return visit.goTo(`/copies/${id}`);
  const path = await pathOf(visit, kind, id);
  return visit.goTo(path ?? "/books", visit.ui.t(COPIED[kind]));
}

/** The path of an item; undefined where the reader does not see it. */
async function pathOf(visit: Visit, kind: string, id: number): Promise<string | undefined> {
  if (kind === "book") {
    const book = await visit.findItem("book_outline", { id });
    return book && bookPath(book);
  }
  const item = kind === "chapter" ? await visit.findItem("chapter", { id }) : await visit.findItem("page", { id });
  const book = item && (await visit.findItem("book_outline", { id: item.book_id }));
  return book && (kind === "chapter" ? chapterPath(book, item) : pagePath(book, item));
}

function isUnderWay({ status }: Progress): boolean {
  return status === "waiting" || status === "running";
}

function drawProgress(progress: Progress, path: string, ui: Ui): Html {
  const { name, status, done, total, error } = progress;
  const title = html`<h1>${ui.t("Copying “:name”", { name })}</h1>`;
  if (status === "failed")
    return html`${title}<p class="notice error" role="alert">${ui.t("Nothing is copied: :reason", { reason: error ?? "" })}</p>`;
  if (status === "done") return html`${title}<p>${ui.t("It is copied, and you may not view the copy.")}</p>`;
  const text = status === "waiting" ? ui.t("The copy begins soon.") : ui.t(":done of :total copied", { done, total });
  return html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>
${title}<div data-copy><p role="status">${text}</p>
<progress max="${total}" value="${done}" aria-label="${ui.t("Progress")}"></progress></div>
<p class="quiet">${ui.t("You may leave this screen; the copy goes on.")}</p>
<p class="actions"><a role="button" class="secondary" href="${ui.url(path)}">${ui.t("Refresh")}</a></p>`;
}
