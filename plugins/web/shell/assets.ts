/**
 * Files that documents load: the runtime's own, those of other plugins, and those of the theme. Nothing else below their
 * folders is served. The runtime's are read once and kept for ever by browsers, as their addresses change with their content;
 * a theme's are read each time, so that its author sees what changes.
 */
import { existsSync, readFileSync } from "node:fs";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError, type SiteApp } from "lectern/core";

const OWN = join(import.meta.dir, "public");
const FILES: Readonly<Record<string, string>> = {
  "pico.css": fileURLToPath(import.meta.resolve("@picocss/pico/css/pico.min.css")),
  "web.css": join(OWN, "web.css"),
  "htmx.js": fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js")),
  "web.js": join(OWN, "web.js"),
  "favicon.svg": join(OWN, "favicon.svg"),
};
/** What a browser may be given of a theme's folder: nothing that it would run as a document. */
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
const FOR_EVER = "public, max-age=31536000, immutable";
/** Of a theme's files (platform 11.1). */
const FOR_A_DAY = "max-age=86400, private";
/** Pictures within a picture file could run scripts where it is opened by itself. */
const NOTHING_MORE = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** A theme as its files are found. */
export interface ThemeFolder {
  readonly name: string;
  readonly path: string;
}

/** The files that documents may load, each under an address that changes with its content. */
export interface Assets {
  /** The address of one of the runtime's own. */
  own(name: string): string;
  /** Serves one more; answers its address. */
  add(name: string, path: string): string;
}

/** Serves the files. */
export function mountAssets(site: SiteApp, root: string, theme: ThemeFolder | undefined): Assets {
  const contents = new Map(Object.entries(FILES).map(([name, path]) => [name, readFileSync(path)]));
  const addressOf = (name: string) =>
    `${root}/web/assets/${name}?${Bun.hash(contents.get(name) ?? new Uint8Array()).toString(36)}`;
  site.get(
    "/web/assets/:name",
    ({ params }) => {
      const bytes = contents.get(params.name);
      if (!bytes) throw new ApiError(404, "File not found");
      return fileOf(bytes, extname(params.name), FOR_EVER);
    },
    { permit: "public" },
  );
  site.get(
    "/theme/:name/*",
    async ({ params }) => {
      const path = theme && params.name === theme.name ? publicFile(theme.path, params["*"]) : undefined;
      if (path === undefined) throw new ApiError(404, "File not found");
      return fileOf(readFileSync(path), extname(path).toLowerCase(), FOR_A_DAY);
    },
    { permit: "public" },
  );
  return {
    own: addressOf,
    add(name, path) {
      if (contents.has(name)) throw new Error(`Cannot serve "${name}" twice`);
      contents.set(name, readFileSync(path));
      return addressOf(name);
    },
  };
}

/** The address of a theme's own style sheet or script, where it has one. */
export function themeFile(theme: ThemeFolder | undefined, file: string, root: string): string[] {
  const path = theme && publicFile(theme.path, file);
  if (!theme || path === undefined) return [];
  return [`${root}/theme/${theme.name}/${file}?${Bun.hash(readFileSync(path)).toString(36)}`];
}

/** A file of a theme's `public` folder by what was asked for; undefined for everything that is not one. */
function publicFile(themeFolder: string, asked: string): string | undefined {
  const folder = join(themeFolder, "public");
  let decoded: string;
  try {
    decoded = decodeURIComponent(asked);
  } catch {
    return undefined;
  }
  const path = resolve(folder, decoded);
  const isWithin = path.startsWith(folder + sep) && !decoded.includes("\0");
  return isWithin && Object.hasOwn(TYPES, extname(path).toLowerCase()) && existsSync(path) ? path : undefined;
}

function fileOf(bytes: Uint8Array<ArrayBuffer>, extension: string, kept: string): Response {
  return new Response(bytes, {
    headers: {
      "content-type": TYPES[extension] ?? "application/octet-stream",
      "cache-control": kept,
      "content-security-policy": NOTHING_MORE,
      "x-content-type-options": "nosniff",
    },
  });
}
