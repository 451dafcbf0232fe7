/**
 * Files that documents load: those of this plugin and of other plugins. They are read once, and cached forever by browsers, as their
 * URLs change with their content. A module in TypeScript is bundled for browsers with all that it imports: in a child process,
 * beginning when the server starts, and at the first request at the latest, which waits for it. Bundles are kept in memory and not on
 * disk: making the editor's takes 60 ms of CPU, as much as reading and checking a file of the same size would have to be trusted.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiError, fileBelow, staticFileAnswer } from "lectern/core";
import type { BundleTask } from "./bundle.ts";
import { bundleSources } from "./bundle_sources.ts";
import type { ShellContext } from "./contract.ts";

const OWN = join(import.meta.dir, "public");
const FILES: Readonly<Record<string, string>> = {
  "pico.css": fileURLToPath(import.meta.resolve("@picocss/pico/css/pico.min.css")),
  "favicon.svg": join(OWN, "favicon.svg"),
};
/** The parts of `web.css` by subject, which documents load as one file. Later ones overrule earlier ones. */
const STYLES = ["web", "header", "page", "phones", "appearance"].map((name) => join(OWN, `${name}.css`));
const SCRIPTS = ["web.js", "pictures.js", "palette.js"];
const SHORTENER = new Bun.Transpiler({ loader: "js", minifyWhitespace: true, deadCodeElimination: false });
const MODULE = join(import.meta.dir, "bundle.ts");
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Files that documents can load, each by a URL that changes with its content. */
export interface Assets {
  /** The URL of a file of this plugin. */
  own(name: string): string;
  /**
   * Serves a further file; returns its URL. A path that ends with `.ts` is bundled. With `folder`, the file and the sources of a
   * bundle have to lie in it. Scripts that ship are sent without comments and white space; those of others as they are written, with
   * the licences that may be in them.
   */
  add(name: string, path: string, from?: { readonly folder: string | undefined; readonly ships: boolean }): string;
  /** Whether a URL is that of a further file. */
  has(url: string): boolean;
}

/** Mounts the files. */
export function mountAssets({ root, app, children, log, onStart }: ShellContext): Assets {
  const contents = new Map(Object.entries(FILES).map(([name, path]) => [name, readFileSync(path)]));
  contents.set("web.css", Buffer.from(STYLES.map((path) => shortStyles(readFileSync(path, "utf8"))).join("")));
  for (const name of SCRIPTS) contents.set(name, shortScript(join(OWN, name)));
  const bundles = new Map<string, Bundle>();
  const urlOf = (name: string, key: string) => `${root}/web/assets/${name}?${key}`;
  const ownUrl = (name: string) => urlOf(name, Bun.hash(contents.get(name) ?? new Uint8Array()).toString(36));
  app.site.get(
    "/web/assets/:name",
    async ({ params: { name } }) => {
      const bytes = contents.get(name) ?? (await bundles.get(name)?.bytes());
      if (!bytes) throw new ApiError(404, "File not found");
      return staticFileAnswer(name, bytes, IMMUTABLE);
    },
    { permit: "public" },
  );
  onStart(() => {
    for (const [name, bundle] of bundles)
      bundle.bytes().catch((error: unknown) => log.warn("Cannot bundle a script of screens", { name, error }));
  });
  const added = new Set<string>();
  return {
    own: ownUrl,
    has: (url) => added.has(url),
    add(name, path, { folder, ships } = { folder: undefined, ships: true }) {
      if (contents.has(name) || bundles.has(name)) throw new Error(`Cannot serve "${name}" twice`);
      const allowed = (each: string) => (folder === undefined ? each : fileBelow(folder, each));
      if (path.endsWith(".ts")) {
        const { key, packages } = bundleSources(path, allowed);
        bundles.set(name, new Bundle(children, { entry: path, packages }));
        added.add(urlOf(name, key));
        return urlOf(name, key);
      }
      const source = allowed(path);
      contents.set(name, ships && name.endsWith(".js") ? shortScript(source) : readFileSync(source));
      added.add(ownUrl(name));
      return ownUrl(name);
    },
  };
}

/** Styles without comments and indentation, which no value of these files has. */
function shortStyles(css: string): string {
  const [code = "", ...commented] = css.split("/*");
  const rest = commented.map((part) => part.slice(part.indexOf("*/") + 2));
  return [code, ...rest].join("").replaceAll(/\n\s*/g, "\n");
}

/** A script without comments and white space; names stay, as scripts of a document share those of the top level. */
function shortScript(path: string): Buffer<ArrayBuffer> {
  return Buffer.from(SHORTENER.transformSync(readFileSync(path, "utf8")));
}

/** A script that is made once, when it is first asked for. */
class Bundle {
  readonly #children: ShellContext["children"];
  readonly #task: BundleTask;
  #made: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(children: ShellContext["children"], task: BundleTask) {
    this.#children = children;
    this.#task = task;
  }

  /** The script. Rejects where it cannot be made; the next call tries again. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async #make(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      const options = { module: MODULE, task: "bundle", owner: "bundles", exceeded: 503 } as const;
      return new TextEncoder().encode(await this.#children.run<string>(this.#task, options));
    } catch (error) {
      this.#made = undefined;
      throw error;
    }
  }
}
