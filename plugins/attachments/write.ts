/**
 * Writing attachments. The file comes first, before any lock is taken: it is taken back if the row is not written, and
 * an old file goes once no row names it any more. The page is locked, so that two attachments never get the same place
 * on it, and none is left behind on a page that is being removed.
 */
import {
  ApiError,
  authorOf,
  type FileContent,
  type FileKeeper,
  notFound,
  saveChanges,
  sql,
  type Upload,
  type Work,
} from "lectern/core";
import { rows } from "lectern/db";
import type { AttachmentCreate, AttachmentRow, AttachmentUpdate } from "./contract.ts";
import { extensionOf, nameOf } from "./names.ts";
import type { Parts } from "./parts.ts";

/** What an attachment holds. */
type Content = Pick<AttachmentRow, "external" | "link" | "file_key" | "extension">;

/** Creates an attachment, the last of its page. */
export async function insertAttachment(parts: Parts, draft: AttachmentCreate, work: Work): Promise<AttachmentRow> {
  const content = await contentOf(parts, draft, work);
  // The rules ask for either; only a filter of an event can have taken both away.
  if (!content) throw new ApiError(422, "An attachment needs a file or a link");
  await lockPage(draft.uploaded_to, work);
  const author = sql`${authorOf(work.viewer)}::integer`;
  const [row] = await rows<AttachmentRow>(
    work.db,
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
  work: Work,
): Promise<AttachmentRow> {
  const content = await contentOf(parts, draft, work);
  const { uploaded_to } = draft;
  if (uploaded_to !== undefined && uploaded_to !== row.uploaded_to) await lockPage(uploaded_to, work);
  const fileName = draft.file && nameOf(draft.file.name);
  const wanted = {
    ...content,
    name: draft.name ?? (fileName || row.name),
    uploaded_to: uploaded_to ?? row.uploaded_to,
    updated_by: authorOf(work.viewer),
  };
  const saved = await saveChanges<AttachmentRow>(work.db, "attachments", row, { wanted });
  if (saved.file_key !== row.file_key) forgetFile(parts, row.file_key, work);
  return saved;
}

/** Removes an attachment for good. */
export async function removeAttachment(parts: Parts, row: AttachmentRow, work: Work): Promise<void> {
  await rows(work.db, sql`delete from attachments where id = ${row.id}::integer`);
  forgetFile(parts, row.file_key, work);
}

/** Removes all attachments of pages that are being removed for good. */
export async function removeOfPages(parts: Parts, pageIds: readonly number[], work: Work): Promise<void> {
  const gone = await rows<Pick<AttachmentRow, "file_key">>(
    work.db,
    sql`delete from attachments where uploaded_to = any(${[...pageIds]}::integer[]) returning file_key`,
  );
  for (const { file_key } of gone) forgetFile(parts, file_key, work);
}

/** The attachment as it is now, kept so until the transaction ends. Throws 404 where it is gone. */
export async function lockAttachment(id: number, work: Work): Promise<AttachmentRow> {
  const [row] = await rows<AttachmentRow>(work.db, sql`select * from attachments where id = ${id}::integer for update`);
  if (!row) throw notFound("Attachment");
  return row;
}

async function lockPage(id: number, work: Work): Promise<void> {
  const [page] = await rows(
    work.db,
    sql`select 1 from pages where id = ${id}::integer and deleted_at is null for no key update`,
  );
  if (!page) throw notFound("Page");
}

/** What a body says about content, its file stored; undefined where it says nothing. */
async function contentOf(
  parts: Parts,
  { file, link }: { readonly file?: Upload; readonly link?: string },
  work: Work,
): Promise<Content | undefined> {
  if (link !== undefined) return { external: true, link, file_key: null, extension: "" };
  if (!file) return undefined;
  return { external: false, link: "", file_key: await store(parts, file, work), extension: extensionOf(file.name) };
}

/** Keeps the files of attachments whose rows somebody else writes. */
export function fileKeeper(parts: Parts): FileKeeper {
  return {
    plugin: "attachments",
    keep: async (content, work) => ({ file_key: await store(parts, content, work) }),
    drop: (fileKey, work) => forgetFile(parts, fileKey, work),
  };
}

/** The key of a stored file, which goes again if the transaction is rolled back. */
async function store({ files }: Parts, content: FileContent, work: Work): Promise<string> {
  const key = `${work.at.slice(0, 7)}/${crypto.randomUUID()}`;
  work.undo(() => files.remove(key));
  await files.put(key, content);
  return key;
}

function forgetFile(parts: Parts, key: string | null, work: Work): void {
  if (key !== null) work.after(() => parts.files.remove(key));
}
