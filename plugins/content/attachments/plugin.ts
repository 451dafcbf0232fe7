/**
 * Attachments: files and links that hang on pages (content-api 11). Who sees the page sees what hangs on it; who may
 * change both may change it. The bytes lie in the store of files and are streamed both ways, at /api as base64 within
 * the answer, at /attachments/ID as they are. An attachment stays while its page is in the recycle bin.
 */
import { definePlugin, fileLimit, idOf, notFound, sql, t, withoutAuthor } from "lectern/core";
import { rows } from "lectern/db";
import type { AttachmentPermission } from "./contract.ts";
import { attachmentsInExports } from "./export.ts";
import { attachmentsInImports } from "./import.ts";
import { migrations } from "./migrations.ts";
import type { Parts } from "./parts.ts";
import { mountAttachments } from "./routes.ts";
import { serveAttachment } from "./serve.ts";
import { findAttachment } from "./show.ts";
import { fileKeeper, lockAttachment, removeOfPages } from "./write.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): AttachmentPermission[] => [
  `attachment-${action}-all`,
  `attachment-${action}-own`,
]);

export default definePlugin({
  name: "attachments",
  requires: ["access", "pages", "users"],
  permissions: { write: ["attachments"], read: ["pages", "users"], files: true },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["attachment_create", "attachment_update", "attachment_delete"],
  adds: PERMISSIONS,
  setup(context) {
    const { contribute, contracts, visibilityRule, on, site, visible } = context;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      files: context.files,
      baseUrl: context.baseUrl,
      sees: (table, viewer) => visible.where(table, viewer),
    };

    visibilityRule(
      "attachments",
      (viewer) => sql<boolean>`exists (select from pages
        where pages.id = attachments.uploaded_to and ${visible.where("pages", viewer)})`,
    );
    contribute("dependents", { kind: "page", destroy: (ids, tx) => removeOfPages(parts, ids, tx) });
    contribute("export_files", attachmentsInExports(parts));
    contribute("import_files", attachmentsInImports(parts));
    contribute("file_claims", { plugin: "attachments", used: (keys) => usedKeys(parts, keys) });
    contribute("file_keeper", fileKeeper(parts));
    // Whoever takes part in a change sees the attachment as it is, not as it was when the request came.
    on("attachment_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockAttachment(row.id, tx), draft }),
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "attachments", id) });
    on("attachment_delete", { filter: (row, tx) => lockAttachment(row.id, tx) });

    mountAttachments(context, parts, context.settings.fileLimit);
    site.get(
      "/attachments/:id",
      async ({ viewer, params, request, asked }) => {
        const row = await findAttachment(parts, viewer, idOf(params.id, "Attachment"));
        if (!row) throw notFound("Attachment");
        return serveAttachment(parts, row, { headers: request.headers, open: asked.open === "true" });
      },
      { permit: "access-api" },
    );
  },
});

async function usedKeys({ db }: Parts, keys: readonly string[]): Promise<string[]> {
  const used = await rows<{ file_key: string }>(
    db,
    sql`select file_key from attachments where file_key = any(${[...keys]}::text[])`,
  );
  return used.map(({ file_key }) => file_key);
}
