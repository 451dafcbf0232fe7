/**
 * Smaller variants of images, made when they are first requested, so that saving a page with fifty images does not wait for a
 * hundred thumbnails. Their files lie beside the original and are removed with it; a lost one is made again.
 */
import type { StoredFile } from "lectern/core";
import { prepared } from "lectern/db";
import type { ImageRow, ImagesContext } from "./contract.ts";
import { type ImageSource, isDamage } from "./decoder.ts";
import { type Variant, variantUrl } from "./urls.ts";

const markDamaged = prepared("images.markDamaged", (db, p: { fileKey: string }) =>
  db
    .updateTable("images")
    .set((eb) => ({ damaged: eb.lit(true) }))
    .where("file_key", "=", p.fileKey),
);

/** Pixels of the variant for galleries. */
export const GALLERY_SIZE = { width: 150, height: 150 };
/** Widths of the forms that pages show. */
const SHOWN_WIDTHS = { small: 840, display: 1680 } as const;

/** URLs of the variants; null for one that cannot be made (content-api 12). */
export interface VariantUrls {
  readonly gallery: string | null;
  readonly display: string | null;
}

/** The columns of an image that its variants depend on. */
type Original = Pick<ImageRow, "file_key" | "format" | "width" | "animated" | "damaged" | "path">;

/** Variants that are being made, by file key of the original. */
const RUNNING = new Map<string, Promise<void>>();

/** The file key of a variant. */
export function variantKey(fileKey: string, variant: Variant): string {
  return `${fileKey}.${variant}`;
}

/** The file key of the original, given its own or that of a variant. */
export function originalKey(key: string): string {
  return key.replace(/\.(gallery|small|display)$/, "");
}

/** Makes the variants that are missing and returns the URLs of both. */
export async function ensureVariants(context: ImagesContext, row: Original): Promise<VariantUrls> {
  if (row.damaged) return { gallery: null, display: null };
  const [gallery, display] = [await variantFile(context, row, "gallery"), await variantFile(context, row, "display")];
  const url = `${context.baseUrl}${row.path}`;
  // An animated image is displayed at its own URL.
  const displayUrl = row.animated || row.format === "gif" ? url : variantUrl(url, "display");
  return { gallery: gallery ? variantUrl(url, "gallery") : null, display: display ? displayUrl : null };
}

/** An address of an image as pages show it, with its width in pixels. */
export interface ShownForm {
  readonly path: string;
  readonly width: number;
}

/** The forms of an image that pages show: the original alone where that is small, animated or cannot be decoded. */
export function shownForms({ path, ...row }: Original): readonly ShownForm[] {
  if (row.damaged) return [];
  const smaller = (["small", "display"] as const).filter((variant) => !isOriginal(row, variant));
  const forms = smaller.map((variant) => ({ path: variantUrl(path, variant), width: SHOWN_WIDTHS[variant] }));
  return smaller.includes("display") ? forms : [...forms, { path, width: row.width }];
}

/** The file to serve for an image or a variant. What pages show of a damaged image is the original. */
export async function servedFile(
  context: ImagesContext,
  row: Original,
  variant?: Variant,
): Promise<StoredFile | undefined> {
  const file = await variantFile(context, row, variant);
  return file ?? (variant && variant !== "gallery" ? context.files.get(row.file_key) : undefined);
}

/** The file of an image or of a variant, which is made now if it is missing; undefined if it cannot be made. */
async function variantFile(context: ImagesContext, row: Original, variant?: Variant): Promise<StoredFile | undefined> {
  if (variant && row.damaged) return undefined;
  if (!variant || (variant !== "gallery" && isOriginal(row, variant))) return context.files.get(row.file_key);
  const key = variantKey(row.file_key, variant);
  const file = await context.files.get(key);
  if (file) return file;
  await makeVariantsOnce(context, row);
  return context.files.get(key);
}

/**
 * Makes the variants of a file, which need not be stored yet. Each is made from the next larger one, so that a large image is
 * decoded once. Throws ApiError 422 if its pixels cannot be read.
 */
export async function makeVariants(context: ImagesContext, source: ImageSource, row: Original): Promise<void> {
  let smaller = source;
  for (const variant of ["display", "small"] as const) {
    if (isOriginal(row, variant)) continue;
    const bytes = await context.decoder.resizeToFit(smaller, { width: SHOWN_WIDTHS[variant] });
    if (bytes) await storeVariant(context, row, variant, bytes);
    smaller = bytes ?? smaller;
  }
  await storeVariant(context, row, "gallery", await context.decoder.crop(smaller, GALLERY_SIZE));
}

/** Whether a form that pages show is the original itself: it is small enough, or animated. */
function isOriginal(
  { width, animated, format }: Pick<Original, "width" | "animated" | "format">,
  variant: keyof typeof SHOWN_WIDTHS,
): boolean {
  return width <= SHOWN_WIDTHS[variant] || animated || format === "gif";
}

/** Makes the variants of an image; concurrent requests share one run. */
async function makeVariantsOnce(context: ImagesContext, row: Original): Promise<void> {
  const run = RUNNING.get(row.file_key) ?? tryVariants(context, row).finally(() => RUNNING.delete(row.file_key));
  RUNNING.set(row.file_key, run);
  return run;
}

async function tryVariants(context: ImagesContext, row: Original): Promise<void> {
  // Where the largest form is there already, the others are made from it.
  const display = isOriginal(row, "display") ? undefined : await context.files.get(variantKey(row.file_key, "display"));
  const file = display ?? (await context.files.get(row.file_key));
  if (!file) return;
  try {
    await makeVariants(context, await file.bytes(), display ? { ...row, width: SHOWN_WIDTHS.display } : row);
  } catch (error) {
    context.log.warn("Cannot make smaller variants of an image", { path: row.path, error });
    // Embedded and imported images are not decoded when they are stored. After one failure they are marked as damaged.
    if (isDamage(error, { permanent: true })) await markDamaged.write(context.db, { fileKey: row.file_key });
  }
}

async function storeVariant(
  { files }: ImagesContext,
  { file_key }: Original,
  variant: Variant,
  bytes: Uint8Array,
): Promise<void> {
  await files.put(variantKey(file_key, variant), bytes);
}
