/**
 * The forms of comments: add, reply, edit, resolve, delete. A rejected form is shown again on a screen of its own, with the
 * submitted text, and so is one whose preview is asked for, of which `comment_editor.js` takes the preview. The API checks permissions.
 */
import { pagePath, type Screen, type SubmitResult, type Ui, type View, type Visit } from "lectern/contracts";
import { ApiError, type Html, html, type InputObject } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { Page } from "./api_types.ts";
import { commentForm, type PassageInput } from "./comment_fields.ts";
import { type CommentInput, commentText } from "./comment_text.ts";
import { type CommentAssets, scriptFacts } from "./comments.ts";
import type { ReadingContext } from "./contract.ts";

/** Data of the screen with a rejected form. */
export interface CommentFormData {
  readonly action: string;
  readonly back: string;
  /** The id of the page. */
  readonly page: string;
  readonly typed: CommentInput;
  /** Of the form of a new comment. */
  readonly passage?: PassageInput | undefined;
  readonly sent: Extract<SubmitResult<never>, { ok: false }>;
  /** The HTML that was asked for of what is typed. */
  readonly preview?: string | undefined;
}

interface Place {
  readonly page: Page;
  readonly path: string;
}

/** Mounts the forms. */
export function mountCommentForms({ app, commentAssets, web }: ReadingContext): void {
  const at = "/books/:book/page/:page/comments";
  const view = web.view("reading/comment_form", (data, ui) => drawForm(data, commentAssets, ui));
  // Where scripts ask for it, screens without comments need not hold it.
  web.screen(app.site, `${at}/parts`, "reader", ({ ui }) => Response.json(scriptFacts(commentAssets, ui)));
  web.screen(app.site, `${at}/people/:id`, "user", async (visit) => {
    const query = typeof visit.query.query === "string" ? visit.query.query : "";
    return Response.json(await visit.get(`/api/mentions/page/${idOf(visit)}?query=${encodeURIComponent(query)}`));
  });
  const one = (visit: Visit) => `/api/comments/${idOf(visit, "comment")}` as const;

  const form = (path: string, send: (visit: Visit) => Promise<Screen | Response>) =>
    web.form(app.site, path, "user", async (visit) => {
      const answer = await send(visit).catch((error: unknown) => withoutPage(view, visit, error));
      return answer instanceof Response ? answer : { ...answer, scripts: [commentAssets.editor] };
    });

  form(at, async (visit) => {
    const place = await pageOf(visit);
    const reply = visit.text("reply_to");
    const action = `/comments${withReply(reply)}`;
    if (isPreview(visit)) return previewed(view, visit, { place, action });
    const { quote, place: contentRef } = passageOf(visit);
    const input = {
      ...{ page_id: place.page.id, ...commentText(visit) },
      ...(reply === "" ? {} : { reply_to: reply }),
      ...(quote === "" ? {} : { quote, content_ref: contentRef }),
    };
    const sent = isEmpty(visit) ? emptyComment(visit) : await visit.send("POST", "/api/comments", input);
    if (!sent.ok) return again(view, visit, { place, sent, action });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("Your comment is added."));
  });
  form(`${at}/:comment/edit`, async (visit) => {
    const place = await pageOf(visit);
    const action = `/comments/${encodeURIComponent(visit.params.comment ?? "")}/edit`;
    if (isPreview(visit)) return previewed(view, visit, { place, action });
    // The API accepts an empty text, which would delete the words of the comment.
    const sent = isEmpty(visit) ? emptyComment(visit) : await visit.send("PUT", one(visit), commentText(visit));
    if (!sent.ok) return again(view, visit, { place, sent, action });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("The comment is changed."));
  });
  web.form(app.site, `${at}/:comment/archive`, "user", async (visit) => {
    const isArchived = visit.text("archived") === "true";
    const notice = isArchived ? visit.ui.t("The thread is resolved.") : visit.ui.t("The thread is open again.");
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

function drawForm(
  { action, back, page, typed, passage, sent, preview }: CommentFormData,
  assets: CommentAssets,
  ui: Ui,
): Html {
  const { quote = [], ...others } = sent.errors;
  const errors = Object.values(others).flat();
  const error =
    errors.length + quote.length === 0 &&
    preview === undefined &&
    html`<p class="notice bad" role="alert">${ui.icon("warning")} ${sent.message}</p>`;
  const form = {
    action,
    page,
    typed,
    errors,
    quoteErrors: quote,
    label: ui.t("Text"),
    submit: ui.t("Save"),
    cancel: back,
  };
  return html`<link rel="stylesheet" href="${assets.style}"><h1>${ui.t("Your comment")}</h1>${error}
${preview !== undefined && html`<section class="comment-preview" aria-label="${ui.t("Preview")}"><div class="page-content" dir="auto">${ui.raw(preview)}</div></section>`}
<div class="comments" data-words="${scriptFacts(assets, ui).words}">${commentForm({ ...form, ...(passage && { passage }) }, ui)}</div>`;
}

function isPreview(visit: Visit): boolean {
  return visit.text("preview") === "1" && visit.text("format") === "markdown";
}

/** The form again, with a preview of what is typed in it. */
async function previewed(
  view: View<CommentFormData>,
  visit: Visit,
  { place, action }: { readonly place: Place; readonly action: string },
): Promise<Screen> {
  const sent = isEmpty(visit)
    ? ({ ok: true, body: { html: "" } } as const)
    : await visit.send("POST", "/api/comments/preview", commentText(visit));
  if (!sent.ok) return again(view, visit, { place, sent, action });
  const none = { ok: false, status: 200, message: "", errors: {} } as const;
  return again(view, visit, { place, sent: none, action, preview: sent.body.html });
}

function isEmpty(visit: Visit): boolean {
  return visit.text("text").trim() === "";
}

function passageOf(visit: Visit): PassageInput {
  return { quote: visit.text("quote").trim(), place: visit.text("place") };
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
  { place, sent, action, preview }: Pick<CommentFormData, "sent" | "preview"> & { place: Place; action: string },
): Screen {
  const { page, path } = place;
  const crumbs = [{ text: page.name, path }, { text: visit.ui.t("Your comment") }];
  const passage = action === "/comments" ? passageOf(visit) : undefined;
  const form = { action: `${path}${action}`, back: path, page: String(page.id), passage, sent, preview };
  return shown(view, visit, { ...form, crumbs });
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
  const format = visit.text("format") === "html" ? "html" : "markdown";
  const typed = { text: visit.text("text"), format } as const;
  const body = view({ ...data, typed }, visit.ui);
  return { title: visit.ui.t("Your comment"), crumbs, menu: "/books", status: data.sent.status, body };
}
