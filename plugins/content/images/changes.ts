/**
 * Writes images. A file is stored before its row and removed if the transaction is rolled back; a replaced file is removed
 * after the commit. The URL of an image outlives its file: a replacement is another file under the same URL.
 */
import {
  authorOf,
  type EventTransaction,
  notFound,
  type PluginContext,
  randomText,
  SYSTEM,
  saveChanges,
  sql,
  type Viewer,
} from "lectern/core";
import { prepared } from "lectern/db";
import type { ImageChange, ImageDraft, ImageRow, ImagesContext } from "./contract.ts";
import { urlFileName } from "./file_names.ts";
import type { CheckedImage } from "./uploads.ts";
import { FOLDER, VARIANTS } from "./urls.ts";
import { variantKey } from "./variants.ts";

const PREFIX_LENGTH = 3;

type InsertedImage = Pick<ImageRow, "type" | "uploaded_to" | "name" | "path" | "file_key" | "damaged"> &
  Pick<ImageRow, "format" | "width" | "height" | "animated"> & { readonly author: number | null };

const insert = prepared("images.insert", (db, p: InsertedImage) =>
  db
    .insertInto("images")
    .values({
      type: p.type,
      uploaded_to: p.uploaded_to,
      name: p.name,
      path: p.path,
      file_key: p.file_key,
      format: p.format,
      width: p.width,
      height: p.height,
      animated: p.animated,
      damaged: p.damaged,
      created_by: p.author,
      updated_by: p.author,
    })
    .returningAll(),
);

const deleteAll = prepared("images.delete", (db, p: { ids: readonly number[] }) =>
  db.deleteFrom("images").where("id", "=", sql<number>`any(${p.ids}::integer[])`).returning("file_key"),
);

const lock = prepared("images.lock", (db, p: { id: number }) =>
  db.selectFrom("images").selectAll().where("id", "=", p.id).forUpdate(),
);

const isPathTaken = prepared("images.isPathTaken", (db, p: { path: string }) =>
  db.selectFrom("images").where("path", "=", p.path),
);

/** Stores the file of an image and inserts its row. */
export async function insertImage(
  context: ImagesContext,
  draft: ImageDraft,
  { file_key, content, info, damaged = false }: CheckedImage,
  tx: EventTransaction,
): Promise<ImageRow> {
  await storeFile(context, file_key, content, tx);
  const { type, uploaded_to, name } = draft;
  return insert.executeTakeFirstOrThrow(tx.db, {
    ...{ type, uploaded_to, name, path: await freePath(draft, tx), file_key, damaged },
    ...{ format: info.format, width: info.width, height: info.height, animated: info.animated },
    author: authorOf(tx.viewer),
  });
}

/** Updates a locked image. A new file replaces the present one after the commit. */
export async function changeImage(
  context: ImagesContext,
  row: ImageRow,
  { name, image }: ImageChange,
  checked: CheckedImage | undefined,
  tx: EventTransaction,
): Promise<ImageRow> {
  const replaced = image && checked;
  if (replaced) await storeFile(context, checked.file_key, checked.content, tx);
  const saved = await saveChanges<ImageRow>(tx.db, "images", row, {
    wanted: {
      ...(replaced && { file_key: checked.file_key, ...checked.info, damaged: checked.damaged ?? false }),
      ...(name !== undefined && { name }),
      updated_by: authorOf(tx.viewer),
    },
  });
  if (replaced) tx.afterCommit(() => removeFile(context, row.file_key));
  return saved;
}

/** Deletes images, and their files after the commit. */
export async function removeImages(
  context: ImagesContext,
  ids: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const deleted = await deleteAll.execute(tx.db, { ids: [...ids] });
  for (const { file_key } of deleted) tx.afterCommit(() => removeFile(context, file_key));
}

/** Reads and locks an image until the transaction ends. Throws ApiError 404 if it does not exist. */
export async function lockImage(id: number, tx: EventTransaction): Promise<ImageRow> {
  const row = await lock.executeTakeFirst(tx.db, { id });
  if (!row) throw notFound("Image");
  return row;
}

/** Removes a file with its variants. */
export async function removeFile(context: Pick<ImagesContext, "files">, fileKey: string): Promise<void> {
  await removeVariants(context, fileKey);
  await context.files.remove(fileKey);
}

/** Removes the variants of a file. They are made again at the next request. */
export async function removeVariants(context: Pick<ImagesContext, "files">, fileKey: string): Promise<void> {
  for (const variant of VARIANTS) await context.files.remove(variantKey(fileKey, variant));
}

/** Stores a file under a key. The file is removed if the transaction is rolled back. */
export async function storeFile(
  context: ImagesContext,
  key: string,
  content: ImageDraft["content"],
  tx: EventTransaction,
): Promise<void> {
  tx.onRollback(() => removeFile(context, key));
  await context.files.put(key, content);
}

/**
 * A path that no other image has. Two transactions may choose the same one; the unique index refuses the second, and the
 * event bus runs its action again.
 */
async function freePath({ type, fileName }: ImageDraft, tx: EventTransaction): Promise<string> {
  let file = urlFileName(fileName);
  for (;;) {
    const path = `${FOLDER}/${type}/${tx.at.slice(0, 7)}/${file}`;
    if (!(await isPathTaken.executeTakeFirst(tx.db, { path }))) return path;
    file = `${randomText(PREFIX_LENGTH)}${file}`;
  }
}

/** Deletes unused images one by one, after the event `maintenance_action_run`; `onRemoved` is called for each. */
export async function removeUnused(
  plugin: Pick<PluginContext, "files" | "perform">,
  unused: readonly ImageRow[],
  { viewer = SYSTEM, onRemoved }: { readonly viewer?: Viewer; onRemoved?(row: ImageRow): void } = {},
): Promise<void> {
  await plugin.perform("maintenance_action_run", viewer, { action: "cleanup-images" }, async (final) => final);
  for (const row of unused) {
    await removeOne(plugin, row, viewer);
    onRemoved?.(row);
  }
}

async function removeOne(
  { files, perform }: Pick<PluginContext, "files" | "perform">,
  row: ImageRow,
  viewer: Viewer,
): Promise<void> {
  await perform("image_delete", viewer, row, async (final, tx) => {
    await deleteAll.execute(tx.db, { ids: [final.id] });
    tx.afterCommit(() => removeFile({ files }, final.file_key));
    return final;
  });
}
