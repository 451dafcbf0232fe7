/**
 * The smaller forms of pictures, made when they are first asked for: saving a page with fifty pictures need not wait for
 * a hundred thumbnails. They lie beside the file they were made of and go with it; what is lost is made again.
 */
import type { StoredFile } from "lectern/core";
import type { ImageRow } from "./contract.ts";
import { type Form, formOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import type { Source } from "./pictures.ts";

const CROP = { width: 150, height: 150 };
const DISPLAY_WIDTH = 1680;

/** Addresses of the smaller forms; null for one that cannot be made (content-api 12). */
export interface Thumbs {
  readonly gallery: string | null;
  readonly display: string | null;
}

type Pictured = Pick<ImageRow, "file_key" | "format" | "width" | "animated" | "path">;

const MAKING = new Map<string, Promise<StoredFile | undefined>>();

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
  const [gallery, display] = await Promise.all([fileOf(parts, row, "gallery"), fileOf(parts, row, "display")]);
  const url = `${parts.baseUrl}${row.path}`;
  // A moving picture stays as it is, at its own address.
  const shown = row.animated || row.format === "gif" ? url : formOf(url, "display");
  return { gallery: gallery ? formOf(url, "gallery") : null, display: display ? shown : null };
}

/** The file of a picture or of a smaller form of it, made now if need be; undefined where it cannot be had. */
export async function fileOf(parts: Parts, row: Pictured, form?: Form): Promise<StoredFile | undefined> {
  if (!form || (form === "display" && isShownAsItIs(row))) return parts.files.get(row.file_key);
  const key = thumbKey(row.file_key, form);
  return (await parts.files.get(key)) ?? (await makeOnce(parts, row, form));
}

/** Makes both smaller forms of a file that is not stored yet. Throws ApiError 422 where its pixels cannot be read. */
export async function prepare(parts: Parts, source: Source, row: Pictured): Promise<void> {
  const made = [parts.pictures.cropped(source, CROP).then((bytes) => put(parts, row, "gallery", bytes))];
  if (!isShownAsItIs(row))
    made.push(
      parts.pictures.fitted(source, { width: DISPLAY_WIDTH }).then((bytes) => put(parts, row, "display", bytes)),
    );
  const settled = await Promise.allSettled(made);
  const failed = settled.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Whether the display form is the picture itself: it is small enough, or it moves. */
function isShownAsItIs({ width, animated, format }: Pictured): boolean {
  return width <= DISPLAY_WIDTH || animated || format === "gif";
}

/** Several who ask at once wait for the same. */
async function makeOnce(parts: Parts, row: Pictured, form: Form): Promise<StoredFile | undefined> {
  const key = thumbKey(row.file_key, form);
  const making = MAKING.get(key) ?? make(parts, row, form).finally(() => MAKING.delete(key));
  MAKING.set(key, making);
  return making;
}

async function make(parts: Parts, row: Pictured, form: Form): Promise<StoredFile | undefined> {
  const file = await parts.files.get(row.file_key);
  if (!file) return undefined;
  try {
    const bytes = await file.bytes();
    const made =
      form === "gallery" ? parts.pictures.cropped(bytes, CROP) : parts.pictures.fitted(bytes, { width: DISPLAY_WIDTH });
    await put(parts, row, form, await made);
    return await parts.files.get(thumbKey(row.file_key, form));
  } catch (error) {
    parts.log.warn("Cannot make a smaller form of a picture", { path: row.path, form, error });
    return undefined;
  }
}

async function put(parts: Parts, { file_key }: Pictured, form: Form, bytes: Uint8Array): Promise<void> {
  await parts.files.put(thumbKey(file_key, form), bytes);
}
