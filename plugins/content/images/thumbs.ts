/**
 * The smaller forms of pictures, made when they are first asked for: saving a page with fifty pictures need not wait for
 * a hundred thumbnails. They lie beside the file they were made of and go with it; what is lost is made again.
 */
import { type StoredFile, sql } from "lectern/core";
import { write } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { type Form, formOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { isDamage, type Source } from "./pictures.ts";

const CROP = { width: 150, height: 150 };
const DISPLAY_WIDTH = 1680;

/** Addresses of the smaller forms; null for one that cannot be made (content-api 12). */
export interface Thumbs {
  readonly gallery: string | null;
  readonly display: string | null;
}

type Pictured = Pick<ImageRow, "file_key" | "format" | "width" | "animated" | "damaged" | "path">;

/** By the key of the file they are made of. */
const MAKING = new Map<string, Promise<void>>();

/** Where a smaller form of a file lies. */
export function thumbKey(fileKey: string, form: Form): string {
  return `${fileKey}.${form}`;
}

/** The key of the file that a key belongs to, be it that of a smaller form. */
export function ownerKey(key: string): string {
  return key.replace(/\.(gallery|display)$/, "");
}

/** Makes sure that the smaller forms are there, and answers with their addresses. */
export async function thumbsOf(parts: Parts, row: Pictured): Promise<Thumbs> {
  if (row.damaged) return { gallery: null, display: null };
  const [gallery, display] = [await fileOf(parts, row, "gallery"), await fileOf(parts, row, "display")];
  const url = `${parts.baseUrl}${row.path}`;
  // A moving picture stays as it is, at its own address.
  const shown = row.animated || row.format === "gif" ? url : formOf(url, "display");
  return { gallery: gallery ? formOf(url, "gallery") : null, display: display ? shown : null };
}

/** The file to show for a picture or a smaller form of it: of a damaged one the picture itself is all there is to display. */
export async function shownFile(parts: Parts, row: Pictured, form?: Form): Promise<StoredFile | undefined> {
  return (await fileOf(parts, row, form)) ?? (form === "display" ? parts.files.get(row.file_key) : undefined);
}

/** The file of a picture or of a smaller form of it, made now if need be; undefined where it cannot be had. */
export async function fileOf(parts: Parts, row: Pictured, form?: Form): Promise<StoredFile | undefined> {
  if (form && row.damaged) return undefined;
  if (!form || (form === "display" && isShownAsItIs(row))) return parts.files.get(row.file_key);
  const key = thumbKey(row.file_key, form);
  const made = await parts.files.get(key);
  if (made) return made;
  await makeOnce(parts, row);
  return parts.files.get(key);
}

/**
 * Makes both smaller forms of a file, which need not be stored yet: the square of the display form where there is one, so
 * that a large picture is decoded once. Throws ApiError 422 where its pixels cannot be read.
 */
export async function prepare(parts: Parts, source: Source, row: Pictured): Promise<void> {
  let still = source;
  if (!isShownAsItIs(row)) {
    const bytes = await parts.pictures.fitted(source, { width: DISPLAY_WIDTH });
    if (bytes) await put(parts, row, "display", bytes);
    still = bytes ?? source;
  }
  await put(parts, row, "gallery", await parts.pictures.cropped(still, CROP));
}

/** Whether the display form is the picture itself: it is small enough, or it moves. */
function isShownAsItIs({ width, animated, format }: Pictured): boolean {
  return width <= DISPLAY_WIDTH || animated || format === "gif";
}

/** Several who ask at once wait for the same, whichever form they want. */
async function makeOnce(parts: Parts, row: Pictured): Promise<void> {
  const making = MAKING.get(row.file_key) ?? make(parts, row).finally(() => MAKING.delete(row.file_key));
  MAKING.set(row.file_key, making);
  return making;
}

async function make(parts: Parts, row: Pictured): Promise<void> {
  const file = await parts.files.get(row.file_key);
  if (!file) return;
  try {
    await prepare(parts, await file.bytes(), row);
  } catch (error) {
    parts.log.warn("Cannot make smaller forms of a picture", { path: row.path, error });
    // Those that came inside a page or an import were not decoded then; trying once is enough.
    if (isDamage(error, { forGood: true }))
      await write(parts.db, sql`update images set damaged = true where file_key = ${row.file_key}`);
  }
}

async function put(parts: Parts, { file_key }: Pictured, form: Form, bytes: Uint8Array): Promise<void> {
  await parts.files.put(thumbKey(file_key, form), bytes);
}
