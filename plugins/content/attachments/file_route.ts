import { contentDisposition, downloadResponse, idOf, notFound, type PluginContext } from "lectern/core";
import type { AttachmentRow, AttachmentsContext } from "./contract.ts";
import { downloadName } from "./file_names.ts";
import { resolveLink } from "./links.ts";
import { storedFile } from "./presenter.ts";
import { findAttachment } from "./queries.ts";

/** Media types that are served inline, by extension. None of them runs code, whatever the bytes are. */
const INLINE_TYPES: Readonly<Record<string, string>> = {
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "text/plain; charset=utf-8",
  log: "text/plain; charset=utf-8",
  md: "text/plain; charset=utf-8",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  ogg: "audio/ogg",
  pdf: "application/pdf",
  png: "image/png",
  txt: "text/plain; charset=utf-8",
  wav: "audio/wav",
  webm: "video/webm",
  webp: "image/webp",
};
const POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/** Mounts the route that serves the file of an attachment, or redirects to its link; `open=true` asks for it inline. */
export function mountFileRoute({ app }: Pick<PluginContext, "app">, context: AttachmentsContext): void {
  app.site.get(
    "/attachments/:id",
    async ({ viewer, params, request, nestedQuery }) => {
      const row = await findAttachment(context, viewer, idOf(params.id, "Attachment"));
      if (!row) throw notFound("Attachment");
      return attachmentResponse(context, row, request, nestedQuery.open === "true");
    },
    { permit: "access-api" },
  );
}

async function attachmentResponse(
  context: AttachmentsContext,
  row: AttachmentRow,
  request: Request,
  inline: boolean,
): Promise<Response> {
  if (row.external) {
    const target = resolveLink(row.link, context.baseUrl);
    if (target === undefined) throw notFound("Attachment");
    return new Response(null, { status: 302, headers: { location: target } });
  }
  const extension = row.extension.toLowerCase();
  const type = inline && Object.hasOwn(INLINE_TYPES, extension) ? INLINE_TYPES[extension] : undefined;
  return downloadResponse(request, {
    file: await storedFile(context.files, row),
    etag: row.file_key ?? "",
    type: type ?? "application/octet-stream",
    headers: {
      "content-disposition": contentDisposition(type ? "inline" : "attachment", downloadName(row)),
      "content-security-policy": POLICY,
      "cache-control": "private, no-cache",
    },
  });
}
