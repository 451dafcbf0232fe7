/**
 * Writing pictures. The file is stored before its row and taken back if the row is not written; an old file goes once no
 * row names it. A picture's address outlives its file: a replacement is another file under the same address.
 */
import { authorOf, notFound, randomText, saveChanges, sql, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageChange, ImageDraft, ImageRow } from "./contract.ts";
import { addressName, FOLDER, FORMS, type Form } from "./names.ts";
import type { Parts } from "./parts.ts";
import type { Facts } from "./pictures.ts";
import { thumbKey } from "./thumbs.ts";

const PREFIX_LENGTH = 3;

/** A file that will be stored, judged before any transaction begins. */
export interface Judged {
  /** Of its own, whatever becomes of it. */
  readonly file_key: string;
  readonly facts: Facts;
}

/** Looks into a new file. Throws ApiError 422 for what is no picture of a sensible size. */
export async function judge(parts: Parts, content: ImageDraft["content"]): Promise<Judged> {
  const facts = await parts.pictures.facts(content);
  return { file_key: `${new Date().toISOString().slice(0, 7)}/${crypto.randomUUID()}`, facts };
}

/** Stores a picture and its row. */
export async function insertImage(
  parts: Parts,
  draft: ImageDraft,
  { file_key, facts }: Judged,
  work: Work,
): Promise<ImageRow> {
  await store(parts, file_key, draft.content, work);
  const author = sql`${authorOf(work.viewer)}::integer`;
  const [row] = await rows<ImageRow>(
    work.db,
    sql`insert into images
      (type, uploaded_to, name, path, file_key, format, width, height, animated, created_by, updated_by)
    values (${draft.type}, ${draft.uploaded_to}::integer, ${draft.name}, ${await freePath(draft, work)}, ${file_key},
      ${facts.format}, ${facts.width}::integer, ${facts.height}::integer, ${facts.animated}, ${author}, ${author})
    returning *`,
  );
  return row as ImageRow;
}

/** Changes a locked picture; another file takes the place of the present one. */
export async function changeImage(
  parts: Parts,
  row: ImageRow,
  { name, image }: ImageChange,
  judged: Judged | undefined,
  work: Work,
): Promise<ImageRow> {
  const replaced = image && judged;
  if (replaced) await store(parts, judged.file_key, image, work);
  const saved = await saveChanges<ImageRow>(work.db, "images", row, {
    wanted: {
      ...(replaced && { file_key: judged.file_key, ...judged.facts }),
      ...(name !== undefined && { name }),
      updated_by: authorOf(work.viewer),
    },
  });
  if (replaced) work.after(() => forget(parts, row.file_key));
  return saved;
}

/** Removes pictures for good, their files with the commit. */
export async function removeImages(parts: Parts, ids: readonly number[], work: Work): Promise<void> {
  const gone = await rows<Pick<ImageRow, "file_key">>(
    work.db,
    sql`delete from images where id = any(${[...ids]}::integer[]) returning file_key`,
  );
  for (const { file_key } of gone) work.after(() => forget(parts, file_key));
}

/** The picture as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockImage(id: number, work: Work): Promise<ImageRow> {
  const [row] = await rows<ImageRow>(work.db, sql`select * from images where id = ${id}::integer for update`);
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
export async function store(parts: Parts, key: string, content: ImageDraft["content"], work: Work): Promise<void> {
  work.undo(() => forget(parts, key));
  await parts.files.put(key, content);
}

/** An address that no other picture has; who loses a race for it meets the unique index, and the bus runs the act again. */
async function freePath({ type, fileName }: ImageDraft, work: Work): Promise<string> {
  let file = addressName(fileName);
  for (;;) {
    const path = `${FOLDER}/${type}/${work.at.slice(0, 7)}/${file}`;
    if ((await rows(work.db, sql`select from images where path = ${path}`)).length === 0) return path;
    file = `${randomText(PREFIX_LENGTH)}${file}`;
  }
}
