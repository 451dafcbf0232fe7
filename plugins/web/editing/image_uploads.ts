/**
 * Images chosen in the editor: uploaded to the gallery, and inserted into the text by their URLs. Scripts upload each at once and show its
 * progress; without them the images come with the form, and their text is put at its end. The texts of the scripts of pictures are
 * here, too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Parts, Ui, Visit } from "lectern/contracts";
import { type Html, html, type Upload } from "lectern/core";
import type { EditorData, Source } from "./editor.ts";
import { filesIn, IMAGE_TYPES } from "./fields.ts";

/** Uploaded images as text for the page, and the errors of the others. */
export interface UploadResult {
  readonly text: string;
  readonly errors: readonly string[];
}

/** The style of what the editor has for pictures, for its screen alone. */
export const PICTURE_STYLE = readFileSync(join(import.meta.dir, "public/editor_pictures.css"), "utf8");

/** The file fields of the editor, and the way to images that are uploaded already. */
export function imageField(parts: Parts, ui: Ui, { about, pageId, pictureErrors }: EditorData): Html {
  const { t } = ui;
  return html`<div class="editor-pictures">${parts.field(ui, {
    name: "pictures[]",
    label: t("Add images"),
    type: "file",
    accept: IMAGE_TYPES,
    multiple: true,
    help: html`<span class="needs-script">${t("They are inserted at the cursor. You can also paste images or drop them into the text.")}</span><span class="without-script">${t("They are uploaded when you add them, preview or save, and placed at the end of the text.")}</span>`,
    errors: pictureErrors,
  })}
<div class="picture-ways"><label class="take-photo"><span>${t("Take a photo")}</span><input type="file" name="photo" accept="image/*" capture="environment"></label>
${ui.serves("/api/image-gallery") && html`<a role="button" class="small secondary outline" target="_blank" href="${ui.url(pageId === null ? "/images" : `/images?of=${pageId}`)}" data-images="${ui.url(`/editor/images?about=${about}`)}" data-texts="${JSON.stringify(managerTexts(ui))}">${ui.icon("image")} ${t("Choose an uploaded image")}</a>`}</div><ul id="uploads" class="uploads" data-texts="${JSON.stringify(descriptionTexts(ui))}"></ul></div>`;
}

/** The choice of the menu of insertions that opens the images which are uploaded already. */
export function chooseImage({ serves, t }: Ui): Html {
  return html`${serves("/api/image-gallery") && html`<button type="button" data-choose-image>${t("Uploaded image")}</button>`}`;
}

/** The texts of `browser/picture_descriptions.ts`. */
function descriptionTexts({ t }: Ui) {
  return {
    describe: t("Say what the images show, for people who do not see them"),
    ofPicture: t("Description of :name"),
    alt: t("What the image shows"),
    caption: t("Caption"),
    done: t("Done"),
  };
}

/** The texts of `browser/picture_tools.ts`. */
export function pictureTexts({ t }: Ui) {
  return {
    "picture-alt": t("What the image shows"),
    "picture-caption": t("Caption"),
    "picture-width": t("Width in pixels"),
  };
}

/** The texts of `browser/image_manager.ts`. */
function managerTexts({ t }: Ui) {
  return {
    title: t("Uploaded images"),
    name: t("Search by name"),
    scope: t("Images of"),
    page: t("This page"),
    book: t("This book"),
    all: t("All books"),
    count: t("Images: :count"),
    more: t("Show more"),
    close: t("Close"),
    failed: t("The images could not be loaded."),
  };
}

/** The images of a form. */
export function imagesIn(visit: Visit): Upload[] {
  return [...filesIn(visit, "pictures"), ...filesIn(visit, "photo")];
}

/** Uploads images to a page one after another, in the order in which they were chosen. */
export async function uploadAll(
  visit: Visit,
  pageId: number,
  { images, source }: { readonly images: readonly Upload[]; readonly source: Source },
): Promise<UploadResult> {
  const written: string[] = [];
  const errors: string[] = [];
  for (const image of images) {
    const sent = await visit.send("POST", "/api/image-gallery", {
      type: "gallery",
      uploaded_to: String(pageId),
      image,
    });
    if (sent.ok) written.push(imageText(sent.body, source));
    else errors.push(`${image.name}: ${Object.values(sent.errors).flat()[0] ?? sent.message}`);
  }
  return { text: written.join("\n\n"), errors };
}

/** Appends the text of images to content. */
export function withImages(content: string, text: string): string {
  if (text === "") return content;
  return content.trim() === "" ? `${text}\n` : `${content.trimEnd()}\n\n${text}\n`;
}

function imageText({ url, name }: { readonly url: string; readonly name: string }, source: Source): string {
  return source === "markdown"
    ? `![${name.replace(/[[\]"<>&]/g, " ").trim()}](${url})`
    : html`<p><img src="${url}" alt="${name}"></p>`.toString();
}
