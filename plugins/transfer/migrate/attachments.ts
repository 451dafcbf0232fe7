import type { Json } from "lectern/cli";
import { type EventTransaction, rules, SYSTEM, uploadOf } from "lectern/core";
import { insertRow, updateRow, writeItem } from "./changes.ts";
import { historyOf, rewriteText } from "./content.ts";
import type { MigrateContext, Outcome } from "./contract.ts";
import { idIn, numberOf, textOf } from "./values.ts";

/** The rules of links in requests, so that no link that runs code is imported. */
const linkRules = rules({ link: ["required", "string", "min:1", "max:2000", "safe_url"] });

/** Copies an attachment, given its row of a listing. Returns undefined where its page was not copied. */
export async function copyAttachment(
  context: MigrateContext,
  id: number,
  attachment: Json,
): Promise<Outcome | undefined> {
  const pageId = context.state.targetIdOf("page", idIn(attachment.uploaded_to));
  if (pageId === undefined) return undefined;
  const { owned_by: _, ...history } = historyOf(context, attachment);
  const name = textOf(attachment.name);
  const extension = textOf(attachment.extension);
  const columns = {
    uploaded_to: pageId,
    name,
    extension,
    external: attachment.external === true,
    sort_order: numberOf(attachment.order) ?? 0,
    ...history,
  };
  return writeItem(context, {
    kind: "attachment",
    id,
    desired: columns,
    async prepare() {
      const content = await context.source.attachment(id);
      if ("file" in content) return content;
      const { text } = rewriteText(context, `attachment "${name}"`, content.link);
      return context.validate(linkRules, { link: text }, SYSTEM);
    },
    async write({ existing, id: targetId }, tx, content) {
      const keeper = context.keeper("attachments");
      const save = async (_: unknown, inner: EventTransaction) => {
        const stored =
          "file" in content
            ? { ...(await keeper.keep(content.file, inner)), link: "", external: false }
            : { link: content.link, external: true, file_key: null };
        const row = { ...columns, ...stored };
        if (!existing) return insertRow(inner, "attachments", { ...row, id: targetId });
        const saved = await updateRow(inner, "attachments", targetId, row);
        if (typeof existing.file_key === "string") keeper.drop(existing.file_key, inner);
        return saved;
      };
      const input =
        "file" in content
          ? { file: uploadOf(new Blob([content.file]), { name: `file.${extension}`, type: "" }) }
          : { link: content.link };
      const draft = { name, uploaded_to: pageId, ...input };
      if (existing) await tx.perform("attachment_update", { row: existing, draft }, save);
      else await tx.perform("attachment_create", draft, save);
    },
  });
}
