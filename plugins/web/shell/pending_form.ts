/**
 * A form that was submitted after the session had ended. The screen shows what the user wrote; other fields, such as the revision that
 * an edit starts from, are submitted again as hidden fields.
 */
import type { Ui } from "lectern/contracts";
import { type Html, html, type InputObject, isUpload } from "lectern/core";

type WrittenFields = Readonly<Record<string, string>> | undefined;

/** The submitted form. */
export interface PendingForm {
  readonly path: string;
  readonly fields: readonly PendingField[];
}

/** A field of the form. */
export interface PendingField {
  readonly name: string;
  readonly value: string;
  /** English; undefined for a hidden field. */
  readonly label: string | undefined;
}

/** Characters of a text beyond which its field is a textarea. */
const LONG_TEXT = 30;

/** The body of the screen: everything that the user typed, ready to be submitted again. */
export function pendingFormBody({ path, fields }: PendingForm, ui: Ui): Html {
  const { t } = ui;
  return html`<h1>${t("You are signed out")}</h1>
<p>${t("Nothing was saved, but your input is kept on this screen. Sign in in another tab, then send it again.")}</p>
<p><a href="${ui.url("/login")}" target="_blank" rel="noopener">${t("Sign in in another tab")}</a></p>
<form method="post" action="${ui.url(path)}">${fields.map((field) => pendingField(field, ui))}<div class="ends"><button>${t("Send it again")}</button></div></form>`;
}

function pendingField({ name, value, label }: PendingField, ui: Ui): Html {
  if (label === undefined) return html`<input type="hidden" name="${name}" value="${value}">`;
  const isLong = value.length > LONG_TEXT || value.includes("\n");
  return html`<div class="field"><label>${ui.t(label)}${
    isLong
      ? html`<textarea name="${name}" rows="10">\n${value}</textarea>`
      : html`<input name="${name}" value="${value}">`
  }</label></div>`;
}

/** The fields of a submitted form; `written` is that of `Web.form`. */
export function pendingFields(input: InputObject, written: WrittenFields): PendingField[] {
  return fieldsOf(input).map(([name, value]) => ({ name, value, label: labelOf(name, value, written) }));
}

/** The texts of a form by field name, without passwords and files. */
function fieldsOf(input: InputObject, within = ""): [name: string, value: string][] {
  return Object.entries(input).flatMap(([key, value]): [string, string][] => {
    const name = within === "" ? key : `${within}[${key}]`;
    if (typeof value === "string" || typeof value === "number")
      return /password/i.test(name) ? [] : [[name, String(value)]];
    return typeof value === "object" && value !== null && !isUpload(value) ? fieldsOf(value as InputObject, name) : [];
  });
}

/** Where a form does not declare its written fields, texts are shown from this length on, in characters. */
const MIN_SHOWN = 30;

/** The label of a field that the user wrote in; undefined for a hidden field. */
function labelOf(name: string, value: string, written: WrittenFields): string | undefined {
  if (value === "") return undefined;
  if (written) return Object.hasOwn(written, rootOf(name)) ? written[rootOf(name)] : undefined;
  // Numbers, tokens and URLs contain no spaces; written text does.
  return value.length >= MIN_SHOWN && /\s/.test(value) ? name : undefined;
}

/** "tags" of "tags[0][name]". */
function rootOf(name: string): string {
  return name.split("[", 1)[0] ?? name;
}
