/**
 * The markup of the drawer: place, tags, owner as fields of the form; templates, attachments and pictures as lists that `public/drawer.js`
 * fills. Without scripts there are links to the screens of attachments and permissions instead of the lists.
 */
import type { Ui, Web } from "lectern/contracts";
import { fileKilobytes, type Html, html } from "lectern/core";
import type { DrawerData } from "./drawer.ts";
import { type NamedTag, tagFields } from "./fields.ts";

const BYTES_PER_KILOBYTE = 1024;

/** What the drawer is drawn from. */
export interface DrawerParts {
  readonly drawer: DrawerData | undefined;
  readonly tags: readonly NamedTag[];
  readonly limitMb: number;
}

/** Draws the drawer; it can be closed, and is closed at first on a phone with scripts. */
export function drawDrawer({ parts }: Web, { drawer, tags, limitMb }: DrawerParts, ui: Ui): Html {
  const { t } = ui;
  const hasFiles = drawer !== undefined && ui.serves("/api/attachments");
  const hasPictures = drawer !== undefined && ui.serves("/api/image-gallery");
  return html`<details class="editor-drawer" id="editor-drawer" open ${drawerData(limitMb, ui)}><summary>${t("Details")}</summary>
<div class="drawer-parts">${drawer && placePart(parts, drawer, ui)}
${tagFields(tags, ui)}
${ui.serves("/editor/templates") && html`<section class="drawer-part" id="drawer-templates" aria-labelledby="drawer-templates-title" hidden><h2 id="drawer-templates-title">${ui.icon("copy")} ${t("Templates")}</h2><ul class="drawer-list"></ul></section>`}
${hasFiles && filesPart(drawer, ui)}
${hasPictures && html`<section class="drawer-part needs-script" id="drawer-pictures" aria-labelledby="drawer-pictures-title"><h2 id="drawer-pictures-title">${ui.icon("image")} ${t("Pictures")}</h2><p class="quiet drawer-empty">${t("This page has no pictures yet.")}</p><ul class="drawer-pictures"></ul></section>`}
${drawer?.owner !== undefined && ownerPart(parts, drawer, ui)}</div></details>`;
}

function placePart(parts: Web["parts"], { place, targets, target, placed, path }: DrawerData, ui: Ui): Html {
  const { t } = ui;
  if (targets.length === 0)
    return html`<p class="drawer-part">${ui.icon("book")} <span class="unseen">${t("Place")}: </span><bdi>${place.join(" › ")}</bdi></p>`;
  return html`<div class="drawer-part">${parts.field(ui, {
    name: "target",
    label: t("Place"),
    type: "select",
    value: target,
    options: targets,
    help: html`${t("It is moved there when you save.")} <a href="${ui.url(`${path}/move`)}">${t("More places")}</a>`,
  })}<input type="hidden" name="placed" value="${placed}"></div>`;
}

function ownerPart(parts: Web["parts"], { owner = "", owners, ownerId, ownedBy, path }: DrawerData, ui: Ui): Html {
  const { t } = ui;
  if (owners.length === 0)
    return html`<p class="drawer-part">${ui.icon("user")} ${t("Owner: :name", { name: owner })}</p>`;
  const help = html`<a href="${ui.url(`${path}/permissions`)}">${t("Permissions")}</a>`;
  return html`<div class="drawer-part">${parts.field(ui, { name: "owner_id", label: t("Owner"), type: "select", value: ownerId, options: owners, help })}<input type="hidden" name="owned_by" value="${ownedBy}"></div>`;
}

/** A new page has attachments once its draft was saved, which scripts do. */
function filesPart({ path }: DrawerData, ui: Ui): Html {
  const { t } = ui;
  return html`<section class="drawer-part${path === undefined && " needs-script"}" id="drawer-files" aria-labelledby="drawer-files-title"><h2 id="drawer-files-title">${ui.icon("attachment")} ${t("Attachments")}</h2>
<ul class="drawer-list"></ul>
<p class="needs-script"><button type="button" class="small secondary outline" data-add-files>${ui.icon("plus")} ${t("Add files")}</button> <input type="file" multiple hidden aria-label="${t("Add files")}"></p><ul class="uploads" aria-live="polite"></ul>
${path !== undefined && html`<p class="drawer-more"><a href="${ui.url(`${path}/attachments`)}">${t("Attachments of this page")}</a></p>`}</section>`;
}

/** Attributes for the script: addresses, the limit, texts. */
function drawerData(limitMb: number, ui: Ui): Html {
  const { t } = ui;
  const texts = {
    actions: t("Actions for “:name”"),
    insert: t("Insert into the text"),
    rename: t("Rename"),
    replace: t("Replace"),
    up: t("Move up"),
    down: t("Move down"),
    delete: t("Delete"),
    cancel: t("Cancel"),
    name: t("Name"),
    question: t("Delete “:name”?"),
    detail: t("It is deleted immediately. This cannot be undone."),
    large: t(":name is larger than :size MB.", { size: limitMb }),
    lost: t(":name could not be uploaded. Try again."),
    failed: t("This could not be saved. Try again."),
    uploading: t("Uploading :name"),
    insertPicture: t("Insert the picture “:name”"),
    start: t("At the start"),
    cursor: t("At the cursor"),
    end: t("At the end"),
    template: t("Insert the template “:name”"),
  };
  return html`data-files="${ui.url("/editor/attachments/")}" data-file="${ui.url("/editor/attachment/")}" data-pictures="${ui.url("/editor/pictures/")}" data-templates="${ui.url("/editor/templates")}" data-limit="${fileKilobytes(limitMb) * BYTES_PER_KILOBYTE}" data-texts="${JSON.stringify(texts)}"`;
}
