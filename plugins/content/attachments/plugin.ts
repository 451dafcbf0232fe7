/**
 * Attachments: files and links attached to pages (content-api 11). Viewers see the attachments of the pages they see; changing
 * one requires permissions on both. Files are kept in the file store and streamed in and out: below /api as base64 within the
 * answer, at /attachments/ID as they are. Attachments of a page in the recycle bin stay.
 */

import { authorReferences, missingFilesCheck, referenceCheck, withoutAuthor } from "lectern/contracts";
import { definePlugin, fileLimit, sql, t } from "lectern/core";
import { flattened, overAll, refs } from "lectern/db";
import { fileKeeper, lockAttachment, removeOfPages } from "./changes.ts";
import type { AttachmentPermission, AttachmentsContext } from "./contract.ts";
import { attachmentsInExports } from "./export.ts";
import { mountFileRoute } from "./file_route.ts";
import { attachmentsInImports } from "./import.ts";
import { migrations } from "./migrations.ts";
import { usedFileKeys } from "./queries.ts";
import { attachmentReader } from "./reader.ts";
import { mountAttachmentRoutes } from "./routes.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): AttachmentPermission[] => [
  `attachment-${action}-all`,
  `attachment-${action}-own`,
]);

const IS_ITS_PAGE = flattened(sql`${refs("pages.id")} = ${refs("attachments.uploaded_to")}`);

export default definePlugin({
  name: "attachments",
  requires: ["access", "pages", "users"],
  grants: { write: ["attachments", "pages"], read: ["users"], files: true },
  settings: t.Object({ fileLimit }),
  migrations,
  events: ["attachment_create", "attachment_update", "attachment_delete"],
  permissions: PERMISSIONS,
  setup(plugin) {
    const { baseUrl, contribute, contracts, files, visibilityRule, on, settings, visible } = plugin;
    const context: AttachmentsContext = {
      db: overAll(plugin.db),
      contracts,
      files,
      baseUrl,
      visibleTo: (table, viewer) => visible.where(table, viewer),
    };

    visibilityRule(
      "attachments",
      (viewer) => sql<boolean>`exists (select from pages
        where ${IS_ITS_PAGE} and ${visible.where("pages", viewer)})`,
      { pages: ["id", "draft", "owned_by", "acl_id", "deleted_at"] },
    );
    contribute("item_reader", attachmentReader(context, plugin));
    contribute("dependents", { kind: "page", destroy: (ids, tx) => removeOfPages(context, ids, tx) });
    contribute("export_files", attachmentsInExports(context));
    contribute("import_files", attachmentsInImports(context));
    contribute("file_claims", { plugin: "attachments", used: (keys) => usedFileKeys(context, keys) });
    contribute("file_keeper", fileKeeper(context));
    contribute(
      "self_check",
      referenceCheck(plugin.db, {
        name: "attachments/authors",
        title: "Every author of an attachment is a user",
        references: () => authorReferences("attachments"),
        repair: "clear",
      }),
    );
    contribute(
      "self_check",
      missingFilesCheck(plugin, {
        name: "attachments/files",
        title: "The file of every attachment is stored",
        table: "attachments",
        column: "file_key",
      }),
    );
    contribute(
      "self_check",
      referenceCheck(plugin.db, {
        name: "attachments/pages",
        title: "Every attachment belongs to a page",
        references: () => [{ table: "attachments", column: "uploaded_to", to: "pages" }],
        repair: "none",
        advice: "Move them to another page by PUT /api/attachments/ID, or delete them there.",
      }),
    );
    // Handlers of these events get the locked row of now, not the one read when the request came.
    on("attachment_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockAttachment(row.id, tx), draft }),
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "attachments", id) });
    on("attachment_delete", { filter: (row, tx) => lockAttachment(row.id, tx) });

    mountAttachmentRoutes(plugin, context, settings.fileLimit);
    mountFileRoute(plugin, context);
  },
});
