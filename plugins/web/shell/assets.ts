/**
 * Files that documents load: those of this plugin, of other plugins, and of the theme. Files of plugins are read once, and cached
 * forever by browsers, as their URLs change with their content. Files of a theme are read for each request, so that its author sees
 * changes.
 */
import { existsSync, readFileSync } from "node:fs";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError } from "lectern/core";
import type { ShellContext } from "./contract.ts";

const OWN = join(import.meta.dir, "public");
const FILES: Readonly<Record<string, string>> = {
  "pico.css": fileURLToPath(import.meta.resolve("@picocss/pico/css/pico.min.css")),
  "web.css": join(OWN, "web.css"),
  "htmx.js": fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js")),
  "web.js": join(OWN, "web.js"),
  "favicon.svg": join(OWN, "favicon.svg"),
};
/** File types of a theme that are served: none that a browser would run as a document. */
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
const IMMUTABLE = "public, max-age=31536000, immutable";
/** Cache-Control of a theme's files (platform 11.1). */
const ONE_DAY = "max-age=86400, private";
/** The policy of files, as an SVG opened by itself could run scripts. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The folder of a theme. */
export interface ThemeFolder {
  readonly name: string;
  readonly path: string;
}

/** Files that documents can load, each by a URL that changes with its content. */
export interface Assets {
  /** The URL of a file of this plugin. */
  own(name: string): string;
  /** Serves a further file; returns its URL. */
  add(name: string, path: string): string;
  /** Whether a URL is that of a further file. */
  has(url: string): boolean;
}

/** Mounts the files. */
export function mountAssets({ root, site }: ShellContext, theme: ThemeFolder | undefined): Assets {
  const contents = new Map(Object.entries(FILES).map(([name, path]) => [name, readFileSync(path)]));
  const urlOf = (name: string) =>
    `${root}/web/assets/${name}?${Bun.hash(contents.get(name) ?? new Uint8Array()).toString(36)}`;
  site.get(
    "/web/assets/:name",
    ({ params }) => {
      const bytes = contents.get(params.name);
      if (!bytes) throw new ApiError(404, "File not found");
      return fileOf(bytes, extname(params.name), IMMUTABLE);
    },
    { permit: "public" },
  );
  site.get(
    "/theme/:name/*",
    async ({ params }) => {
      const path = theme && params.name === theme.name ? publicFile(theme.path, params["*"]) : undefined;
      if (path === undefined) throw new ApiError(404, "File not found");
      return fileOf(readFileSync(path), extname(path).toLowerCase(), ONE_DAY);
    },
    { permit: "public" },
  );
  const added = new Set<string>();
  return {
    own: urlOf,
    has: (url) => added.has(url),
    add(name, path) {
      if (contents.has(name)) throw new Error(`Cannot serve "${name}" twice`);
      contents.set(name, readFileSync(path));
      const url = urlOf(name);
      added.add(url);
      return url;
    },
  };
}

/** The URL of a theme's style sheet or script, where it has one. */
export function themeFile(theme: ThemeFolder | undefined, file: string, root: string): string[] {
  const path = theme && publicFile(theme.path, file);
  if (!theme || path === undefined) return [];
  return [`${root}/theme/${theme.name}/${file}?${Bun.hash(readFileSync(path)).toString(36)}`];
}

/** The path of a file in a theme's `public` folder; undefined for anything else. */
function publicFile(themeFolder: string, requested: string): string | undefined {
  const folder = join(themeFolder, "public");
  let decoded: string;
  try {
    decoded = decodeURIComponent(requested);
  } catch {
    return undefined;
  }
  const path = resolve(folder, decoded);
  const isWithin = path.startsWith(folder + sep) && !decoded.includes("\0");
  return isWithin && Object.hasOwn(TYPES, extname(path).toLowerCase()) && existsSync(path) ? path : undefined;
}

function fileOf(bytes: Uint8Array<ArrayBuffer>, extension: string, cacheControl: string): Response {
  return new Response(bytes, {
    headers: {
      "content-type": TYPES[extension] ?? "application/octet-stream",
      "cache-control": cacheControl,
      "content-security-policy": FILE_POLICY,
      "x-content-type-options": "nosniff",
    },
  });
}
