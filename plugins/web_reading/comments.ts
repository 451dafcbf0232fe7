/**
 * Comments below a page: threads with their replies, those that are archived folded away, and a form for each thing a
 * reader may do with them. What is typed is plain text; the API stores it as paragraphs.
 */
import { ApiError, type Html, html, type PluginContext, type Ui, type Visit, type Web } from "lectern/core";
import { type Book, type CommentTree, type Page, pagePath } from "./shapes.ts";

/** Draws the comments of a page. */
export function drawComments({ parts }: Web, { book, page }: { book: Book; page: Page }, ui: Ui): Html {
  const { t } = ui;
  const path = `${pagePath(book, page)}/comments`;
  const { active, archived } = page.comments;
  const mayAdd = ui.isSignedIn && (ui.may("comment-create-all") || ui.may("comment-create-own"));
  if (active.length + archived.length === 0 && !mayAdd) return html``;
  const tree = (each: CommentTree, isTop: boolean) => drawComment(parts, { each, isTop, path, mayAdd }, ui);
  return html`<section class="comments" aria-labelledby="comments-title"><h2 id="comments-title">${ui.icon("comment")} ${t("Comments")} <span class="quiet">${countOf([...active, ...archived])}</span></h2>
<ul>${active.map((each) => tree(each, true))}</ul>
${archived.length > 0 && html`<details class="archived"><summary>${t("Archived threads")} (${archived.length})</summary><ul>${archived.map((each) => tree(each, true))}</ul></details>`}
${
  mayAdd &&
  parts.form(ui, {
    action: path,
    label: t("New comment"),
    submit: t("Comment"),
    fields: parts.field(ui, { name: "text", label: t("Add a comment"), type: "textarea", rows: 3, required: true }),
  })
}</section>`;
}

interface Drawn {
  readonly each: CommentTree;
  readonly isTop: boolean;
  readonly path: string;
  readonly mayAdd: boolean;
}

function drawComment(parts: Web["parts"], { each: { comment, children }, isTop, path, mayAdd }: Drawn, ui: Ui): Html {
  const { t } = ui;
  const may = (act: string) =>
    ui.may(`comment-${act}-all`) || (ui.may(`comment-${act}-own`) && comment.created_by?.id === ui.viewer.id);
  const own = `${path}/${comment.id}`;
  const reply = (action: string, label: string, submit: string, value = "") =>
    html`<details class="comment-form"><summary>${label}</summary>${parts.form(ui, {
      action,
      submit,
      label: `${label} #${comment.local_id}`,
      fields: html`<label>${t("Text")}<textarea name="text" rows="3" required>\n${value}</textarea></label>`,
    })}</details>`;
  return html`<li id="comment${comment.local_id}"><article class="comment"><header><strong>${comment.created_by?.name ?? t("Somebody")}</strong> <span class="quiet">#${comment.local_id} · ${ui.time(comment.created_at)}${comment.updated_at !== comment.created_at && html` · ${t("changed")}`}</span></header>
<div class="page-content" dir="auto">${ui.raw(comment.html)}</div>
<footer class="actions">${mayAdd && reply(`${path}?reply_to=${comment.local_id}`, t("Reply"), t("Reply"))}${may("update") && reply(`${own}/edit`, t("Edit"), t("Save"), wordsOf(comment.html))}${
    isTop &&
    may("update") &&
    parts.button(ui, {
      action: `${own}/archive?archived=${comment.archived ? "false" : "true"}`,
      text: comment.archived ? t("Take out of the archive") : t("Archive"),
    })
  }${may("delete") && parts.dialogLink(ui, { path: `${own}/delete`, text: t("Delete") })}</footer></article>
${children.length > 0 && html`<ul>${children.map((child) => drawComment(parts, { each: child, isTop: false, path, mayAdd }, ui))}</ul>`}</li>`;
}

/** Mounts the forms. */
export function mountComments({ site }: Pick<PluginContext, "site">, web: Web): void {
  const at = "/books/:book/page/:page/comments";
  const pageOf = async (visit: Visit) => {
    const book = await visit.item<Book>("books", "Book", { slug: visit.params.book ?? "" });
    const page = await visit.item<Page>("pages", "Page", { slug: visit.params.page ?? "", book_id: book.id });
    return { page, path: pagePath(book, page) };
  };
  const done = async (
    visit: Visit,
    method: string,
    path: string,
    input: Record<string, string | number | boolean>,
    told: string,
  ) => {
    const { path: back } = await pageOf(visit);
    const sent = await visit.send<{ local_id?: number } | undefined>(method, path, input);
    if (!sent.ok) throw new ApiError(sent.status, Object.values(sent.faults).flat()[0] ?? sent.message);
    return visit.goTo(`${back}#${sent.body?.local_id ? `comment${sent.body.local_id}` : "comments-title"}`, told);
  };
  const one = (visit: Visit) => `/api/comments/${encodeURIComponent(visit.params.comment ?? "")}`;

  web.form(site, at, "user", async (visit) => {
    const { page } = await pageOf(visit);
    const reply = visit.text("reply_to");
    const input = {
      page_id: page.id,
      html: paragraphs(visit.text("text")),
      ...(reply === "" ? {} : { reply_to: reply }),
    };
    return done(visit, "POST", "/api/comments", input, visit.ui.t("Your comment is added."));
  });
  web.form(site, `${at}/:comment/edit`, "user", (visit) =>
    done(visit, "PUT", one(visit), { html: paragraphs(visit.text("text")) }, visit.ui.t("The comment is changed.")),
  );
  web.form(site, `${at}/:comment/archive`, "user", (visit) =>
    done(visit, "PUT", one(visit), { archived: visit.text("archived") === "true" }, visit.ui.t("The thread is moved.")),
  );
  web.screen(site, `${at}/:comment/delete`, "user", async (visit) => {
    const { path } = await pageOf(visit);
    const comment = await visit.get<{ id: number; local_id: number }>(one(visit));
    const { ui } = visit;
    const title = ui.t("Delete comment #:number?", { number: comment.local_id });
    const body = web.parts.confirm(ui, {
      question: title,
      detail: ui.t("It is gone at once and cannot be brought back. Replies to it stay."),
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

function countOf(trees: readonly CommentTree[]): number {
  return trees.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}

/** Plain text as the paragraphs that the API stores. */
function paragraphs(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .split(/\n{2,}/)
    .filter((each) => each.trim() !== "")
    .map((each) => `<p>${html`${each}`}</p>`.replaceAll("\n", "<br>"))
    .join("");
}

/** The words of a comment, for the form that changes them. */
function wordsOf(markup: string): string {
  return markup
    .replace(/<br[^>]*>\n?/g, "\n")
    .replace(/<\/(?:p|li)>\s*/g, "\n\n")
    .replace(/<[^>]*>/g, "")
    .replace(
      /&(amp|lt|gt|quot|nbsp);/g,
      (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " " })[name] ?? "",
    )
    .trim();
}
