import { extname } from "node:path";
import { asConstant, wholeResponse } from "../std/one_write.ts";

/** Types of static files: none that a browser would run as a document. */
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};
/** The policy of files, as an SVG opened by itself could run scripts. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/**
 * The media type of a static file by its extension; undefined for types that a browser would run as a document, and unknown ones.
 * @example
 * staticFileType("notes.css"); // text/css; charset=utf-8
 */
export function staticFileType(name: string): string | undefined {
  const extension = extname(name).toLowerCase();
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
}

/**
 * The answer with a static file, such as a style sheet. A file of an unknown type is offered for download.
 * @example
 * const bytes = new TextEncoder().encode("main { color: teal }");
 * context.app.site.get("/notes.css", () => staticFileAnswer("notes.css", bytes, "max-age=86400"), { permit: "public" });
 */
export function staticFileAnswer(name: string, bytes: Uint8Array<ArrayBuffer>, cacheControl: string): Response {
  const headers = {
    "content-type": staticFileType(name) ?? "application/octet-stream",
    "cache-control": cacheControl,
    "content-security-policy": FILE_POLICY,
    "x-content-type-options": "nosniff",
  };
  return asConstant(wholeResponse(bytes, { status: 200, headers }));
}
