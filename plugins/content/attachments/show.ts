import { ApiError, type FileStore, html, type StoredFile, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { jsonWithFile } from "./base64_json.ts";
import type { AttachmentRow, FoundAttachment } from "./contract.ts";
import { addressOf } from "./names.ts";
import type { Parts } from "./parts.ts";

/** What a row of a listing shows. */
export const LISTED = sql`attachments.id, attachments.name, attachments.extension, attachments.uploaded_to,
  attachments.external, attachments.sort_order as "order", attachments.created_at, attachments.updated_at,
  attachments.created_by, attachments.updated_by`;

/** The attachment if the viewer sees the page it is on. */
export async function findAttachment(parts: Parts, viewer: Viewer, id: number): Promise<FoundAttachment | undefined> {
  const { users } = parts.contracts;
  const [found] = await rows<FoundAttachment>(
    parts.db,
    sql`select attachments.*, json_build_object(
      'created_by', ${users.ref(sql.ref("attachments.created_by"))},
      'updated_by', ${users.ref(sql.ref("attachments.updated_by"))}) as people
    from attachments where attachments.id = ${id}::integer and ${parts.sees("attachments", viewer)}`,
  );
  return found;
}

/** An attachment as answers show it after a save (content-api 11). */
export function savedAttachment(row: AttachmentRow) {
  return {
    id: row.id,
    name: row.name,
    extension: row.extension,
    uploaded_to: row.uploaded_to,
    external: row.external,
    order: row.sort_order,
    created_by: row.created_by,
    updated_by: row.updated_by,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** An attachment in full: with its link, or with its file as base64 that is made while it is sent. */
export async function readAttachment(parts: Parts, row: FoundAttachment): Promise<unknown> {
  const url = addressOf(row, parts.baseUrl);
  const links = {
    html: html`<a target="_blank" href="${url}">${row.name}</a>`.toString(),
    markdown: `[${row.name}](${url})`,
  };
  const shown = { ...savedAttachment(row), ...row.people, links };
  if (row.external) return { ...shown, content: row.link };
  return jsonWithFile(shown, "content", await fileOf(parts.files, row));
}

/** The stored file of an attachment. Throws ApiError 500 where the store of files has lost it. */
export async function fileOf(files: FileStore, { id, file_key }: AttachmentRow): Promise<StoredFile> {
  const file = file_key === null ? undefined : await files.get(file_key);
  if (!file) throw new ApiError(500, `The stored file of attachment ${id} is missing`);
  return file;
}
