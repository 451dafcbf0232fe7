/**
 * Draws the comments of a page: threads with replies, resolved threads collapsed, the passages that they are about, and a form for each
 * action that the viewer may take. `page.js` loads what scripts add once it is needed.
 */
import { pagePath, type Ui, type Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Book, CommentTree, Page } from "./api_types.ts";
import { commentForm, foldedForm } from "./comment_fields.ts";
import { commentInput } from "./comment_text.ts";
import { textWithMarkup } from "./item_details.ts";

/** Replies below this depth are not indented further, for lack of room on phones. */
const MAX_DEPTH = 6;
/** Characters of a passage that are shown. */
const MAX_SHOWN = 200;

const EMPTY = { text: "", format: "markdown" } as const;

/** The addresses of what screens with comments load. */
export interface CommentAssets {
  readonly script: string;
  /** The script of the small editor. */
  readonly editor: string;
  readonly style: string;
}

/** Draws the comments of a page. */
export function drawComments({ parts }: Web, { book, page }: { book: Book; page: Page }, ui: Ui): Html {
  const { t } = ui;
  const path = `${pagePath(book, page)}/comments`;
  const { active, archived } = page.comments;
  const isOpen = !page.draft && ui.isSignedIn && ui.serves("/api/comments", "POST");
  const mayAdd = isOpen && (ui.may("comment-create-all") || ui.may("comment-create-own"));
  if (active.length + archived.length === 0 && !mayAdd) return html``;
  const tree = (each: CommentTree) => drawComment(parts, { page: page.id, each, depth: 0, path, mayAdd }, ui);
  const form = {
    ...{ action: path, page: page.id, typed: EMPTY, passage: { quote: "", place: "" } },
    ...{ label: t("Add a comment"), submit: t("Add the comment") },
  };
  return html`<section class="comments" aria-labelledby="comments-title"><h2 id="comments-title">${ui.icon("comment")} ${t("Comments")} <span class="quiet">${countOf([...active, ...archived])}</span></h2>
${active.length > 0 && html`<ul>${active.map(tree)}</ul>`}
${archived.length > 0 && html`<details class="archived"><summary>${t("Resolved threads (:count)", { count: archived.length })}</summary><ul>${archived.map(tree)}</ul></details>`}
${mayAdd && commentForm(form, ui)}</section>`;
}

/** What scripts need: texts, words of the small editor, addresses of what they load. */
export function scriptFacts({ script, style, editor }: CommentAssets, { t }: Ui) {
  const texts = [t("Copy link"), t("Copied"), t("Comment #:number on this passage"), t("Outdated"), t("Comment")];
  const marks = [t("Bold"), t("Italic"), t("Link"), t("List"), t("Code"), t("Quote")];
  const words = [t("Formatting"), t("Text"), t("Write on"), t("People"), t(":name, :number of :count"), ...marks];
  return { texts: texts.join("|"), words: words.join("|"), assets: [style, script, editor].join(" ") };
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
  const number = comment.local_id;
  const form = { page, number };
  return html`<li id="comment${number}"><article class="comment" id="comment-${number}"><header><strong>${comment.created_by?.name ?? t("Unknown user")}</strong> <span class="quiet"><a href="#comment-${number}">#${number}</a> · ${dates(comment, ui)}</span></header>
${comment.passage && drawPassage(parts, comment.passage, ui)}<div class="page-content" dir="auto">${ui.raw(comment.html)}</div>
<footer class="actions">${mayAdd && foldedForm({ ...form, action: `${path}?reply_to=${number}`, label: t("Reply"), submit: t("Reply"), typed: EMPTY }, ui)}${
    may("update") &&
    foldedForm(
      { ...form, action: `${own}/edit`, label: t("Edit"), submit: t("Save"), typed: commentInput(comment) },
      ui,
    )
  }${
    depth === 0 &&
    comment.parent_id === null &&
    may("update") &&
    parts.button(ui, {
      action: `${own}/archive?archived=${comment.archived ? "false" : "true"}`,
      text: comment.archived ? t("Reopen") : t("Resolve"),
    })
  }${may("delete") && parts.dialogLink(ui, { path: `${own}/delete`, text: t("Delete") })}</footer></article>
${children.length > 0 ? nested : html`</li>`}`;
}

/** The passage that a comment is about, as a link to its element. */
function drawPassage(
  parts: Web["parts"],
  { quote, content_ref, outdated }: NonNullable<CommentTree["comment"]["passage"]>,
  ui: Ui,
): Html {
  const shown = quote.length > MAX_SHOWN ? `${quote.slice(0, MAX_SHOWN).toWellFormed()} …` : quote;
  const target = content_ref.split(":").slice(0, -2).join(":");
  return html`<p class="passage" dir="auto" data-place="${content_ref}" data-quote="${quote}">${
    outdated
      ? html`<q>${shown}</q> ${parts.badge(ui, "note", ui.t("Outdated"))}`
      : html`<a href="#${target}"><q>${shown}</q></a>`
  }</p>`;
}

/** When a comment was created and, where it was, edited. */
function dates({ created_at, updated_at }: CommentTree["comment"], ui: Ui): Html {
  if (updated_at === created_at) return ui.time(created_at);
  return textWithMarkup(ui, ":made, edited :changed", { made: ui.time(created_at), changed: ui.time(updated_at) });
}

function countOf(trees: readonly CommentTree[]): number {
  return trees.reduce((sum, { children }) => sum + 1 + countOf(children), 0);
}
