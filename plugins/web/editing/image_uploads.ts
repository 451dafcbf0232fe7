/** Images chosen in the editor: uploaded to the gallery, and inserted into the text by their URLs. */
import type { Parts, Ui, Visit } from "lectern/contracts";
import { type Html, html, type Upload } from "lectern/core";
import type { Source } from "./editor.ts";
import { filesIn, IMAGE_TYPES } from "./fields.ts";

/** Uploaded images as text for the page, and the errors of the others. */
export interface UploadResult {
  readonly text: string;
  readonly errors: readonly string[];
}

/** The file field of the editor. */
export function imageField(parts: Parts, ui: Ui, errors: readonly string[]): Html {
  const { t } = ui;
  return html`<div class="editor-pictures">${parts.field(ui, {
    name: "pictures[]",
    label: t("Add images"),
    type: "file",
    accept: IMAGE_TYPES,
    multiple: true,
    help: html`<span class="needs-script">${t("They are inserted at the cursor. You can also paste images or drop them into the text.")}</span><span class="without-script">${t("They are uploaded when you add them, preview or save, and placed at the end of the text.")}</span>`,
    errors,
  })}<ul id="uploads" class="uploads"></ul></div>`;
}

/** The images of a form. */
export function imagesIn(visit: Visit): Upload[] {
  return filesIn(visit, "pictures");
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
