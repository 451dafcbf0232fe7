import type { ImportFiles } from "lectern/contracts";
import type { AttachmentCreate } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { insertAttachment } from "./write.ts";

/** Attachments that come with imports; a file wins over a link (platform 8.2). */
export function attachmentsInImports(parts: Parts): ImportFiles {
  return {
    list: "attachments",
    object: "attachment",
    permission: "attachment-create-all",
    async store({ name, link, file }, of, tx) {
      const draft: AttachmentCreate = { name, uploaded_to: of.id, ...(file ? { file } : { link: link ?? "" }) };
      const { id } = await tx.perform("attachment_create", draft, (final, inner) =>
        insertAttachment(parts, final, inner),
      );
      return { id, url: `${parts.baseUrl}/attachments/${id}` };
    },
  };
}
