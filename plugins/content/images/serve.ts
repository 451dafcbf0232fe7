import { ApiError, fileResponse, notFound, type PluginContext, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import type { ImageRow } from "./contract.ts";
import { FOLDER, type Named, namedBy } from "./names.ts";
import type { Parts } from "./parts.ts";
import { findVisible } from "./show.ts";
import { shownFile } from "./thumbs.ts";

/** Who may fetch the file of a picture by its address: anybody who knows it, users, or those who see its page. */
export type Audience = "public" | "users" | "readers";

/** A picture opened by itself shows itself and nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox";
/** A replaced picture is seen by all within the hour. */
const PUBLIC_CACHE = "public, max-age=3600";
/** Whoever loses sight of a page loses its pictures at once. */
const PRIVATE_CACHE = "private, no-cache";

/** Mounts the addresses of pictures that stand in pages, and of their smaller forms (content-api 4.6, 12). */
export function mountFiles({ site }: Pick<PluginContext, "site">, parts: Parts, audience: Audience): void {
  site.get(
    `${FOLDER}/*`,
    ({ viewer, params, request }) => {
      const named = namedBy(params["*"]);
      if (!named) throw notFound("Image");
      return serve(parts, audience, viewer, named, request.headers);
    },
    { permit: "public" },
  );
}

async function serve(
  parts: Parts,
  audience: Audience,
  viewer: Viewer,
  { path, form }: Named,
  headers: Headers,
): Promise<Response> {
  if (audience === "users" && viewer.via === "guest") throw new ApiError(401, "Sign in to see this picture.");
  const row = audience === "readers" ? await findVisible(parts, viewer, { path }) : await findAny(parts, path);
  const file = row && (await shownFile(parts, row, form));
  if (!file) throw notFound("Image");
  return fileResponse(headers, {
    file,
    etag: `${row.file_key}${form ?? ""}`,
    type: `image/${row.format}`,
    headers: {
      "cache-control": audience === "public" ? PUBLIC_CACHE : PRIVATE_CACHE,
      "content-security-policy": POLICY,
      "content-disposition": "inline",
    },
  });
}

async function findAny(parts: Parts, path: string): Promise<ImageRow | undefined> {
  const [row] = await rows<ImageRow>(parts.db, sql`select * from images where path = ${path}`);
  return row;
}
