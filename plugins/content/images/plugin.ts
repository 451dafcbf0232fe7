/**
 * Pictures: the gallery of what hangs on pages, pictures that come as base64 inside a page, and covers of books and
 * shelves (content-api 4.6, 9.5, 12). Whoever sees the page sees its pictures; their files are served under the addresses
 * that stand in pages, by default to anybody who knows one. A picture outlives its page, since others may show it too:
 * `images cleanup` takes away what no page shows any more.
 */
import { activityOf } from "lectern/contracts";
import { definePlugin, fileLimit, sql, t, withoutAuthor } from "lectern/core";
import { rows } from "lectern/db";
import { imagesCommand } from "./commands.ts";
import type { ImagePermission } from "./contract.ts";
import { keepCovers } from "./covers.ts";
import { picturesInExports } from "./export.ts";
import { coversInImports, picturesInImports } from "./import.ts";
import { fileKeeper, pictureKeeper } from "./keeper.ts";
import { migrations } from "./migrations.ts";
import { FOLDER } from "./names.ts";
import type { Parts } from "./parts.ts";
import { makePictures } from "./pictures.ts";
import { mountGallery } from "./routes.ts";
import { mountFiles } from "./serve.ts";
import { ownerKey } from "./thumbs.ts";
import { mountUnused } from "./unused.ts";
import { lockImage } from "./write.ts";

const PERMISSIONS = (["create", "update", "delete"] as const).flatMap((action): ImagePermission[] => [
  `image-${action}-all`,
  `image-${action}-own`,
]);

export default definePlugin({
  name: "images",
  requires: ["access", "pages", "users"],
  permissions: { write: ["images"], read: ["pages", "page_revisions", "books", "bookshelves", "users"], files: true },
  settings: t.Object({
    fileLimit,
    maxPixels: t.Integer({
      default: 100_000_000,
      minimum: 1,
      env: "IMAGE_MAX_PIXELS",
      description:
        "Most pixels of a picture; one that claims more, or would take more than five times as many bytes, is not decoded",
    }),
    audience: t.Union([t.Literal("public"), t.Literal("users"), t.Literal("readers")], {
      default: "public",
      env: "IMAGE_ACCESS",
      description:
        "Who may fetch a picture by its address: public (anybody), users (who is signed in), readers (who sees its page)",
    }),
  }),
  migrations,
  events: ["image_create", "image_update", "image_delete", "maintenance_action_run"],
  adds: PERMISSIONS,
  commands: { images: imagesCommand },
  setup(context) {
    const { area, contracts, contribute, visibilityRule, on, settings, visible } = context;
    const parts: Parts = {
      db: context.db as unknown as Parts["db"],
      contracts,
      files: context.files,
      pictures: makePictures(settings.maxPixels),
      baseUrl: context.baseUrl,
      log: context.log,
      sees: (table, viewer) => visible.where(table, viewer),
    };

    // Covers are shown with their items; the gallery's rows are seen through their pages.
    visibilityRule(
      "images",
      (viewer) => sql<boolean>`case images.type
        when 'cover_book' then exists (select from books
          where books.id = images.uploaded_to and ${visible.where("books", viewer)})
        when 'cover_bookshelf' then exists (select from bookshelves
          where bookshelves.id = images.uploaded_to and ${visible.where("bookshelves", viewer)})
        else exists (select from pages where pages.id = images.uploaded_to and ${visible.where("pages", viewer)}) end`,
    );
    contribute("picture_keeper", pictureKeeper(parts));
    contribute("export_files", picturesInExports(parts, settings.audience));
    contribute("import_files", picturesInImports(parts));
    contribute("import_files", coversInImports(parts));
    contribute("file_claims", { plugin: "images", used: (keys) => usedKeys(parts, keys) });
    contribute("file_keeper", fileKeeper(parts));
    contribute(
      "activity",
      activityOf("maintenance_action_run", ({ result }) => [{ type: "maintenance_action_run", detail: result.action }]),
    );
    keepCovers(context, parts);
    // Whoever takes part in a change sees the picture as it is, not as it was when the request came.
    on("image_update", {
      filter: async ({ row, draft }, tx) => ({ row: await lockImage(row.id, tx), draft }),
    });
    on("user_delete", { inTransaction: ({ id }, { db }) => withoutAuthor(db, "images", id) });
    on("image_delete", { filter: (row, tx) => lockImage(row.id, tx) });

    // A page with fifty pictures is one page read, not fifty-one requests of its reader.
    area(FOLDER, { outside: true, limiter: null });
    mountUnused(context, parts);
    mountGallery(context, parts, settings.fileLimit);
    mountFiles(context, parts, settings.audience);
  },
});

async function usedKeys({ db }: Parts, keys: readonly string[]): Promise<string[]> {
  const owners = keys.map(ownerKey);
  const found = await rows<{ file_key: string }>(
    db,
    sql`select file_key from images where file_key = any(${owners}::text[])`,
  );
  const used = new Set(found.map(({ file_key }) => file_key));
  return keys.filter((key) => used.has(ownerKey(key)));
}
