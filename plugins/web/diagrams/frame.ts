/**
 * The frame in which browsers draw diagrams. Its policy makes it a document of an origin of its own, which reaches neither the
 * screen around it nor cookies nor storage, and which loads nothing but the two scripts: the text of a diagram is input of a library of
 * others, so whatever that makes of it has nothing to take and nowhere to send it.
 */
import { html, htmlResponse, type SiteApp } from "lectern/core";
import type { Library } from "./library.ts";

/** The library writes style elements and attributes; `'self'` is the origin of the address, also in a sandbox. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";
const IMMUTABLE = "public, max-age=31536000, immutable";

/** What the frame loads. */
export interface FrameFiles {
  readonly library: Library;
  /** The address of the script that answers the screen. */
  readonly script: string;
  /** The path of APP_URL without a final slash. */
  readonly root: string;
}

/** Mounts the frame and the library. Returns the path of the frame, which changes with the version of the library. */
export function mountFrame(site: SiteApp, { library, script, root }: FrameFiles): string {
  const key = `v=${library.version}`;
  site.get(
    "/web/diagrams/library.js",
    async ({ request }) => {
      const isZipped = acceptsGzip(request.headers.get("accept-encoding") ?? "");
      return new Response(isZipped ? await library.zipped() : library.plain, {
        headers: {
          "content-type": "text/javascript; charset=utf-8",
          "cache-control": IMMUTABLE,
          "content-security-policy": "default-src 'none'; sandbox",
          "x-content-type-options": "nosniff",
          vary: "accept-encoding",
          ...(isZipped && { "content-encoding": "gzip" }),
        },
      });
    },
    { permit: "public" },
  );
  site.get(
    "/web/diagrams/frame",
    () => {
      const answer = htmlResponse(
        html`<html lang="en"><head><meta charset="UTF-8"><title>Diagrams</title></head><body><script src="${root}/web/diagrams/library.js?${key}"></script><script src="${script}"></script></body></html>`,
      );
      answer.headers.set("content-security-policy", POLICY);
      return answer;
    },
    { permit: "public" },
  );
  return `/web/diagrams/frame?${key}`;
}

function acceptsGzip(header: string): boolean {
  const parts = header
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((word) => word.trim()));
  return parts.some(([name, quality = ""]) => name === "gzip" && !/^q=0(?:\.0*)?$/.test(quality));
}
