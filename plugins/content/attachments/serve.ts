import { contentDisposition, fileResponse, notFound } from "lectern/core";
import type { AttachmentRow } from "./contract.ts";
import { downloadName, targetOf } from "./names.ts";
import type { Parts } from "./parts.ts";
import { fileOf } from "./show.ts";

/** What a browser may show by itself, by extension: nothing here can run code, whatever the bytes are. */
const SHOWN: Readonly<Record<string, string>> = {
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

/** Sends whoever asks to an attachment's link, or sends its file: to be saved, or to be shown where that is harmless. */
export async function serveAttachment(
  parts: Parts,
  row: AttachmentRow,
  asked: { readonly headers: Headers; readonly open: boolean },
): Promise<Response> {
  if (row.external) {
    const target = targetOf(row.link, parts.baseUrl);
    if (target === undefined) throw notFound("Attachment");
    return new Response(null, { status: 302, headers: { location: target } });
  }
  const known = row.extension.toLowerCase();
  const type = asked.open && Object.hasOwn(SHOWN, known) ? SHOWN[known] : undefined;
  return fileResponse(asked.headers, {
    file: await fileOf(parts.files, row),
    etag: row.file_key ?? "",
    type: type ?? "application/octet-stream",
    headers: {
      "content-disposition": contentDisposition(type ? "inline" : "attachment", downloadName(row)),
      "content-security-policy": POLICY,
      "cache-control": "private, no-cache",
    },
  });
}
