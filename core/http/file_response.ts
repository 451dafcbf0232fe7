/**
 * Answers with a stored file: whole, a stretch of it, or nothing new. Ranges are those browsers and download tools ask
 * for, a single one; anything else gets the whole file, as RFC 9110 allows. Names come from users, so the disposition is
 * built from scratch, and no answer lets a browser guess what the bytes might be.
 */
import { readFileSync } from "node:fs";
import type { ByteRange, StoredFile } from "../files/file_store.ts";

/** How a file is served. */
export interface FileAnswer {
  readonly file: Pick<StoredFile, "size" | "body">;
  /** Changes with the content, without quotes. */
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
export function fileResponse(asked: Headers, { file, etag, type, headers = {} }: FileAnswer): Response {
  const tag = `"${etag}"`;
  const sized = (bytes: number) => ({ ...common, "content-type": type, "content-length": String(bytes) });
  const common = { etag: tag, "accept-ranges": "bytes", "x-content-type-options": "nosniff", ...headers };
  if (matches(asked.get("if-none-match"), tag)) return new Response(null, { status: 304, headers: common });
  const range = rangeOf(asked, tag, file.size);
  if (range === "unsatisfiable")
    return new Response(null, { status: 416, headers: { ...common, "content-range": `bytes */${file.size}` } });
  if (!range) return new Response(file.body(), { headers: sized(file.size) });
  const shown = `bytes ${range.start}-${range.end - 1}/${file.size}`;
  return new Response(file.body(range), {
    status: 206,
    headers: { ...sized(range.end - range.start), "content-range": shown },
  });
}

/** How long browsers keep a file that ships with a plugin before they ask whether it changed. */
const SHIPPED_FILE_CACHE = "public, max-age=86400";

/**
 * Reads a file that ships with a plugin, once; answers what responds with it, given the request's headers.
 * @example
 * const script = shippedFile(`${import.meta.dir}/notes.js`, "text/javascript; charset=utf-8");
 * context.site.get("/notes/notes.js", ({ request }) => script(request.headers), { permit: "public" });
 */
export function shippedFile(path: string, type: string): (asked: Headers) => Response {
  const bytes = readFileSync(path);
  const answer: FileAnswer = {
    file: { size: bytes.length, body: (range) => new Blob([range ? bytes.subarray(range.start, range.end) : bytes]) },
    etag: Bun.hash(bytes).toString(36),
    type,
    headers: { "cache-control": SHIPPED_FILE_CACHE },
  };
  return (asked) => fileResponse(asked, answer);
}

/**
 * A Content-Disposition that no name can break out of: a plain form for old clients, and the name itself as RFC 6266 has
 * it. Paths lose their folders; control and direction marks, which make a name look like another, are dropped.
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

/** The stretch that is asked for; undefined for the whole file. */
function rangeOf(asked: Headers, tag: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(asked.get("range")?.trim() ?? "");
  const condition = asked.get("if-range");
  if (!found || (condition !== null && condition.trim() !== tag)) return undefined;
  const [, from = "", to = ""] = found;
  if (from === "" && to === "") return undefined;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  if (from !== "" && to !== "" && Number(to) < Number(from)) return undefined;
  return start >= end ? "unsatisfiable" : { start, end };
}
