/** Moving and deleting pages, and moving chapters. The API checks permissions. */
import { bookPath, chapterPath, pagePath, type View, type Visit } from "lectern/contracts";
import { ApiError } from "lectern/core";
import type { EditingContext } from "./contract.ts";
import { type Book, type Chapter, chapterOf, deletedNotice, type Page, pageOf } from "./items.ts";
import { type PlaceAction, type PlacesData, placeIn, places, unchosen } from "./places.ts";

/** Mounts the screens; `view` is that of the destination. */
export function mountPageActions({ app, web }: EditingContext, view: View<PlacesData>): void {
  const page = "/books/:book/page/:page";
  web.screen(app.site, `${page}/move`, "user", async (visit) => {
    const { book, page: moved } = await pageOf(visit);
    return places(view, visit, pageMove(book, moved));
  });
  web.form(app.site, `${page}/move`, "user", async (visit) => {
    const { book, page: moved } = await pageOf(visit);
    const action = pageMove(book, moved);
    const place = placeIn(visit);
    if (!place) return places(view, visit, action, unchosen(visit, true));
    const sent = await visit.send("PUT", `/api/pages/${moved.id}`, place);
    if (!sent.ok) return places(view, visit, action, { error: sent.message, status: sent.status });
    return visit.goTo(pagePath(await bookBy(visit, sent.body.book_id), sent.body), visit.ui.t("The page is moved."));
  });
  web.screen(app.site, `${page}/delete`, "user", async (visit) => {
    const { book, page: gone } = await pageOf(visit);
    const { ui } = visit;
    const title = ui.t("Delete “:name”?", { name: gone.name });
    const body = web.parts.confirm(ui, {
      question: title,
      detail: ui.serves("/api/recycle-bin")
        ? ui.t("The page is moved to the recycle bin, with its comments and attachments.")
        : ui.t("The page is deleted, with its comments and attachments."),
      action: `${pagePath(book, gone)}/delete`,
      submit: ui.t("Delete"),
      back: pagePath(book, gone),
    });
    return { title, body, menu: "/books" };
  });
  web.form(app.site, `${page}/delete`, "user", async (visit) => {
    const { book, page: gone } = await pageOf(visit);
    const sent = await visit.send("DELETE", `/api/pages/${gone.id}`);
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    return visit.goTo(bookPath(book), deletedNotice(visit.ui, gone.name));
  });
  web.screen(app.site, "/books/:book/chapter/:chapter/move", "user", async (visit) => {
    const { book, chapter } = await chapterOf(visit);
    return places(view, visit, chapterMove(book, chapter));
  });
  web.form(app.site, "/books/:book/chapter/:chapter/move", "user", async (visit) => {
    const { book, chapter } = await chapterOf(visit);
    const action = chapterMove(book, chapter);
    const place = placeIn(visit);
    if (!place || "chapter_id" in place) return places(view, visit, action, unchosen(visit, false));
    const sent = await visit.send("PUT", `/api/chapters/${chapter.id}`, place);
    if (!sent.ok) return places(view, visit, action, { error: sent.message, status: sent.status });
    return visit.goTo(
      chapterPath(await bookBy(visit, sent.body.book_id), sent.body),
      visit.ui.t("The chapter is moved."),
    );
  });
}

function pageMove(book: Book, page: Page): PlaceAction {
  return { action: "move", name: page.name, path: pagePath(book, page), withChapters: true };
}

function chapterMove(book: Book, chapter: Chapter): PlaceAction {
  return { action: "move", name: chapter.name, path: chapterPath(book, chapter), withChapters: false };
}

function bookBy(visit: Visit, id: number): Promise<Book> {
  return visit.item("book_outline", { id });
}
