/**
 * Images: the gallery of images of pages, images embedded in a page as base64, covers of books and shelves (content-api
 * 4.6, 9.5, 12), and pictures of users. Viewers see the images of the pages they see. Files are served under the URLs that pages use, by default
 * to anybody who knows one. An image outlives its page, since other pages may show it; `images cleanup` removes images that
 * no page shows.
 */
import { activityOf, authorReferences, missingFilesCheck, referenceCheck, withoutAuthor } from "lectern/contracts";
import { definePlugin, fileLimit, sql, t } from "lectern/core";
import { flattened, overAll, refs } from "lectern/db";
import { registerAvatars } from "./avatars.ts";
import { mountBranding, usedBranding } from "./branding.ts";
import { lockImage } from "./changes.ts";
import { imagesCommand } from "./commands.ts";
import type { ImagePermission, ImagesContext } from "./contract.ts";
import { registerCovers } from "./covers.ts";
import { createImageDecoder, loadSharp } from "./decoder.ts";
import { pictureKeeper } from "./embedded_images.ts";
import { imagesInExports } from "./export.ts";
import { mountFileRoute } from "./file_route.ts";
import { coversInImports, imagesInImports } from "./import.ts";
import { migrations } from "./migrations.ts";
import { picturesOnScreens } from "./page_pictures.ts";
import { usedFileKeys } from "./queries.ts";
import { mountGalleryRoutes } from "./routes.ts";
import { mountUnusedRoutes } from "./unused_routes.ts";
import { fileKeeper } from "./uploads.ts";
import { FOLDER } from "./urls.ts";
import { mountUsesRoute } from "./uses_routes.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): ImagePermission[] => [
  `image-${action}-all`,
  `image-${action}-own`,
]);

const TYPE = flattened(refs("images.type"));
const UPLOADED_TO = flattened(refs("images.uploaded_to"));

export default definePlugin({
  name: "images",
  requires: ["access", "instance_settings", "pages", "system", "users"],
  grants: {
    write: ["images"],
    read: ["pages", "page_revisions", "books", "bookshelves", "users"],
    files: true,
    system: true,
  },
  settings: t.Object({
    fileLimit,
    maxPixels: t.Integer({
      default: 100_000_000,
      minimum: 1,
      constant: true,
      description:
        "Maximum pixels of an image, whose decoding takes half a gigabyte; one with more, or one that would take more than five times as many bytes, is not decoded",
    }),
    audience: t.Union([t.Literal("public"), t.Literal("users"), t.Literal("readers")], {
      default: "public",
      env: "IMAGE_ACCESS",
      description:
        "Who may fetch an image by its URL: public (anybody), users (who are signed in), readers (who see its page)",
    }),
    keepPositions: t.Boolean({
      default: false,
      description: "Keeps in uploaded images where they were taken; their smaller forms never say it",
    }),
  }),
  migrations,
  events: ["image_create", "image_update", "image_delete", "maintenance_action_run"],
  permissions: PERMISSIONS,
  commands: { images: imagesCommand },
  setup(plugin) {
    const { baseUrl, contracts, contribute, files, log, on, onStart, routeScope, settings, visibilityRule, visible } =
      plugin;
    const context: ImagesContext = {
      db: overAll(plugin.db),
      contracts,
      files,
      decoder: createImageDecoder(settings.maxPixels),
      keepsPositions: settings.keepPositions,
      baseUrl,
      log,
      visibleTo: (table, viewer) => visible.where(table, viewer),
    };

    // A library that is not installed for this system stops the start.
    onStart(async () => void (await loadSharp()));
    // Covers are visible with their items, images of the gallery with their pages, those of users to everybody who sees names.
    visibilityRule(
      "images",
      (viewer) => sql<boolean>`case ${TYPE}
        when 'cover_book' then exists (select from books
          where books.id = ${UPLOADED_TO} and ${visible.where("books", viewer)})
        when 'cover_bookshelf' then exists (select from bookshelves
          where bookshelves.id = ${UPLOADED_TO} and ${visible.where("bookshelves", viewer)})
        when 'user' then true
        else exists (select from pages where pages.id = ${UPLOADED_TO} and ${visible.where("pages", viewer)}) end`,
      {
        books: ["id", "owned_by", "acl_id", "deleted_at"],
        bookshelves: ["id", "owned_by", "acl_id", "deleted_at"],
        pages: ["id", "draft", "owned_by", "acl_id", "deleted_at"],
      },
    );
    contribute("picture_keeper", pictureKeeper(context));
    contribute("page_pictures", picturesOnScreens(context));
    contribute("export_files", imagesInExports(context, settings.audience));
    contribute("import_files", imagesInImports(context));
    contribute("import_files", coversInImports(context));
    const branding = { decoder: context.decoder, files, settings: contracts.instance_settings };
    contribute("file_claims", {
      plugin: "images",
      used: async (keys) => [...(await usedFileKeys(context, keys)), ...(await usedBranding(branding.settings, keys))],
    });
    contribute("file_keeper", fileKeeper(context));
    contribute(
      "self_check",
      referenceCheck(plugin.db, {
        name: "images/authors",
        title: "Every author of an image is a user",
        references: () => authorReferences("images"),
        repair: "clear",
      }),
    );
    contribute(
      "self_check",
      missingFilesCheck(plugin, {
        name: "images/files",
        title: "The file of every image is stored",
        table: "images",
        column: "file_key",
      }),
    );
    contribute(
      "activity",
      activityOf("maintenance_action_run", ({ result }) => [{ type: "maintenance_action_run", detail: result.action }]),
    );
    registerCovers(plugin, context);
    registerAvatars(plugin, context);
    // Handlers of these events get the locked row of now, not the one read when the request came.
    on("image_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockImage(row.id, tx), draft }),
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "images", id) });
    on("image_delete", { filter: (row, tx) => lockImage(row.id, tx) });

    // No rate limit: a page with fifty images would otherwise count as fifty-one requests of its reader.
    routeScope(FOLDER, { outside: true, limiter: null });
    mountUnusedRoutes(plugin, context);
    mountUsesRoute(plugin, context);
    mountGalleryRoutes(plugin, context, settings.fileLimit);
    mountFileRoute(plugin, context, settings.audience);
    mountBranding(plugin, branding);
  },
});
