/**
 * Files that documents load: those of this plugin and of other plugins. They are read once, and cached forever by browsers, as their
 * URLs change with their content.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError, staticFileAnswer } from "lectern/core";
import type { ShellContext } from "./contract.ts";

const OWN = join(import.meta.dir, "public");
const FILES: Readonly<Record<string, string>> = {
  "pico.css": fileURLToPath(import.meta.resolve("@picocss/pico/css/pico.min.css")),
  "web.css": join(OWN, "web.css"),
  "htmx.js": fileURLToPath(import.meta.resolve("htmx.org/dist/htmx.min.js")),
  "web.js": join(OWN, "web.js"),
  "favicon.svg": join(OWN, "favicon.svg"),
};
const IMMUTABLE = "public, max-age=31536000, immutable";

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
export function mountAssets({ root, app }: ShellContext): Assets {
  const contents = new Map(Object.entries(FILES).map(([name, path]) => [name, readFileSync(path)]));
  const urlOf = (name: string) =>
    `${root}/web/assets/${name}?${Bun.hash(contents.get(name) ?? new Uint8Array()).toString(36)}`;
  app.site.get(
    "/web/assets/:name",
    ({ params }) => {
      const bytes = contents.get(params.name);
      if (!bytes) throw new ApiError(404, "File not found");
      return staticFileAnswer(params.name, bytes, IMMUTABLE);
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
