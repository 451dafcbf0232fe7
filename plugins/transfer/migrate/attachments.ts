import type { Json } from "lectern/cli";
import { type EventTransaction, rules, SYSTEM, uploadOf } from "lectern/core";
import { historyOf, rewritten } from "./content.ts";
import type { Outcome } from "./contract.ts";
import { insertRow, keep, updateRow } from "./keep.ts";
import type { Run } from "./run_parts.ts";
import { idIn, numberOf, textOf } from "./values.ts";

/** What a request could have given as a link: one that runs code where it is followed comes in by no door. */
const linkRules = rules({ link: ["required", "string", "min:1", "max:2000", "safe_url"] });

/** Copies an attachment, as a listing shows it. Undefined where its page is not here. */
export async function copyAttachment(run: Run, id: number, attachment: Json): Promise<Outcome | undefined> {
  const pageId = run.state.written("page", idIn(attachment.uploaded_to));
  if (pageId === undefined) return undefined;
  const { owned_by: _, ...history } = historyOf(run, attachment);
  const name = textOf(attachment.name);
  const extension = textOf(attachment.extension);
  const facts = {
    uploaded_to: pageId,
    name,
    extension,
    external: attachment.external === true,
    sort_order: numberOf(attachment.order) ?? 0,
    ...history,
  };
  return keep(run, {
    kind: "attachment",
    id,
    wanted: facts,
    async prepare() {
      const content = await run.source.attachment(id);
      if ("file" in content) return content;
      const { text } = rewritten(run, `attachment "${name}"`, content.link);
      return run.validate(linkRules, { link: text }, SYSTEM);
    },
    async write({ own, id: ownId }, tx, content) {
      const keeper = run.keeper("attachments");
      const act = async (_: unknown, inner: EventTransaction) => {
        const stored =
          "file" in content
            ? { ...(await keeper.keep(content.file, inner)), link: "", external: false }
            : { link: content.link, external: true, file_key: null };
        const row = { ...facts, ...stored };
        if (!own) return insertRow(inner, "attachments", { ...row, id: ownId });
        const saved = await updateRow(inner, "attachments", ownId, row);
        if (typeof own.file_key === "string") keeper.drop(own.file_key, inner);
        return saved;
      };
      const sent =
        "file" in content
          ? { file: uploadOf(new Blob([content.file]), { name: `file.${extension}`, type: "" }) }
          : { link: content.link };
      const draft = { name, uploaded_to: pageId, ...sent };
      if (own) await tx.perform("attachment_update", { row: own as never, draft }, act as never);
      else await tx.perform("attachment_create", draft, act as never);
    },
  });
}
