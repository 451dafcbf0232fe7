/**
 * The forms of comments: add, reply, edit, archive, delete. A rejected form is shown again on a screen of its own, with the
 * submitted text. The API checks permissions.
 */
import { pagePath, type Screen, type SubmitResult, type View, type Visit } from "lectern/contracts";
import { ApiError, type InputObject } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Page } from "./api_types.ts";
import { type CommentInput, commentHtml } from "./comment_text.ts";
import { commentFields } from "./comments.ts";
import type { ReadingContext } from "./contract.ts";

/** Data of the screen with a rejected form. */
export interface CommentFormData {
  readonly action: string;
  readonly back: string;
  /** The id of the page. */
  readonly page: string;
  readonly typed: CommentInput;
  readonly sent: Extract<SubmitResult<never>, { ok: false }>;
}

interface Place {
  readonly page: Page;
  readonly path: string;
}

/** Mounts the forms. */
export function mountCommentForms({ app, web }: ReadingContext): void {
  const at = "/books/:book/page/:page/comments";
  const view = web.view("reading/comment_form", ({ action, back, page, typed, sent }, ui) => {
    const { parts } = web;
    const errors = Object.values(sent.errors).flat();
    const fields = commentFields(parts, { page, typed, label: ui.t("Text"), errors }, ui);
    const error = errors.length === 0 ? sent.message : undefined;
    return ui.html`<h1>${ui.t("Your comment")}</h1>${parts.form(ui, { action, fields, submit: ui.t("Save"), cancel: back, error })}`;
  });
  const one = (visit: Visit) => `/api/comments/${idOf(visit, "comment")}` as const;

  const form = (path: string, send: (visit: Visit) => Promise<Screen | Response>) =>
    web.form(app.site, path, "user", (visit) => send(visit).catch((error: unknown) => withoutPage(view, visit, error)));

  form(at, async (visit) => {
    const place = await pageOf(visit);
    const reply = visit.text("reply_to");
    const input = { page_id: place.page.id, html: commentHtml(visit), ...(reply === "" ? {} : { reply_to: reply }) };
    const sent = input.html === "" ? emptyComment(visit) : await visit.send("POST", "/api/comments", input);
    if (!sent.ok) return again(view, visit, { place, sent, action: `/comments${withReply(reply)}` });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("Your comment is added."));
  });
  form(`${at}/:comment/edit`, async (visit) => {
    const place = await pageOf(visit);
    const html = commentHtml(visit);
    // The API accepts an empty text, which would delete the words of the comment.
    const sent = html === "" ? emptyComment(visit) : await visit.send("PUT", one(visit), { html });
    const action = `/comments/${encodeURIComponent(visit.params.comment ?? "")}/edit`;
    if (!sent.ok) return again(view, visit, { place, sent, action });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("The comment is changed."));
  });
  web.form(app.site, `${at}/:comment/archive`, "user", async (visit) => {
    const isArchived = visit.text("archived") === "true";
    const notice = isArchived ? visit.ui.t("The thread is archived.") : visit.ui.t("The thread is unarchived.");
    return runAction(visit, "PUT", one(visit), { archived: isArchived }, notice);
  });
  web.screen(app.site, `${at}/:comment/delete`, "user", async (visit) => {
    const { path } = await pageOf(visit);
    const comment = await visit.get(one(visit));
    const { ui } = visit;
    const title = ui.t("Delete comment #:number?", { number: comment.local_id });
    const body = web.parts.confirm(ui, {
      question: title,
      detail: ui.t("It is deleted immediately. This cannot be undone. Replies are kept."),
      action: `${path}/comments/${comment.id}/delete`,
      submit: ui.t("Delete"),
      back: path,
    });
    return { title, body, menu: "/books" };
  });
  web.form(app.site, `${at}/:comment/delete`, "user", (visit) =>
    runAction(visit, "DELETE", one(visit), {}, visit.ui.t("The comment is deleted.")),
  );
}

function emptyComment({ ui }: Visit): CommentFormData["sent"] {
  return { ok: false, status: 422, message: "", errors: { html: [ui.t("A comment cannot be empty.")] } };
}

function withReply(reply: string): string {
  return reply === "" ? "" : `?reply_to=${encodeURIComponent(reply)}`;
}

/** The page of a form: by its id, as its URL may have changed, else by the URL. Throws 404. */
async function pageOf(visit: Visit): Promise<Place> {
  const id = visit.text("page_id");
  if (/^\d{1,10}$/.test(id)) {
    const page = await visit.item("page", { id: Number(id) });
    return { page, path: pagePath(await visit.item("book_outline", { id: page.book_id }), page) };
  }
  const book = await visit.item("book_outline", { slug: visit.params.book ?? "" });
  const page = await visit.item("page", { slug: visit.params.page ?? "", within: book.id });
  return { page, path: pagePath(book, page) };
}

/** Runs the action of a button, which has no input to show again. Throws the API's error. */
async function runAction(
  visit: Visit,
  method: string,
  path: string,
  input: InputObject,
  notice: string,
): Promise<Response> {
  const { path: back } = await pageOf(visit);
  const sent = await visit.send(method, path, input);
  if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
  return visit.goTo(`${back}#comments-title`, notice);
}

/** The rejected form again, with its input and errors. */
function again(
  view: View<CommentFormData>,
  visit: Visit,
  { place, sent, action }: { place: Place; sent: CommentFormData["sent"]; action: string },
): Screen {
  const { page, path } = place;
  const crumbs = [{ text: page.name, path }, { text: visit.ui.t("Your comment") }];
  return shown(view, visit, { action: `${path}${action}`, back: path, page: String(page.id), sent, crumbs });
}

/** The form of a page that was deleted or hidden: the error, with the submitted text to copy. */
function withoutPage(view: View<CommentFormData>, visit: Visit, error: unknown): Screen {
  if (!(error instanceof ApiError)) throw error;
  const { status, message } = error;
  const sent = { ok: false, status, message, errors: {} } as const;
  const action = new URL(visit.request.url).pathname;
  return shown(view, visit, { action, back: "/books", page: visit.text("page_id"), sent, crumbs: [] });
}

function shown(
  view: View<CommentFormData>,
  visit: Visit,
  { crumbs, ...data }: Omit<CommentFormData, "typed"> & { crumbs: NonNullable<Screen["crumbs"]> },
): Screen {
  const format = visit.text("format") === "html" ? "html" : "plain";
  const typed = { text: visit.text("text"), format } as const;
  const body = view({ ...data, typed }, visit.ui);
  return { title: visit.ui.t("Your comment"), crumbs, menu: "/books", status: data.sent.status, body };
}
