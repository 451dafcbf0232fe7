/**
 * The forms that comments are written in. They work without scripts: text areas of Markdown, with a button that shows the form again with a
 * preview. `comment_editor.js` adds buttons and keys for formatting, and shows the preview in place. There are many forms on a screen, so none
 * but that of a new comment has elements with an id.
 */
import type { Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { CommentInput } from "./comment_text.ts";

/** The passage that a form is about: its text, and its place where a script knows it. */
export interface PassageInput {
  readonly quote: string;
  readonly place: string;
}

/** A form of a comment. */
export interface CommentForm {
  readonly action: string;
  /** The id of the page. */
  readonly page: number | string;
  readonly typed: CommentInput;
  readonly label: string;
  readonly submit: string;
  /** Errors of the text. */
  readonly errors?: readonly string[];
  /** For a comment that may be about a passage. */
  readonly passage?: PassageInput;
  readonly quoteErrors?: readonly string[];
  readonly cancel?: string;
}

/** Draws a form. */
export function commentForm(form: CommentForm, ui: Ui): Html {
  const { t } = ui;
  const { action, page, typed, label, submit, errors = [], passage, cancel } = form;
  const isHtml = typed.format === "html";
  return html`<form method="post" class="comment-fields" action="${ui.url(action)}">
<input type="hidden" name="page_id" value="${page}"><input type="hidden" name="format" value="${typed.format}">${passage && passageField(form, passage, ui)}<label>${label}<textarea name="text" rows="4" required${errors.length > 0 && html` aria-invalid="true"`}>\n${typed.text}</textarea>${fault(errors, ui)}${isHtml && html`<small>${t("This comment contains formatting, so you edit its HTML.")}</small>`}</label>
<div class="ends"><button class="small">${submit}</button>${
    !isHtml && html`<button class="small secondary outline" name="preview" value="1">${t("Preview")}</button>`
  }${cancel !== undefined && html`<a role="button" class="small secondary outline" href="${ui.url(cancel)}">${t("Cancel")}</a>`}</div></form>`;
}

/** A form that is folded to its label. */
export function foldedForm(form: CommentForm & { readonly number: number }, ui: Ui): Html {
  return html`<details class="comment-form"><summary>${form.label} <span class="unseen">#${form.number}</span></summary>${commentForm({ ...form, label: ui.t("Text") }, ui)}</details>`;
}

function passageField({ quoteErrors = [] }: CommentForm, { quote, place }: PassageInput, ui: Ui): Html {
  const { t } = ui;
  return html`<details${quote !== "" && html` open`}><summary>${t("About a passage")}</summary>
${place !== "" && html`<input type="hidden" name="place" value="${place}">`}<label>${t("Words of the page")}<textarea name="quote" rows="2"${quoteErrors.length > 0 && html` aria-invalid="true"`}>\n${quote}</textarea>${fault(quoteErrors, ui)}<small>${t("Word for word, or selected in the page.")}</small></label></details>`;
}

function fault(errors: readonly string[], ui: Ui): Html | false {
  return errors.length > 0 && html`<small class="fault" role="alert">${ui.icon("warning")} ${errors.join(" ")}</small>`;
}
