/**
 * Images in exports: found by their URLs or those of their variants, and covers as dependents of their items (content-api
 * 15.3, 15.7). The images within a page are exported under the same rule as a browser may fetch them. Portable archives
 * contain only the images that belong to something the viewer sees (`seen`).
 */
import type { ExportFile, ExportFiles } from "lectern/contracts";
import type { Viewer } from "lectern/core";
import type { ImagesContext } from "./contract.ts";
import { extensionOf } from "./file_names.ts";
import type { Audience } from "./file_route.ts";
import { findByPaths, type SeenImage, visibleCoversOf } from "./queries.ts";
import { FOLDER, type ImageReference, parseImageUrl, type Variant } from "./urls.ts";
import { servedFile } from "./variants.ts";

const KINDS_WITH_COVER = new Set(["book", "bookshelf"]);

/** The contribution to exports; `audience` is the setting of who may fetch an image by its URL. */
export function imagesInExports(context: ImagesContext, audience: Audience): ExportFiles {
  return {
    async named(viewer, addresses) {
      const references = new Map<string, ImageReference>();
      for (const address of addresses) {
        const reference = address.includes(FOLDER) ? parseImageUrl(address, context.baseUrl) : undefined;
        if (reference) references.set(address, reference);
      }
      const found = await findByPaths(context, viewer, [...new Set([...references.values()].map(({ path }) => path))]);
      const files = new Map<string, ExportFile>();
      for (const [address, { path, variant }] of references) {
        const row = found.get(path);
        if (row && (row.seen || mayFetch(audience, viewer))) files.set(address, exportFile(context, row, variant));
      }
      return files;
    },
    async dependents(viewer, kind, ids) {
      if (!KINDS_WITH_COVER.has(kind)) return [];
      const covers = await visibleCoversOf(context, viewer, kind, ids);
      return covers.map((row) => exportFile(context, row));
    },
  };
}

function mayFetch(audience: Audience, viewer: Viewer): boolean {
  return audience === "public" || (audience === "users" && viewer.via !== "guest");
}

function exportFile(context: ImagesContext, row: SeenImage, variant?: Variant): ExportFile {
  const isCover = row.type.startsWith("cover_");
  return {
    list: isCover ? "cover" : "images",
    object: isCover ? "cover" : "image",
    id: row.id,
    name: row.name,
    of: { kind: isCover ? row.type.slice("cover_".length) : "page", id: row.uploaded_to },
    seen: row.seen,
    entry: isCover ? {} : { type: row.type },
    extension: extensionOf(row.path),
    picture: `image/${row.format}`,
    open: () => context.files.get(row.file_key),
    ...(variant && { openShown: () => servedFile(context, row, variant) }),
  };
}
