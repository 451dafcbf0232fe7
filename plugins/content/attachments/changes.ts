/**
 * Writes attachments. The file is stored first, before any lock is taken, and removed again if the transaction is rolled
 * back; a replaced file is removed after the commit. The lock on the page keeps two attachments from getting the same
 * position, and an attachment from being added to a page that is being deleted.
 */
import type { FileKeeper } from "lectern/contracts";
import {
  ApiError,
  authorOf,
  type EventTransaction,
  type FileContent,
  notFound,
  saveChanges,
  sql,
  type Upload,
} from "lectern/core";
import { prepared } from "lectern/db";
import type { AttachmentCreate, AttachmentRow, AttachmentsContext, AttachmentUpdate } from "./contract.ts";
import { extensionOf, nameOf } from "./file_names.ts";

/** The columns that hold the file or link. */
type Content = Pick<AttachmentRow, "external" | "link" | "file_key" | "extension">;

const insert = prepared(
  "attachments.insert",
  (db, p: Content & { readonly uploaded_to: number; readonly name: string; readonly author: number | null }) =>
    db
      .insertInto("attachments")
      .values((eb) => ({
        uploaded_to: p.uploaded_to,
        name: p.name,
        extension: p.extension,
        external: p.external,
        link: p.link,
        file_key: p.file_key,
        sort_order: eb
          .selectFrom("attachments")
          .select((of) => sql<number>`coalesce(${of.fn.max("sort_order")}, 0) + 1`.as("next"))
          .where("uploaded_to", "=", p.uploaded_to),
        created_by: p.author,
        updated_by: p.author,
      }))
      .returningAll(),
);

const deleteOne = prepared("attachments.delete", (db, p: { id: number }) =>
  db.deleteFrom("attachments").where("id", "=", p.id),
);

const deleteOfPages = prepared("attachments.deleteOfPages", (db, p: { pageIds: readonly number[] }) =>
  db
    .deleteFrom("attachments")
    .where("uploaded_to", "=", sql<number>`any(${p.pageIds}::integer[])`)
    .returning("file_key"),
);

const lock = prepared("attachments.lock", (db, p: { id: number }) =>
  db.selectFrom("attachments").selectAll().where("id", "=", p.id).forUpdate(),
);

const lockPresentPage = prepared("attachments.lockPage", (db, p: { id: number }) =>
  db.selectFrom("pages").where("id", "=", p.id).where("deleted_at", "is", null).forNoKeyUpdate(),
);

// The others keep their order around the moved one; a position beyond the end is the last one. Rows that stay are not written.
const arrange = prepared("attachments.arrange", (db, p: { id: number; pageId: number; order: number }) =>
  db
    .with("others", (of) =>
      of
        .selectFrom("attachments")
        .select(["id", sql<number>`row_number() over (order by sort_order, id)`.as("position")])
        .where("uploaded_to", "=", p.pageId)
        .where("id", "<>", p.id),
    )
    .with("placed", (of) =>
      of
        .selectFrom("others")
        .select([
          "others.id",
          sql<number>`(position + case when position >= ${p.order}::integer then 1 else 0 end)::integer`.as("position"),
        ])
        .unionAll(
          of.selectNoFrom((eb) => [
            sql<number>`${p.id}::integer`.as("id"),
            sql<number>`least(${p.order}::integer, ${eb.selectFrom("others").select(eb.fn.countAll().as("n"))} + 1)::integer`.as(
              "position",
            ),
          ]),
        ),
    )
    .updateTable("attachments")
    .from("placed")
    .set((eb) => ({ sort_order: eb.ref("placed.position") }))
    .whereRef("attachments.id", "=", "placed.id")
    .whereRef("attachments.sort_order", "<>", "placed.position")
    .returning(["attachments.id", "attachments.sort_order"]),
);

/** Inserts an attachment at the last position of its page. */
export async function insertAttachment(
  context: AttachmentsContext,
  draft: AttachmentCreate,
  tx: EventTransaction,
): Promise<AttachmentRow> {
  const content = await contentOf(context, draft, tx);
  // The rules require one of the two; only an event filter can have removed both.
  if (!content) throw new ApiError(422, "An attachment needs a file or a link");
  await lockPage(draft.uploaded_to, tx);
  const { uploaded_to, name } = draft;
  return insert.executeTakeFirstOrThrow(tx.db, { ...content, uploaded_to, name, author: authorOf(tx.viewer) });
}

