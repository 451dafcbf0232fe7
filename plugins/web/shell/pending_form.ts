/**
 * A form whose sender was signed out while they wrote. What they wrote is shown to them; what the form carries along for
 * itself, such as the revision it starts from, is sent again unseen.
 */
import type { Ui } from "lectern/contracts";
import { type Html, html, type InputObject, isUpload } from "lectern/core";

type Written = Readonly<Record<string, string>> | undefined;

/** A form that nobody may send any more, as it was sent. */
export interface PendingForm {
  readonly path: string;
  readonly fields: readonly PendingField[];
}

/** A field of such a form. */
export interface PendingField {
  readonly name: string;
  readonly value: string;
  /** English; undefined for a field that nobody wrote in, which is carried along unseen. */
  readonly label: string | undefined;
}

/** Texts from which on a field has several lines. */
const LONG_TEXT = 30;

/** What somebody sees who sent a form after their session had ended: everything they typed, ready to be sent again. */
export function pendingFormBody({ path, fields }: PendingForm, ui: Ui): Html {
  const { t } = ui;
  return html`<h1>${t("You are signed out")}</h1>
<p>${t("Nothing was saved, but your input is kept on this screen. Sign in in another tab, then send it again.")}</p>
<p><a href="${ui.url("/login")}" target="_blank" rel="noopener">${t("Sign in in another tab")}</a></p>
<form method="post" action="${ui.url(path)}">${fields.map((field) => heldField(field, ui))}<div class="ends"><button>${t("Send it again")}</button></div></form>`;
}

function heldField({ name, value, label }: PendingField, ui: Ui): Html {
  if (label === undefined) return html`<input type="hidden" name="${name}" value="${value}">`;
  const isLong = value.length > LONG_TEXT || value.includes("\n");
  return html`<div class="field"><label>${ui.t(label)}${
    isLong
      ? html`<textarea name="${name}" rows="10">\n${value}</textarea>`
      : html`<input name="${name}" value="${value}">`
  }</label></div>`;
}

/** The fields of a form as they were sent; `written` is that of `Web.form`. */
export function pendingFields(input: InputObject, written: Written): PendingField[] {
  return fieldsOf(input).map(([name, value]) => ({ name, value, label: labelOf(name, value, written) }));
}

/** The texts of a form by the names of its fields; what must not stand in a document is left out. */
function fieldsOf(input: InputObject, within = ""): [name: string, value: string][] {
  return Object.entries(input).flatMap(([key, value]): [string, string][] => {
    const name = within === "" ? key : `${within}[${key}]`;
    if (typeof value === "string" || typeof value === "number")
      return /password/i.test(name) ? [] : [[name, String(value)]];
    return typeof value === "object" && value !== null && !isUpload(value) ? fieldsOf(value as InputObject, name) : [];
  });
}

/** Texts of forms that do not say what a person writes in them are shown from this length on. */
const WORTH_SHOWING = 30;

/** The label of a field that a person wrote in; undefined for what a form carries along for itself. */
function labelOf(name: string, value: string, written: Written): string | undefined {
  if (value === "") return undefined;
  if (written) return Object.hasOwn(written, rootOf(name)) ? written[rootOf(name)] : undefined;
  // Numbers, tokens and addresses have no space in them; what somebody took the trouble to write has.
  return value.length >= WORTH_SHOWING && /\s/.test(value) ? name : undefined;
}

/** "tags" of "tags[0][name]". */
function rootOf(name: string): string {
  return name.split("[", 1)[0] ?? name;
}
