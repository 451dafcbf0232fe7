/**
 * Writing attachments. The file comes first, before any lock is taken: it is taken back if the row is not written, and
 * an old file goes once no row names it any more. The page is locked, so that two attachments never get the same place
 * on it, and none is left behind on a page that is being removed.
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
import { rows } from "lectern/db";
import type { AttachmentCreate, AttachmentRow, AttachmentUpdate } from "./contract.ts";
import { extensionOf, nameOf } from "./names.ts";
import type { Parts } from "./parts.ts";

/** What an attachment holds. */
type Content = Pick<AttachmentRow, "external" | "link" | "file_key" | "extension">;

/** Creates an attachment, the last of its page. */
export async function insertAttachment(
  parts: Parts,
  draft: AttachmentCreate,
  tx: EventTransaction,
): Promise<AttachmentRow> {
  const content = await contentOf(parts, draft, tx);
  // The rules ask for either; only a filter of an event can have taken both away.
  if (!content) throw new ApiError(422, "An attachment needs a file or a link");
  await lockPage(draft.uploaded_to, tx);
  const author = sql`${authorOf(tx.viewer)}::integer`;
  const [row] = await rows<AttachmentRow>(
    tx.db,
    sql`insert into attachments
      (uploaded_to, name, extension, external, link, file_key, sort_order, created_by, updated_by)
    values (${draft.uploaded_to}::integer, ${draft.name}, ${content.extension}, ${content.external}, ${content.link},
      ${content.file_key}, (select coalesce(max(sort_order), 0) + 1 from attachments
        where uploaded_to = ${draft.uploaded_to}::integer), ${author}, ${author})
    returning *`,
  );
  return row as AttachmentRow;
}

/** Changes a locked attachment; a file without a name brings its own (content-api 11). */
export async function changeAttachment(
  parts: Parts,
  row: AttachmentRow,
  draft: AttachmentUpdate,
  tx: EventTransaction,
): Promise<AttachmentRow> {
  const content = await contentOf(parts, draft, tx);
  const { uploaded_to } = draft;
  if (uploaded_to !== undefined && uploaded_to !== row.uploaded_to) await lockPage(uploaded_to, tx);
  const fileName = draft.file && nameOf(draft.file.name);
  const wanted = {
    ...content,
    name: draft.name ?? (fileName || row.name),
    uploaded_to: uploaded_to ?? row.uploaded_to,
    updated_by: authorOf(tx.viewer),
  };
  const saved = await saveChanges<AttachmentRow>(tx.db, "attachments", row, { wanted });
  if (saved.file_key !== row.file_key) forgetFile(parts, row.file_key, tx);
  return saved;
}

/** Removes an attachment for good. */
export async function removeAttachment(parts: Parts, row: AttachmentRow, tx: EventTransaction): Promise<void> {
  await rows(tx.db, sql`delete from attachments where id = ${row.id}::integer`);
  forgetFile(parts, row.file_key, tx);
}

/** Removes all attachments of pages that are being removed for good. */
export async function removeOfPages(parts: Parts, pageIds: readonly number[], tx: EventTransaction): Promise<void> {
  const gone = await rows<Pick<AttachmentRow, "file_key">>(
    tx.db,
    sql`delete from attachments where uploaded_to = any(${[...pageIds]}::integer[]) returning file_key`,
  );
  for (const { file_key } of gone) forgetFile(parts, file_key, tx);
}

/** The attachment as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockAttachment(id: number, tx: EventTransaction): Promise<AttachmentRow> {
  const [row] = await rows<AttachmentRow>(tx.db, sql`select * from attachments where id = ${id}::integer for update`);
  if (!row) throw notFound("Attachment");
  return row;
}

async function lockPage(id: number, tx: EventTransaction): Promise<void> {
  const [page] = await rows(
    tx.db,
    sql`select 1 from pages where id = ${id}::integer and deleted_at is null for no key update`,
  );
  if (!page) throw notFound("Page");
}

/** What a body says about content, its file stored; undefined where it says nothing. */
async function contentOf(
  parts: Parts,
  { file, link }: { readonly file?: Upload; readonly link?: string },
  tx: EventTransaction,
): Promise<Content | undefined> {
  if (link !== undefined) return { external: true, link, file_key: null, extension: "" };
  if (!file) return undefined;
  return { external: false, link: "", file_key: await store(parts, file, tx), extension: extensionOf(file.name) };
}

/** Keeps the files of attachments whose rows somebody else writes. */
export function fileKeeper(parts: Parts): FileKeeper {
  return {
    plugin: "attachments",
    keep: async (content, tx) => ({ file_key: await store(parts, content, tx) }),
    drop: (fileKey, tx) => forgetFile(parts, fileKey, tx),
  };
}

/** The key of a stored file, which goes again if the transaction is rolled back. */
async function store({ files }: Parts, content: FileContent, tx: EventTransaction): Promise<string> {
  const key = `${tx.at.slice(0, 7)}/${crypto.randomUUID()}`;
  tx.onRollback(() => files.remove(key));
  await files.put(key, content);
  return key;
}

function forgetFile(parts: Parts, key: string | null, tx: EventTransaction): void {
  if (key !== null) tx.afterCommit(() => parts.files.remove(key));
}
