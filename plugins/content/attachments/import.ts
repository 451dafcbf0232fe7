import type { ImportFiles } from "lectern/contracts";
import { insertAttachment } from "./changes.ts";
import type { AttachmentCreate, AttachmentsContext } from "./contract.ts";
import { attachmentUrl } from "./links.ts";

/** Attachments in imports; a file takes precedence over a link (platform 8.2). */
export function attachmentsInImports(context: AttachmentsContext): ImportFiles {
  return {
    list: "attachments",
    object: "attachment",
    permission: "attachment-create-all",
    async store({ name, link, file }, of, tx) {
      const draft: AttachmentCreate = { name, uploaded_to: of.id, ...(file ? { file } : { link: link ?? "" }) };
      const { id } = await tx.perform("attachment_create", draft, (final, inner) =>
        insertAttachment(context, final, inner),
      );
      return { id, url: attachmentUrl(context.baseUrl, id) };
    },
  };
}
