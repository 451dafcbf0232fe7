/** Pictures that are chosen in the editor: uploaded to the gallery and written into the text by their addresses. */
import type { Parts, Ui, Visit } from "lectern/contracts";
import { type Html, html, isUpload, type Upload } from "lectern/core";
import type { Source } from "./editor.ts";
import { PICTURE_TYPES } from "./fields.ts";

/** Pictures that were uploaded, as text to be added to the page, and what was wrong with others. */
export interface Added {
  readonly text: string;
  readonly errors: readonly string[];
}

/** The field of the editor that pictures are chosen in. */
export function pictureField(parts: Parts, ui: Ui, errors: readonly string[]): Html {
  const { t } = ui;
  return html`<div class="editor-pictures">${parts.field(ui, {
    name: "pictures[]",
    label: t("Add images"),
    type: "file",
    accept: PICTURE_TYPES,
    multiple: true,
    help: html`<span class="needs-script">${t("They are inserted at the cursor. You can also paste images or drop them into the text.")}</span><span class="without-script">${t("They are uploaded when you add them, preview or save, and placed at the end of the text.")}</span>`,
    errors,
  })}<ul id="uploads" class="uploads"></ul></div>`;
}

/** The pictures of a form; browsers send an empty file where none was chosen. */
export function picturesIn(visit: Visit): Upload[] {
  const { pictures } = visit.input;
  const sent = isUpload(pictures) ? [pictures] : typeof pictures === "object" ? Object.values(pictures ?? {}) : [];
  return sent.filter((file): file is Upload => isUpload(file) && file.size > 0);
}

/** Uploads pictures to a page one after another, so that they stand in the order they were chosen in. */
export async function uploadAll(
  visit: Visit,
  pageId: number,
  { pictures, source }: { readonly pictures: readonly Upload[]; readonly source: Source },
): Promise<Added> {
  const written: string[] = [];
  const errors: string[] = [];
  for (const image of pictures) {
    const sent = await visit.send<{ url: string; name: string }>("POST", "/api/image-gallery", {
      type: "gallery",
      uploaded_to: String(pageId),
      image,
    });
    if (sent.ok) written.push(asText(sent.body, source));
    else errors.push(`${image.name}: ${Object.values(sent.errors).flat()[0] ?? sent.message}`);
  }
  return { text: written.join("\n\n"), errors };
}

/** Content with pictures below it. */
export function withPictures(content: string, text: string): string {
  if (text === "") return content;
  return content.trim() === "" ? `${text}\n` : `${content.trimEnd()}\n\n${text}\n`;
}

function asText({ url, name }: { readonly url: string; readonly name: string }, source: Source): string {
  return source === "markdown"
    ? `![${name.replace(/[[\]"<>&]/g, " ").trim()}](${url})`
    : html`<p><img src="${url}" alt="${name}"></p>`.toString();
}
