/**
 * The markup of the editor: messages, the form with its bar, its hidden fields and its drawer, the preview beside the source, and the data for
 * `public/editor.js` and `public/save.js`; that for the rich editor is in `rich_view.ts`. It works without scripts; elements that need
 * scripts are hidden without them.
 */
import type { Toolbar, Ui, Web } from "lectern/contracts";
import { fileKilobytes, type Html, html } from "lectern/core";
import { discardPath, drawBar } from "./bar_view.ts";
import { baseTagsField, conflictNotice } from "./conflict_view.ts";
import type { EditingContext } from "./contract.ts";
import { drawDrawer } from "./drawer_view.ts";
import type { EditorData, EditorScreenData } from "./editor.ts";
import { errorsIn, IMAGE_TYPES } from "./fields.ts";
import { imageField } from "./image_uploads.ts";
import { richData } from "./rich_view.ts";
import { sourceData } from "./source_view.ts";

const BYTES_PER_KILOBYTE = 1024;

/** What the editor is drawn of. */
export interface DrawnEditor extends EditorScreenData {
  readonly limitMb: number;
  readonly scripts: EditingContext["scripts"];
}

/** Draws the editor: messages, form and preview. */
export function drawEditor(web: Web, data: DrawnEditor, ui: Ui): Html {
  const { parts } = web;
  const { t } = ui;
  const { title, about, action, source, content, base, preview, sent, slot, keptAt } = data;
  const { errors, error } = errorsIn(sent);
  const label = source === "markdown" ? t("Content in Markdown") : t("Content in HTML");
  return html`<h1 class="unseen" id="editor-title">${title}</h1>${hasAdditions(data.toolbar) && html`<div class="editor-additions">${parts.toolbar(ui, data.toolbar)}</div>`}
${messages(parts, data, ui)}
${copyOffer(ui)}
<form method="post" enctype="multipart/form-data" id="editor" class="editor" action="${ui.url(action)}" ${scriptData(data, ui)} data-rich="${JSON.stringify(richData(data, ui))}" data-source="${JSON.stringify(sourceData(data, ui))}">
${drawBar(web, data, errors.name ?? [], ui)}
${error !== undefined && data.conflict === undefined && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${error}</p>`}
${errors.summary && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${errors.summary.join(" ")}</p>`}
<input type="hidden" name="source" value="${source}"><input type="hidden" name="about" value="${about}"><input type="hidden" name="kept_at" value="${keptAt}">${slot !== "" && html`<input type="hidden" name="slot" value="${slot}">`}
${base !== undefined && html`<input type="hidden" name="base_revision" value="${base}">${baseTagsField(data.baseTags)}`}
<div class="editor-frame"><div class="editor-panes">
<div class="editor-source">${source === "markdown" && formattingToolbar(data.formatting, ui)}
${parts.field(ui, { name: "content", label, type: "textarea", rows: 24, value: content, errors: errors[source] })}
${about !== "none/0" && imageField(parts, ui, data)}</div>
<div class="editor-preview"><h2 id="preview-title">${t("Preview")}</h2>
<div id="preview" class="page-content" tabindex="0" role="region" aria-labelledby="preview-title" hx-post="${ui.url("/editor/preview")}" hx-trigger="input changed delay:400ms from:#field-content" hx-include="#editor" hx-target="this" hx-status:4xx="swap:none" hx-status:5xx="swap:none">${
    preview !== undefined && ui.raw(preview)
  }</div></div></div>
${drawDrawer(web, data, ui)}</div>
<div class="ends without-script"><button name="act" value="preview" class="secondary">${t("Preview")}</button>
<button name="act" value="pictures" class="secondary">${t("Add selected images")}</button></div></form>
<div id="editor-insert" hidden>${data.insertions}</div>
${sourceSwitch(data, ui)}`;
}

/** What a script shows where this browser holds text that was not saved. */
function copyOffer(ui: Ui): Html {
  const { t } = ui;
  return html`<template id="copy-offer"><div class="notice note" role="status">${ui.icon("history")} <span>${t("This browser holds text that was not saved.")}</span> <time></time>
<pre class="their-text" hidden></pre><div class="actions"><button type="button" class="small" data-copy-act="restore">${t("Restore it")}</button>
<button type="button" class="small secondary outline" data-copy-act="show" aria-expanded="false">${t("Show")}</button>
<button type="button" class="small secondary outline" data-copy-act="drop">${t("Throw it away")}</button></div></div></template><div id="copy-offers"></div>`;
}

