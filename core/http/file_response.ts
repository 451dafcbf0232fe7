/**
 * Answers with files: ETags and single byte ranges, as browsers and download tools send them. Any other range is answered with
 * the whole file, as RFC 9110 allows. Browsers may not guess the type of the bytes.
 */
import { readFileSync } from "node:fs";
import type { ByteRange, StoredFile } from "../files/file_store.ts";
import { cameAsHead } from "./request_rewrite.ts";

/** A file and the headers it is served with. */
export interface FileAnswer {
  readonly file: Pick<StoredFile, "size" | "body">;
  /** Differs for different content; without quotes. */
  readonly etag: string;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The answer to a GET for a file, given the request's headers: 200, 206, 304 or 416.
 * @example
 * const file = await context.files.get("notes/1.pdf");
 * if (!file) throw notFound("Note");
 * return fileResponse(request.headers, { file, etag: "notes-1", type: "application/pdf" });
 */
export function fileResponse(requestHeaders: Headers, { file, etag, type, headers = {} }: FileAnswer): Response {
  const tag = `"${etag}"`;
  const sized = (bytes: number) => ({ ...common, "content-type": type, "content-length": String(bytes) });
  const common = { etag: tag, "accept-ranges": "bytes", "x-content-type-options": "nosniff", ...headers };
  if (matches(requestHeaders.get("if-none-match"), tag)) return new Response(null, { status: 304, headers: common });
  const range = rangeOf(requestHeaders, tag, file.size);
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...common, "content-range": `bytes */${file.size}` } });
  if (!range) return new Response(file.body(), { headers: sized(file.size) });
  const contentRange = `bytes ${range.start}-${range.end - 1}/${file.size}`;
  return new Response(file.body(range), {
    status: 206,
    headers: { ...sized(range.end - range.start), "content-range": contentRange },
  });
}

/** A file that may be downloaded from the object store itself. */
export interface DownloadAnswer extends FileAnswer {
  readonly file: Pick<StoredFile, "size" | "body" | "signedAddress">;
}

/** An address that holds for anybody is kept by no cache, and passed on to no other site. */
const REDIRECT_HEADERS = { "cache-control": "private, no-store", "referrer-policy": "no-referrer" };

/**
 * The answer to a request for a file: 302 to a signed address of the object store where FILES_S3_SIGNED_DOWNLOADS_SECONDS has
 * it so, else that of `fileResponse`. The address answers with the same type and Content-Disposition. Files with a public
 * Cache-Control, HEAD requests and unchanged files are answered here. Check the permission of the viewer before.
 * @example
 * const file = await context.files.get("notes/1.pdf");
 * if (!file) throw notFound("Note");
 * const headers = { "content-disposition": contentDisposition("attachment", "Note.pdf") };
 * return downloadResponse(request, { file, etag: "notes-1", type: "application/pdf", headers });
 */
export async function downloadResponse(
  request: Pick<Request, "method" | "headers">,
  answer: DownloadAnswer,
): Promise<Response> {
  const { file, etag, type, headers = {} } = answer;
  const isOurs =
    cameAsHead(request) ||
    headers["cache-control"]?.startsWith("public") ||
    matches(request.headers.get("if-none-match"), `"${etag}"`);
  const disposition = headers["content-disposition"] ?? "attachment";
  const location = isOurs ? undefined : await file.signedAddress?.({ type, disposition });
  if (location === undefined) return fileResponse(request.headers, answer);
  return new Response(null, { status: 302, headers: { ...REDIRECT_HEADERS, location } });
}

/** Browsers revalidate files of plugins after a day. */
const SHIPPED_FILE_CACHE = "public, max-age=86400";

/**
 * Reads a file of a plugin once. Returns the function that answers with it, given the headers of a request.
 * @example
 * const script = shippedFile(`${import.meta.dir}/notes.js`, "text/javascript; charset=utf-8");
 * context.app.site.get("/notes/notes.js", ({ request }) => script(request.headers), { permit: "public" });
 */
export function shippedFile(path: string, type: string): (requestHeaders: Headers) => Response {
  const bytes = readFileSync(path);
  const answer: FileAnswer = {
    file: { size: bytes.length, body: (range) => new Blob([range ? bytes.subarray(range.start, range.end) : bytes]) },
    etag: Bun.hash(bytes).toString(36),
    type,
    headers: { "cache-control": SHIPPED_FILE_CACHE },
  };
  return (requestHeaders) => fileResponse(requestHeaders, answer);
}

/**
 * A Content-Disposition for a name that users chose: an ASCII form for old clients and the exact name (RFC 6266). Slashes
 * become dashes; control characters and bidirectional marks, which disguise a name, are removed.
 * @example
 * contentDisposition("attachment", "Menü.pdf"); // attachment; filename="Menu.pdf"; filename*=UTF-8''Men%C3%BC.pdf
 */
export function contentDisposition(kind: "attachment" | "inline", name: string): string {
  const shown =
    name
      .toWellFormed()
      .replace(/[\p{Cc}\p{Bidi_Control}]/gu, "")
      .replace(/[\\/]/g, "-")
      .trim() || "file";
  const plain = shown
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]|["%]/gu, "_");
  const exact = encodeURIComponent(shown).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"${plain === shown ? "" : `; filename*=UTF-8''${exact}`}`;
}

function matches(header: string | null, tag: string): boolean {
  return (
    header !== null &&
    (header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag))
  );
}

/** The requested byte range; undefined for the whole file. */
function rangeOf(requestHeaders: Headers, tag: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(requestHeaders.get("range")?.trim() ?? "");
  const condition = requestHeaders.get("if-range");
  if (!found || (condition !== null && condition.trim() !== tag)) return undefined;
  const [, from = "", to = ""] = found;
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) return undefined;
  return start >= end ? "unsatisfiable" : { start, end };
}
