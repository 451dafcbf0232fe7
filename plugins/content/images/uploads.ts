/**
 * Checks of new files before a transaction begins, so that no lock is held while an image is decoded: the header, all frames of an animation,
 * and where the picture was taken, which is left out of what is stored. The variants are made here too, since a client that has uploaded an
 * image mostly asks for them next.
 */
import type { FileKeeper } from "lectern/contracts";
import { invalidFields } from "lectern/core";
import { removeFile, removeVariants, storeFile } from "./changes.ts";
import type { ImageChange, ImageDraft, ImageRow, ImagesContext } from "./contract.ts";
import { type ImageInfo, isDamage } from "./decoder.ts";
import { extensionOf } from "./file_names.ts";
import { saysPosition } from "./position_tags.ts";
import { withoutPosition } from "./positions.ts";
import { makeVariants } from "./variants.ts";

type Upload = NonNullable<ImageChange["image"]>;

/** A checked file and the key it will be stored under. */
export interface CheckedImage {
  /** Unique, also if the transaction is rolled back. */
  readonly file_key: string;
  /** What is stored: the file, or a copy of it without the place where the picture was taken. */
  readonly content: Upload | Uint8Array;
  readonly info: ImageInfo;
  /** Whether decoding was tried and failed. */
  readonly damaged?: boolean;
}

/** Reads the header of a new file. Throws ApiError 422 if it is no image or beyond the limits. */
export async function checkImage(context: ImagesContext, content: ImageDraft["content"]): Promise<CheckedImage> {
  const info = await context.decoder.inspect(content);
  return {
    file_key: newFileKey(),
    info,
    content: context.keepsPositions ? content : await unplaced(context, content, info),
  };
}

/** The key of a new file: unique, below the month. */
export function newFileKey(): string {
  return `${new Date().toISOString().slice(0, 7)}/${crypto.randomUUID()}`;
}

/** The file without the place where the picture was taken; the file itself where it says none. */
export async function unplaced(
  { decoder }: Pick<ImagesContext, "decoder">,
  content: Upload | Uint8Array,
  { format, width }: ImageInfo,
): Promise<Upload | Uint8Array> {
  const described = await decoder.described(content);
  if (described && !saysPosition(described)) return content;
  const bytes = content instanceof Uint8Array ? content : await content.bytes();
  const made = withoutPosition(format, bytes, described ?? { hasMore: true });
  const left = await decoder.described(made);
  // A structure that is read otherwise elsewhere: the picture alone is kept.
  return left && saysPosition(left) ? ((await decoder.resizeToFit(content, { width })) ?? made) : made;
}

/**
 * Checks an uploaded file, makes its variants and calls `save`. The variants are removed if that fails. A file with a good
 * header and damaged pixels is saved without variants, as BookStack does.
 */
export async function withCheckedUpload<R>(
  context: ImagesContext,
  content: Upload,
  save: (checked: CheckedImage) => Promise<R>,
): Promise<R> {
  const checked = await checkImage(context, content);
  try {
    return await save({ ...checked, damaged: !(await decodes(context, content, checked)) });
  } catch (error) {
    // If the file itself has been stored, the rollback of the transaction removes it.
    await removeVariants(context, checked.file_key);
    throw error;
  }
}

/** Makes the variants of a file; false if it is damaged. Throws ApiError 422 if it is beyond the limits. */
async function decodes(context: ImagesContext, content: Upload, { file_key, info }: CheckedImage): Promise<boolean> {
  try {
    await context.decoder.checkFrames(content);
    await makeVariants(context, content, { file_key, path: "", ...info, damaged: false });
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    await removeVariants(context, file_key);
    return false;
  }
}

/** Throws ApiError 422 unless a replacement has the extension of the present file, which is part of the image's URL. */
export function needSameType({ path }: ImageRow, image: Upload): void {
  if (extensionOf(image.name) === extensionOf(path)) return;
  throw invalidFields({ image: "Image file replacements must be of the same type" });
}

/** Stores files of images whose rows another plugin writes, and reads those that one works on. */
export function fileKeeper(context: ImagesContext): FileKeeper {
  return {
    plugin: "images",
    async keep(content, tx) {
      const { file_key, info, content: stored } = await checkImage(context, content);
      await storeFile(context, file_key, stored, tx);
      return { file_key, ...info };
    },
    drop: (fileKey, tx) => tx.afterCommit(() => removeFile(context, fileKey)),
    read: (fileKey) => context.files.get(fileKey),
  };
}
