import { html, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { FoundImage, ImageRow } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { thumbsOf } from "./thumbs.ts";

/** The condition under which a row is one of the gallery and no cover. */
export const IN_GALLERY = sql<boolean>`images.type in ('gallery', 'drawio')`;

/** What a row of a listing shows; the address is made of the path. */
export const LISTED = sql`images.id, images.name, images.path, images.type, images.uploaded_to,
  images.created_by, images.updated_by, images.created_at, images.updated_at`;

/** A picture of the gallery by id, whether or not its page can be seen; undefined where there is none. */
export async function findImage(parts: Parts, id: number): Promise<FoundImage | undefined> {
  const [found] = await rows<FoundImage>(parts.db, sql`${selected(parts)} where images.id = ${id} and ${IN_GALLERY}`);
  return found;
}

/** A picture by its path, if the viewer sees what it belongs to: the page of a picture, the item of a cover. */
export async function findVisible(
  parts: Parts,
  viewer: Viewer,
  by: { readonly id: number } | { readonly path: string },
): Promise<FoundImage | undefined> {
  // By number, only the gallery's are found; covers are read with their items.
  const named = "id" in by ? sql`images.id = ${by.id} and ${IN_GALLERY}` : sql`images.path = ${by.path}`;
  const [found] = await rows<FoundImage>(
    parts.db,
    sql`${selected(parts)} where ${named} and ${parts.sees("images", viewer)}`,
  );
  return found;
}

function selected({ contracts: { users } }: Parts) {
  return sql`select images.*, json_build_object('created_by', ${users.ref(sql.ref("images.created_by"))},
    'updated_by', ${users.ref(sql.ref("images.updated_by"))}) as people from images`;
}

/** A picture as rows of a listing and covers show it. */
export function facts(row: Omit<ImageRow, "file_key" | "format" | "width" | "height" | "animated">, baseUrl: string) {
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

/** A picture in full, with its smaller forms and what to write into a page (content-api 12). */
export async function readImage(parts: Parts, row: FoundImage) {
  const thumbs = await thumbsOf(parts, row);
  const shown = { ...facts(row, parts.baseUrl), ...row.people, thumbs };
  return { ...shown, content: contentOf(row, shown.url, thumbs.display ?? shown.url) };
}

function contentOf({ id, type, name }: FoundImage, url: string, display: string) {
  if (type === "drawio") {
    const drawing = html`<div drawio-diagram="${id}"><img src="${url}"></div>`.toString();
    return { html: drawing, markdown: drawing };
  }
  return {
    html: html`<a href="${url}" target="_blank"><img src="${display}" alt="${name}"></a>`.toString(),
    markdown: `![${unbracketed(name)}](${unbracketed(display)})`,
  };
}

/** Brackets would end the alternative text of a picture in Markdown. */
function unbracketed(text: string): string {
  return text.replace(/[[\]]/g, "");
}
