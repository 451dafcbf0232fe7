import { html } from "lectern/core";
import type { FoundImage, ImageRow, ImagesContext } from "./contract.ts";
import { ensureVariants } from "./variants.ts";

/** An image as rows of the listing and covers show it. */
export function imageSummary(
  row: Omit<ImageRow, "file_key" | "format" | "width" | "height" | "animated">,
  baseUrl: string,
) {
  return {
    id: row.id,
    name: row.name,
    url: `${baseUrl}${row.path}`,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: row.created_by,
    updated_by: row.updated_by,
    path: row.path,
    type: row.type,
    uploaded_to: row.uploaded_to,
  };
}

/** An image in full, with the URLs of its variants and the markup that puts it into a page (content-api 12). */
export async function presentImage(context: ImagesContext, row: FoundImage) {
  const thumbs = await ensureVariants(context, row);
  const answer = { ...imageSummary(row, context.baseUrl), ...row.people, thumbs };
  return { ...answer, content: markupFor(row, answer.url, thumbs.display ?? answer.url) };
}

function markupFor({ id, type, name }: FoundImage, url: string, display: string) {
  if (type === "drawio") {
    const drawing = html`<div drawio-diagram="${id}"><img src="${url}"></div>`.toString();
    return { html: drawing, markdown: drawing };
  }
  return {
    html: html`<a href="${url}" target="_blank"><img src="${display}" alt="${name}"></a>`.toString(),
    markdown: `![${withoutBrackets(name)}](${withoutBrackets(display)})`,
  };
}

/** Brackets would end the alternative text of an image in Markdown. */
function withoutBrackets(text: string): string {
  return text.replace(/[[\]]/g, "");
}

/** The cover of an item in an answer: shorter in listings. */
export function presentCover(row: ImageRow, moment: "listed" | "saved" | "read", baseUrl: string) {
  const summary = imageSummary(row, baseUrl);
  return moment === "listed" ? { id: summary.id, name: summary.name, url: summary.url } : summary;
}
