import { ApiError, type FileStore, html, type StoredFile } from "lectern/core";
import { jsonWithFile } from "./base64_json.ts";
import type { AttachmentRow, AttachmentsContext, FoundAttachment } from "./contract.ts";
import { shownUrl } from "./links.ts";

/** An attachment as the answer to a save shows it (content-api 11). */
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

/** An attachment in full: with its link, or with its file as base64, encoded while it is sent. */
export async function presentAttachment(context: AttachmentsContext, row: FoundAttachment) {
  const url = shownUrl(row, context.baseUrl);
  const links = {
    html: html`<a target="_blank" href="${url}">${row.name}</a>`.toString(),
    markdown: `[${row.name}](${url})`,
  };
  const { created_by = null, updated_by = null } = row.people ?? {};
  const answer = { ...savedAttachment(row), created_by, updated_by, links };
  if (row.external) return { ...answer, content: row.link };
  return jsonWithFile(answer, "content", await storedFile(context.files, row));
}

/** The file of an attachment. Throws ApiError 500 if it is missing in the file store. */
export async function storedFile(files: FileStore, { id, file_key }: AttachmentRow): Promise<StoredFile> {
  const file = file_key === null ? undefined : await files.get(file_key);
  if (!file) throw new ApiError(500, `The stored file of attachment ${id} is missing`);
  return file;
}
