/**
 * The bar of the editor, which stays at the top of the window: the name, the state of the draft, who else writes, a note of the change,
 * and what ends the writing. All of it are fields and buttons of the form, so they work without scripts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ui, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { EditorData } from "./editor.ts";

/** The style of the bar and the drawer, for the screen of the editor alone. */
export const EDITOR_STYLE = readFileSync(join(import.meta.dir, "public/editor.css"), "utf8");

const MAX_NAME = 255;

/** Draws the bar; `faults` are the errors of the name. */
export function drawBar({ parts }: Web, data: EditorData, faults: readonly string[], ui: Ui): Html {
  const { t } = ui;
  const { name, back, others, conflict } = data;
  const invalid = html`${faults.length > 0 && html` aria-invalid="true" aria-describedby="field-name-fault"`}`;
  return html`<div class="editor-bar" id="editor-bar">
<div class="editor-name"><input id="field-name" name="name" dir="auto" value="${name}" required maxlength="${MAX_NAME}" aria-label="${t("Name")}" placeholder="${t("Name of the page")}" autocomplete="off"${name === "" && html` autofocus`}${invalid}>${
    faults.length > 0 &&
    html`<small class="fault" id="field-name-fault">${ui.icon("warning")} ${faults.join(" ")}</small>`
  }</div>
<div class="editor-acts"><button name="act" value="save" title="${t("Save and close")} (Ctrl+Enter)">${conflict ? t("Overwrite that change") : t("Save")}</button>
${!conflict && html`<button name="act" value="stay" class="secondary outline" title="${t("Save and continue")} (Ctrl+S)">${t("Save and continue")}</button>`}
<details class="dropdown editor-note"><summary role="button" class="secondary outline">${t("Note")}</summary><div class="editor-note-field">${parts.field(ui, { name: "summary", label: t("What did you change?"), maxlength: MAX_NAME, value: data.summary, placeholder: " ", autocomplete: "off" })}</div></details>
<a role="button" class="secondary outline" id="editor-close" href="${ui.url(back)}">${t("Close")}</a>
${data.about !== "none/0" && html`<a role="button" class="secondary outline" id="editor-discard" href="${ui.url(discardPath(data))}" data-dialog>${t("Discard")}</a>`}</div>
<div class="head-line editor-state"><p class="quiet" id="draft-state" role="status" aria-live="polite"></p><p class="quiet" id="editor-others" role="status">${others.map((one) => other(one, ui))}</p></div></div>`;
}

function other({ user, updated_at }: EditorData["others"][number], ui: Ui): Html {
  const name = user?.name ?? ui.t("Unknown user");
  return html`<span>${ui.icon("user")} ${ui.t(":name is also editing this page.", { name })} ${ui.time(updated_at)}</span> `;
}

/** The path of the question whether a draft is to be discarded. */
export function discardPath({ about, slot, back }: Pick<EditorData, "about" | "slot" | "back">): string {
  return `/editor/discard/${about}?slot=${slot}&back=${encodeURIComponent(back)}`;
}
