import type { ItemReader } from "lectern/contracts";
import { type PluginContext, type RawBuilder, sql } from "lectern/core";
import { prepared } from "lectern/db";
import { isId } from "../_items/reader.ts";
import type { AttachmentsContext } from "./contract.ts";

type Parameters = { readonly ids: readonly number[]; readonly visible: RawBuilder<boolean> };

const listOfPages = prepared("attachments.listOfPages", (db, p: Parameters) =>
  db
    .selectFrom("attachments")
    .select(["id", "name", "extension", "uploaded_to", "external", "sort_order as order", "created_at", "updated_at"])
    .select(["created_by", "updated_by"])
    .where("attachments.uploaded_to", "=", sql<number>`any(${p.ids}::integer[])`)
    .where(p.visible)
    .orderBy("attachments.id"),
);

/** Lists the attachments of pages for other plugins. Their single read holds files, so only the API has it. */
export function attachmentReader(
  { db, visibleTo }: AttachmentsContext,
  { cache }: Pick<PluginContext, "cache">,
): ItemReader<"attachment"> {
  const lists = cache.answers("listOfPage", {
    dependsOn: () => [
      { table: "attachments", column: "uploaded_to" },
      { table: "pages", column: "id" },
      { table: "acl", only: ["id", "view_fallback", "view_allow", "view_deny"] },
    ],
    load: (viewer, id) => listOfPages.execute(db, { ids: [id], visible: visibleTo("attachments", viewer) }),
  });
  return {
    kind: "attachment",
    noun: "Attachment",
    list(viewer, where) {
      if (!("within" in where && isId(where.within))) return [];
      const found = lists.find(viewer, where.within);
      return found instanceof Promise ? found.then((list) => list ?? []) : (found ?? []);
    },
  };
}