/** Updates a locked attachment. Without a new name, a new file gives the attachment its name (content-api 11). */
export async function changeAttachment(
  context: AttachmentsContext,
  row: AttachmentRow,
  draft: AttachmentUpdate,
  tx: EventTransaction,
): Promise<AttachmentRow> {
  const content = await contentOf(context, draft, tx);
  const { uploaded_to = row.uploaded_to } = draft;
  if (uploaded_to !== row.uploaded_to || draft.order !== undefined) await lockPage(uploaded_to, tx);
  const fileName = draft.file && nameOf(draft.file.name);
  const wanted = {
    ...content,
    name: draft.name ?? (fileName || row.name),
    uploaded_to,
    updated_by: authorOf(tx.viewer),
  };
  const saved = await saveChanges<AttachmentRow>(tx.db, "attachments", row, { wanted });
  if (saved.file_key !== row.file_key) removeFile(context, row.file_key, tx);
  return draft.order === undefined ? saved : placed(saved, draft.order, tx);
}

/** Gives an attachment a position on its page, from 1. */
async function placed(row: AttachmentRow, order: number, tx: EventTransaction): Promise<AttachmentRow> {
  const moved = await arrange.execute(tx.db, { id: row.id, pageId: row.uploaded_to, order });
  return { ...row, sort_order: moved.find(({ id }) => id === row.id)?.sort_order ?? row.sort_order };
}

/** Deletes an attachment, and its file after the commit. */
export async function removeAttachment(
  context: AttachmentsContext,
  row: AttachmentRow,
  tx: EventTransaction,
): Promise<void> {
  await deleteOne.execute(tx.db, { id: row.id });
  removeFile(context, row.file_key, tx);
}

/** Deletes all attachments of pages that are permanently deleted, and their files after the commit. */
export async function removeOfPages(
  context: AttachmentsContext,
  pageIds: readonly number[],
  tx: EventTransaction,
): Promise<void> {
  const deleted = await deleteOfPages.execute(tx.db, { pageIds: [...pageIds] });
  for (const { file_key } of deleted) removeFile(context, file_key, tx);
}

/** Reads and locks an attachment until the transaction ends. Throws ApiError 404 if it does not exist. */
export async function lockAttachment(id: number, tx: EventTransaction): Promise<AttachmentRow> {
  const row = await lock.executeTakeFirst(tx.db, { id });
  if (!row) throw notFound("Attachment");
  return row;
}

/** Locks a page. Throws ApiError 404 if it does not exist or is in the recycle bin. */
async function lockPage(id: number, tx: EventTransaction): Promise<void> {
  if (!(await lockPresentPage.executeTakeFirst(tx.db, { id }))) throw notFound("Page");
}

/** The columns for the file or link of a draft, undefined if it has neither. Stores the file. */
async function contentOf(
  context: AttachmentsContext,
  { file, link }: { readonly file?: Upload; readonly link?: string },
  tx: EventTransaction,
): Promise<Content | undefined> {
  if (link !== undefined) return { external: true, link, file_key: null, extension: "" };
  if (!file) return undefined;
  return { external: false, link: "", file_key: await storeFile(context, file, tx), extension: extensionOf(file.name) };
}

/** Stores files of attachments whose rows another plugin writes, and reads those that one works on. */
export function fileKeeper(context: AttachmentsContext): FileKeeper {
  return {
    plugin: "attachments",
    keep: async (content, tx) => ({ file_key: await storeFile(context, content, tx) }),
    drop: (fileKey, tx) => removeFile(context, fileKey, tx),
    read: (fileKey) => context.files.get(fileKey),
  };
}

/** Stores a file and returns its key. The file is removed if the transaction is rolled back. */
async function storeFile({ files }: AttachmentsContext, content: FileContent, tx: EventTransaction): Promise<string> {
  const key = `${tx.at.slice(0, 7)}/${crypto.randomUUID()}`;
  tx.onRollback(() => files.remove(key));
  await files.put(key, content);
  return key;
}

/** Removes a file after the commit. */
function removeFile(context: AttachmentsContext, key: string | null, tx: EventTransaction): void {
  if (key !== null) tx.afterCommit(() => context.files.remove(key));
}
