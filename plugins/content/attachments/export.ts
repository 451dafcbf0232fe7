import type { ExportFile, ExportFiles } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import type { AttachmentRow, AttachmentsContext } from "./contract.ts";
import { attachmentIdIn } from "./links.ts";
import { findAttachments } from "./queries.ts";

/** Attachments in exports: found by their URLs, and as dependents of pages (content-api 15.7). */
export function attachmentsInExports(context: AttachmentsContext): ExportFiles {
  const find = async (viewer: Viewer, column: "id" | "uploaded_to", ids: readonly number[]) =>
    (await findAttachments(context, viewer, column, ids)).map((row) => exportFile(context, row));
  return {
    async named(viewer, addresses) {
      const ids = new Map(addresses.map((address) => [address, attachmentIdIn(address, context.baseUrl)]));
      const wanted = [...new Set([...ids.values()].filter((id) => id !== undefined))];
      const files = new Map((await find(viewer, "id", wanted)).map((file) => [file.id, file]));
      const found = new Map<string, ExportFile>();
      for (const [address, id] of ids) {
        const file = id === undefined ? undefined : files.get(id);
        if (file) found.set(address, file);
      }
      return found;
    },
    dependents: async (viewer, kind, ids) => (kind === "page" ? find(viewer, "uploaded_to", ids) : []),
  };
}

function exportFile({ files }: AttachmentsContext, row: AttachmentRow): ExportFile {
  const key = row.file_key;
  return {
    list: "attachments",
    object: "attachment",
    id: row.id,
    name: row.name,
    of: { kind: "page", id: row.uploaded_to },
    seen: true,
    entry: row.external ? { link: row.link } : {},
    extension: row.extension,
    ...(key !== null && { open: () => files.get(key) }),
  };
}
