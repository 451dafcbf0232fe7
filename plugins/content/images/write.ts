/**
 * Writing pictures. The file is stored before its row and taken back if the row is not written; an old file goes once no
 * row names it. A picture's address outlives its file: a replacement is another file under the same address.
 */
import { authorOf, type EventTransaction, notFound, randomText, saveChanges, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageChange, ImageDraft, ImageRow } from "./contract.ts";
import { addressName, FOLDER, FORMS, type Form } from "./names.ts";
import type { Parts } from "./parts.ts";
import type { Facts } from "./pictures.ts";
import { thumbKey } from "./thumbs.ts";

const PREFIX_LENGTH = 3;

/** A file that will be stored, judged before any transaction begins. */
export interface CheckedImage {
  /** Of its own, whatever becomes of it. */
  readonly file_key: string;
  readonly facts: Facts;
  /** Whether decoding was tried and failed. */
  readonly damaged?: boolean;
}

/** Looks into a new file. Throws ApiError 422 for what is no picture of a sensible size. */
export async function checkImage(parts: Parts, content: ImageDraft["content"]): Promise<CheckedImage> {
  const facts = await parts.pictures.facts(content);
  return { file_key: `${new Date().toISOString().slice(0, 7)}/${crypto.randomUUID()}`, facts };
}

/** Stores a picture and its row. */
export async function insertImage(
  parts: Parts,
  draft: ImageDraft,
  { file_key, facts, damaged = false }: CheckedImage,
  tx: EventTransaction,
): Promise<ImageRow> {
  await store(parts, file_key, draft.content, tx);
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const [row] = await rows<ImageRow>(
    tx.db,
    sql`insert into images
      (type, uploaded_to, name, path, file_key, format, width, height, animated, damaged, created_by, updated_by)
    values (${draft.type}, ${draft.uploaded_to}::integer, ${draft.name}, ${await freePath(draft, tx)}, ${file_key},
      ${facts.format}, ${facts.width}::integer, ${facts.height}::integer, ${facts.animated}, ${damaged}, ${author}, ${author})
    returning *`,
  );
  return row as ImageRow;
}

/** Changes a locked picture; another file takes the place of the present one. */
export async function changeImage(
  parts: Parts,
  row: ImageRow,
  { name, image }: ImageChange,
  checked: CheckedImage | undefined,
  tx: EventTransaction,
): Promise<ImageRow> {
  const replaced = image && checked;
  if (replaced) await store(parts, checked.file_key, image, tx);
  const saved = await saveChanges<ImageRow>(tx.db, "images", row, {
    wanted: {
      ...(replaced && { file_key: checked.file_key, ...checked.facts, damaged: checked.damaged ?? false }),
      ...(name !== undefined && { name }),
      updated_by: authorOf(tx.viewer),
    },
  });
  if (replaced) tx.afterCommit(() => forget(parts, row.file_key));
  return saved;
}

/** Removes pictures for good, their files with the commit. */
export async function removeImages(parts: Parts, ids: readonly number[], tx: EventTransaction): Promise<void> {
  const gone = await rows<Pick<ImageRow, "file_key">>(
    tx.db,
    sql`delete from images where id = any(${[...ids]}::integer[]) returning file_key`,
  );
  for (const { file_key } of gone) tx.afterCommit(() => forget(parts, file_key));
}

/** The picture as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockImage(id: number, tx: EventTransaction): Promise<ImageRow> {
  const [row] = await rows<ImageRow>(tx.db, sql`select * from images where id = ${id}::integer for update`);
  if (!row) throw notFound("Image");
  return row;
}

/** Removes a file with all that was made of it. */
export async function forget(parts: Pick<Parts, "files">, fileKey: string): Promise<void> {
  await forgetForms(parts, fileKey);
  await parts.files.remove(fileKey);
}

/** Removes what was made of a file; whoever asks for it again gets it made anew. */
export async function forgetForms(parts: Pick<Parts, "files">, fileKey: string): Promise<void> {
  for (const form of Object.keys(FORMS) as Form[]) await parts.files.remove(thumbKey(fileKey, form));
}

/** Stores a file under its key; it goes again if the transaction is rolled back. */
export async function store(
  parts: Parts,
  key: string,
  content: ImageDraft["content"],
  tx: EventTransaction,
): Promise<void> {
  tx.onRollback(() => forget(parts, key));
  await parts.files.put(key, content);
}

/** An address that no other picture has; who loses a race for it meets the unique index, and the bus runs the action again. */
async function freePath({ type, fileName }: ImageDraft, tx: EventTransaction): Promise<string> {
  let file = addressName(fileName);
  for (;;) {
    const path = `${FOLDER}/${type}/${tx.at.slice(0, 7)}/${file}`;
    if ((await rows(tx.db, sql`select from images where path = ${path}`)).length === 0) return path;
    file = `${randomText(PREFIX_LENGTH)}${file}`;
  }
}
