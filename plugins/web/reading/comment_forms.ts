/**
 * What is done with comments: adding, replying, changing, archiving, deleting. A form that is refused is shown again by
 * itself, with what was typed; whether something may be done is the API's to say.
 */
import { pagePath, type Screen, type SubmitResult, type View, type Visit, type Web } from "lectern/contracts";
import { ApiError, type InputObject, type PluginContext } from "lectern/core";
import type { Book, Page } from "./api_types.ts";
import { htmlIn, type Typed } from "./comment_text.ts";
import { commentFields } from "./comments.ts";

/** What the form of a comment shows where it stands by itself. */
export interface CommentFormData {
  readonly action: string;
  readonly back: string;
  /** The number of the page. */
  readonly page: string;
  readonly typed: Typed;
  readonly sent: Extract<SubmitResult<never>, { ok: false }>;
}

interface Place {
  readonly page: Page;
  readonly path: string;
}

/** Mounts the forms. */
export function mountComments({ site }: Pick<PluginContext, "site">, web: Web): void {
  const at = "/books/:book/page/:page/comments";
  const view = web.view<CommentFormData>("reading/comment_form", ({ action, back, page, typed, sent }, ui) => {
    const { parts } = web;
    const errors = Object.values(sent.errors).flat();
    const fields = commentFields(parts, { page, typed, label: ui.t("Text"), errors }, ui);
    const error = errors.length === 0 ? sent.message : undefined;
    return ui.html`<h1>${ui.t("Your comment")}</h1>${parts.form(ui, { action, fields, submit: ui.t("Save"), cancel: back, error })}`;
  });
  const one = (visit: Visit) => `/api/comments/${encodeURIComponent(visit.params.comment ?? "")}`;

  const form = (path: string, send: (visit: Visit) => Promise<Screen | Response>) =>
    web.form(site, path, "user", (visit) => send(visit).catch((error: unknown) => homeless(view, visit, error)));

  form(at, async (visit) => {
    const place = await pageOf(visit);
    const reply = visit.text("reply_to");
    const input = { page_id: place.page.id, html: htmlIn(visit), ...(reply === "" ? {} : { reply_to: reply }) };
    const sent =
      input.html === "" ? wordless(visit) : await visit.send<{ local_id: number }>("POST", "/api/comments", input);
    if (!sent.ok) return again(view, visit, { place, sent, action: `/comments${withReply(reply)}` });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("Your comment is added."));
  });
  form(`${at}/:comment/edit`, async (visit) => {
    const place = await pageOf(visit);
    const html = htmlIn(visit);
    // The API would store a comment without a word, and its author would have lost theirs.
    const sent = html === "" ? wordless(visit) : await visit.send<{ local_id: number }>("PUT", one(visit), { html });
    const action = `/comments/${encodeURIComponent(visit.params.comment ?? "")}/edit`;
    if (!sent.ok) return again(view, visit, { place, sent, action });
    return visit.goTo(`${place.path}#comment${sent.body.local_id}`, visit.ui.t("The comment is changed."));
  });
  web.form(site, `${at}/:comment/archive`, "user", async (visit) => {
    const isArchived = visit.text("archived") === "true";
    const told = isArchived ? visit.ui.t("The thread is archived.") : visit.ui.t("The thread is unarchived.");
    return done(visit, "PUT", one(visit), { archived: isArchived }, told);
  });
  web.screen(site, `${at}/:comment/delete`, "user", async (visit) => {
    const { path } = await pageOf(visit);
    const comment = await visit.get<{ id: number; local_id: number }>(one(visit));
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
  web.form(site, `${at}/:comment/delete`, "user", (visit) =>
    done(visit, "DELETE", one(visit), {}, visit.ui.t("The comment is deleted.")),
  );
}

function wordless({ ui }: Visit): CommentFormData["sent"] {
  return { ok: false, status: 422, message: "", errors: { html: [ui.t("A comment cannot be empty.")] } };
}

function withReply(reply: string): string {
  return reply === "" ? "" : `?reply_to=${encodeURIComponent(reply)}`;
}

/** The page a form is about: by its number, as its address may have changed since; else that of the address. Throws 404. */
async function pageOf(visit: Visit): Promise<Place> {
  const id = visit.text("page_id");
  if (/^\d{1,10}$/.test(id)) {
    const page = await visit.get<Page>(`/api/pages/${id}`);
    return { page, path: pagePath(await visit.get<Book>(`/api/books/${page.book_id}`), page) };
  }
  const book = await visit.item<Book>("books", "Book", { slug: visit.params.book ?? "" });
  const page = await visit.item<Page>("pages", "Page", { slug: visit.params.page ?? "", book_id: book.id });
  return { page, path: pagePath(book, page) };
}

/** What is done by a button: what is refused has nothing that was typed. Throws the API's refusal. */
async function done(visit: Visit, method: string, path: string, input: InputObject, told: string): Promise<Response> {
  const { path: back } = await pageOf(visit);
  const sent = await visit.send(method, path, input);
  if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.errors).flat()[0] ?? sent.message);
  return visit.goTo(`${back}#comments-title`, told);
}

/** The form once more, with what was typed and what is wrong with it. */
function again(
  view: View<CommentFormData>,
  visit: Visit,
  { place, sent, action }: { place: Place; sent: CommentFormData["sent"]; action: string },
): Screen {
  const { page, path } = place;
  const crumbs = [{ text: page.name, path }, { text: visit.ui.t("Your comment") }];
  return shown(view, visit, { action: `${path}${action}`, back: path, page: String(page.id), sent, crumbs });
}

/** What was typed below a page that is gone or hidden by now: said so, with every word still there to be taken. */
function homeless(view: View<CommentFormData>, visit: Visit, error: unknown): Screen {
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
