import {
  ApiError,
  type DownloadAnswer,
  downloadResponse,
  fileResponse,
  notFound,
  type PluginContext,
  type Viewer,
} from "lectern/core";
import type { ImageRow, ImagesContext } from "./contract.ts";
import { findByPath, findVisible } from "./queries.ts";
import { FOLDER, type ImageReference, parseImagePath, type Variant } from "./urls.ts";
import { servedFile } from "./variants.ts";

/** Who may fetch the file of an image by its URL: anybody, users who are signed in, or viewers who see its page. */
export type Audience = "public" | "users" | "readers";

/** An image opened in a tab of its own runs no scripts and loads nothing else. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; sandbox";
/** A replaced file reaches every client within an hour. */
const PUBLIC_CACHE = "public, max-age=3600";
/** Another picture of a user has another URL. */
const FOREVER = "public, max-age=31536000, immutable";
/** Revalidated at each use, so that a viewer who may no longer see a page cannot fetch its images. */
const PRIVATE_CACHE = "private, no-cache";

/** Mounts the URLs of images and of their variants, as pages use them (content-api 4.6, 12). */
export function mountFileRoute({ app }: Pick<PluginContext, "app">, context: ImagesContext, audience: Audience): void {
  app.site.get(
    `${FOLDER}/*`,
    ({ viewer, params, request }) => {
      const reference = parseImagePath(params["*"]);
      if (!reference) throw notFound("Image");
      return serve(context, audience, viewer, reference, request);
    },
    { permit: "public" },
  );
}

async function serve(
  context: ImagesContext,
  audience: Audience,
  viewer: Viewer,
  { path, variant }: ImageReference,
  request: Request,
): Promise<Response> {
  if (audience === "users" && viewer.via === "guest") throw new ApiError(401, "Sign in to see this picture.");
  const row = audience === "readers" ? await findVisible(context, viewer, { path }) : await findByPath(context, path);
  const headers = {
    "cache-control": audience !== "public" ? PRIVATE_CACHE : row?.type === "user" ? FOREVER : PUBLIC_CACHE,
    "content-security-policy": POLICY,
    "content-disposition": "inline",
  };
  return downloadResponse(request, await imageAnswer(context, row, variant, headers));
}

/** A response with the file of an image or a variant. Throws ApiError 404 if there is no such image or file. */
export async function imageResponse(
  context: ImagesContext,
  requestHeaders: Headers,
  row: ImageRow | undefined,
  variant: Variant | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return fileResponse(requestHeaders, await imageAnswer(context, row, variant, headers));
}

async function imageAnswer(
  context: ImagesContext,
  row: ImageRow | undefined,
  variant: Variant | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<DownloadAnswer> {
  const file = row && (await servedFile(context, row, variant));
  if (!file) throw notFound("Image");
  return { file, etag: `${row.file_key}${variant ?? ""}`, type: `image/${row.format}`, headers };
}
