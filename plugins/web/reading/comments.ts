/**
 * Draws the comments of a page: threads with replies, archived threads collapsed, and a form for each action that the viewer
 * may take.
 */
import { pagePath, type Ui, type Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Book, CommentTree, Page } from "./api_types.ts";
import { type CommentInput, commentInput } from "./comment_text.ts";
import { textWithMarkup } from "./item_details.ts";

/** Replies below this depth are not indented further, for lack of room on phones. */
const MAX_DEPTH = 6;

/** Draws the comments of a page. */
export function drawComments({ parts }: Web, { book, page }: { book: Book; page: Page }, ui: Ui): Html {
  const { t } = ui;
  const path = `${pagePath(book, page)}/comments`;
  const { active, archived } = page.comments;
  const isOpen = !page.draft && ui.isSignedIn && ui.serves("/api/comments", "POST");
  const mayAdd = isOpen && (ui.may("comment-create-all") || ui.may("comment-create-own"));
  if (active.length + archived.length === 0 && !mayAdd) return html``;
  const tree = (each: CommentTree) => drawComment(parts, { page: page.id, each, depth: 0, path, mayAdd }, ui);
  const fields = commentFields(
    parts,
    { page: page.id, typed: { text: "", format: "plain" }, label: t("Add a comment") },
    ui,
  );
  return html`<section class="comments" aria-labelledby="comments-title"><h2 id="comments-title">${ui.icon("comment")} ${t("Comments")} <span class="quiet">${countOf([...active, ...archived])}</span></h2>
${active.length > 0 && html`<ul>${active.map(tree)}</ul>`}
${archived.length > 0 && html`<details class="archived"><summary>${t("Archived threads (:count)", { count: archived.length })}</summary><ul>${archived.map(tree)}</ul></details>`}
${mayAdd && parts.form(ui, { action: path, label: t("New comment"), submit: t("Add the comment"), fields })}</section>`;
}

/** The text field of a comment, with hidden fields for its page and format. */
export function commentFields(
  parts: Web["parts"],
  {
    page,
    typed,
    label,
    errors,
  }: { page: number | string; typed: CommentInput; label: string; errors?: readonly string[] },
  ui: Ui,
): Html {
  const help = typed.format === "html" ? ui.t("This comment contains formatting, so you edit its HTML.") : undefined;
  const field = { name: "text", label, type: "textarea", rows: 4, required: true, value: typed.text, errors };
  return html`${hidden(page, typed)}${parts.field(ui, { ...field, ...(help === undefined ? {} : { help }) })}`;
}

function hidden(page: number | string, { format }: CommentInput): Html {
  return html`<input type="hidden" name="page_id" value="${page}"><input type="hidden" name="format" value="${format}">`;
}

interface Drawn {
  readonly page: number;
  readonly each: CommentTree;
  readonly depth: number;
  readonly path: string;
  readonly mayAdd: boolean;
}

function drawComment(parts: Web["parts"], { page, each, depth, path, mayAdd }: Drawn, ui: Ui): Html {
  const { t } = ui;
  const { comment, children } = each;
  const may = (action: string) =>
    ui.isSignedIn &&
    (ui.may(`comment-${action}-all`) || (ui.may(`comment-${action}-own`) && ui.isViewer(comment.created_by?.id)));
  const own = `${path}/${comment.id}`;
  const replies = children.map((child) =>
    drawComment(parts, { page, each: child, depth: depth + 1, path, mayAdd }, ui),
  );
  const nested = depth < MAX_DEPTH ? html`<ul>${replies}</ul></li>` : html`</li>${replies}`;
  const archive = comment.archived ? t("Unarchive") : t("Archive");
  return html`<li id="comment${comment.local_id}"><article class="comment"><header><strong>${comment.created_by?.name ?? t("Unknown user")}</strong> <span class="quiet">#${comment.local_id} · ${dates(comment, ui)}</span></header>
<div class="page-content" dir="auto">${ui.raw(comment.html)}</div>
<footer class="actions">${mayAdd && inlineForm({ page, comment, action: `${path}?reply_to=${comment.local_id}`, label: t("Reply"), submit: t("Reply"), typed: { text: "", format: "plain" } }, ui)}${
    may("update") &&
    inlineForm(
      { page, comment, action: `${own}/edit`, label: t("Edit"), submit: t("Save"), typed: commentInput(comment.html) },
      ui,
    )
  }${
    depth === 0 &&
    comment.parent_id === null &&
    may("update") &&
    parts.button(ui, { action: `${own}/archive?archived=${comment.archived ? "false" : "true"}`, text: archive })
  }${may("delete") && parts.dialogLink(ui, { path: `${own}/delete`, text: t("Delete") })}</footer></article>
${children.length > 0 ? nested : html`</li>`}`;
}

/** When a comment was created and, where it was, edited. */
function dates({ created_at, updated_at }: CommentTree["comment"], ui: Ui): Html {
  if (updated_at === created_at) return ui.time(created_at);
  return textWithMarkup(ui, ":made, edited :changed", { made: ui.time(created_at), changed: ui.time(updated_at) });
}

interface InlineForm {
  readonly page: number;
  readonly comment: CommentTree["comment"];
  readonly action: string;
  readonly label: string;
  readonly submit: string;
  readonly typed: CommentInput;
}

/** A form that is collapsed to its label. There are many on a screen, so no element in it has an id. */
function inlineForm({ page, comment, action, label, submit, typed }: InlineForm, ui: Ui): Html {
  const help =
    typed.format === "html" && html`<small>${ui.t("This comment contains formatting, so you edit its HTML.")}</small>`;
  return html`<details class="comment-form"><summary>${label} <span class="unseen">#${comment.local_id}</span></summary><form method="post" action="${ui.url(action)}">
${hidden(page, typed)}<label>${ui.t("Text")}<textarea name="text" rows="4" required>\n${typed.text}</textarea>${help}</label>
<div class="ends"><button class="small">${submit}</button></div></form></details>`;
}

function countOf(trees: readonly CommentTree[]): number {
  return trees.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}
