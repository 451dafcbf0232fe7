/**
 * Pictures as exports know them: named by their addresses, smaller forms among them, and covers along with their items
 * (content-api 15.3, 15.7). A reader of a page gets the pictures that stand in it under the same rule as a browser that
 * fetches them; into a portable archive go only those that hang on something the viewer sees.
 */
import type { ExportFile, ExportFiles } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { asked, extensionOf, FOLDER, type Form, type Named } from "./names.ts";
import type { Parts } from "./parts.ts";
import type { Audience } from "./serve.ts";
import { shownFile } from "./thumbs.ts";

type Found = ImageRow & { readonly seen: boolean };

const COVERED = new Set(["book", "bookshelf"]);

/** What exports ask of pictures; `audience` is who may fetch one by its address. */
export function picturesInExports(parts: Parts, audience: Audience): ExportFiles {
  return {
    async named(viewer, addresses) {
      const named = new Map<string, Named>();
      for (const address of addresses) {
        const one = address.includes(FOLDER) ? asked(address, parts.baseUrl) : undefined;
        if (one) named.set(address, one);
      }
      const found = await byPath(parts, viewer, [...new Set([...named.values()].map(({ path }) => path))]);
      const files = new Map<string, ExportFile>();
      for (const [address, { path, form }] of named) {
        const row = found.get(path);
        if (row && (row.seen || mayFetch(audience, viewer))) files.set(address, pictureOf(parts, row, form));
      }
      return files;
    },
    async dependents(viewer, kind, ids) {
      if (!COVERED.has(kind)) return [];
      const covers = await rows<Found>(
        parts.db,
        sql`select images.*, true as seen from images where images.type = ${`cover_${kind}`}
          and images.uploaded_to = any(${[...ids]}::integer[]) and ${parts.sees("images", viewer)}`,
      );
      return covers.map((row) => pictureOf(parts, row));
    },
  };
}

async function byPath(parts: Parts, viewer: Viewer, paths: readonly string[]): Promise<ReadonlyMap<string, Found>> {
  if (paths.length === 0) return new Map();
  const found = await rows<Found>(
    parts.db,
    sql`select images.*, ${parts.sees("images", viewer)} as seen from images
      where images.path = any(${[...paths]}::text[])`,
  );
  return new Map(found.map((row) => [row.path, row]));
}

function mayFetch(audience: Audience, viewer: Viewer): boolean {
  return audience === "public" || (audience === "users" && viewer.via !== "guest");
}

function pictureOf(parts: Parts, row: Found, form?: Form): ExportFile {
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
    open: () => parts.files.get(row.file_key),
    ...(form && { openShown: () => shownFile(parts, row, form) }),
  };
}