function hasAdditions({ items, markup }: Toolbar): boolean {
  return items.length > 0 || html`${markup}`.toString() !== "";
}

/** Attributes for the script: URLs, limits and texts. */
function scriptData({ about, pageId, limitMb }: EditorData & { readonly limitMb: number }, ui: Ui): Html {
  const { t } = ui;
  const texts = {
    saved: t("Draft saved at :time"),
    failed: t("The draft could not be saved"),
    offline: t("There is no connection"),
    unsaved: t("The page could not be saved"),
    kept: t("Your text is kept in this browser."),
    saving: t("Saving"),
    pageSaved: t("Page saved at :time"),
    also: t(":name is also editing this page."),
    hasSaved: t(":name has saved this page."),
    someone: t("Unknown user"),
    uploading: t("Uploading :name"),
    uploaded: t(":name is uploaded."),
    waiting: t("Images are still uploading. The page is saved when they are done."),
    unfit: t(":name is not a supported image. Supported formats: JPEG, PNG, GIF, WebP and AVIF."),
    large: t(":name is larger than :size MB.", { size: limitMb }),
    lost: t(":name could not be uploaded. Try again."),
  };
  const isKept = about !== "none/0";
  return html`data-draft="${isKept ? ui.url(`/editor/draft/${about}`) : ""}" data-user="${ui.viewer.id}" data-root="${ui.url("/")}" data-pictures="${ui.url("/editor/picture/")}" data-files="${ui.url("/editor/file/")}"
 data-page="${pageId ?? ""}" data-types="${IMAGE_TYPES}" data-limit="${fileKilobytes(limitMb) * BYTES_PER_KILOBYTE}" data-texts="${JSON.stringify(texts)}"`;
}

function messages(parts: Web["parts"], data: EditorData, ui: Ui): Html {
  const { draftOf, begun, action } = data;
  const { t } = ui;
  return html`${
    begun.length > 0 &&
    html`<div class="notice note">${ui.icon("history")} ${t("Unsaved drafts started here:")}<ul>${begun.map(
      (one) =>
        html`<li><a href="${ui.url(action)}?slot=${one.slot}">${one.name === "" ? t("Untitled") : one.name}</a> ${ui.time(one.updated_at)}</li>`,
    )}</ul></div>`
  }
${
  draftOf !== undefined &&
  html`<div class="notice note" role="status">${ui.icon("history")} ${t("This is your unsaved draft.")} ${ui.time(draftOf)}
${parts.button(ui, { action: discardPath(data), text: t("Discard the draft"), icon: "delete" })}</div>`
}
${conflictNotice(parts, data, ui)}`;
}

/** Buttons that insert Markdown around the selection, until the source editor has loaded, which keeps those of plugins; hidden without scripts. */
function formattingToolbar(added: Html, ui: Ui): Html {
  const { t } = ui;
  const tools = [
    ["**", "**", "B", t("Bold")],
    ["*", "*", "I", t("Italic")],
    ["\n## ", "", "H", t("Heading")],
    ["[", "](https://)", "↗", t("Link")],
    ["\n- ", "", "•", t("List")],
    ["`", "`", "‹›", t("Code")],
    ["\n> ", "", "❝", t("Quote")],
  ] as const;
  return html`<div class="toolbar needs-script" role="toolbar" aria-label="${t("Formatting")}" data-own="${tools.length}">${tools.map(
    ([before, after, sign, name]) =>
      html`<button type="button" class="small secondary outline" data-before="${before}" data-after="${after}" aria-label="${name}" title="${name}">${sign}</button>`,
  )}${added}</div>`;
}

function sourceSwitch({ source, action, draftOf, base, editor }: EditorScreenData, ui: Ui): Html {
  if (draftOf !== undefined || !editor.canSwitch) return html``;
  const other = source === "markdown" ? "html" : "markdown";
  const text = source === "markdown" ? ui.t("Write in HTML instead") : ui.t("Write in Markdown instead");
  return html`<p class="quiet"><a href="${ui.url(action)}?source=${other}">${text}</a>${
    base !== undefined && html` – ${ui.t("unsaved changes are lost")}`
  }</p>`;
}
