/**
 * What a browser module consists of: its own sources and the packages that these import, found by reading the imports, which
 * takes milliseconds where making the bundle takes a tenth of a second. The key of both is part of the URL under which
 * browsers keep the bundle, so it changes with every source and with every version.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** The sources of a bundle, and a text that differs where one of them differs. */
export interface BundleSources {
  readonly key: string;
  readonly packages: readonly BundledPackage[];
}

interface Manifest {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const MODULE = /\.(?:ts|js|mjs)$/;

/**
 * Reads a module and all that it imports. `allowed` returns the path of a source, or throws where it may not be served. Throws
 * where a source is missing or no script, or a package is not installed.
 */
export function bundleSources(entry: string, allowed: (path: string) => string = (path) => path): BundleSources {
  const scripts = new Bun.Transpiler({ loader: "ts" });
  const hash = new Bun.CryptoHasher("sha256");
  const seen = new Set<string>();
  const packages = new Map<string, BundledPackage>();
  const readPackage = (name: string, from: string) => {
    const folder = folderOf(name, from);
    if (packages.has(folder)) return;
    const { version = "", dependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Manifest;
    packages.set(folder, { name, version, folder });
    for (const each of Object.keys(dependencies)) readPackage(each, folder);
  };
  const readModule = (given: string) => {
    const path = allowed(given);
    if (seen.has(path)) return;
    seen.add(path);
    if (!MODULE.test(path)) throw new Error(`Cannot bundle "${path}": expected a .ts, .js or .mjs file`);
    const text = readFileSync(path, "utf8");
    hash.update(`${text.length} ${text}`);
    for (const { path: imported } of scripts.scanImports(text)) {
      if (imported.startsWith(".")) readModule(join(dirname(path), imported));
      else readPackage(packageOf(imported), dirname(path));
    }
  };
  readModule(entry);
  const bundled = [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  hash.update(JSON.stringify([Bun.version, bundled.map(({ name, version }) => [name, version])]));
  return { key: hash.digest("hex").slice(0, KEY_CHARS), packages: bundled };
}

const KEY_CHARS = 16;

/** The package of an import: "@tiptap/pm" of "@tiptap/pm/state". */
function packageOf(imported: string): string {
  return imported
    .split("/")
    .slice(0, imported.startsWith("@") ? 2 : 1)
    .join("/");
}

/** The folder in which a package is installed, as seen from another folder. */
function folderOf(name: string, from: string): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, "node_modules", name);
    if (existsSync(join(folder, "package.json"))) return folder;
    if (at === dirname(at))
      throw new Error(`Cannot bundle the package "${name}": it is not installed, seen from "${from}"`);
  }
}

/** The comment with the licences of packages, which ask to be kept with every copy. Equal texts are written once. */
export function licenceComment(packages: readonly BundledPackage[]): string {
  const texts = new Map<string, string[]>();
  for (const { name, version, folder } of packages) {
    const files = readdirSync(folder).filter((file) => /licen[cs]e/i.test(file));
    const text = files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
    texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text.replaceAll("*/", "* /")}\n`);
  return `/*!\n${parts.join("\n")}*/\n`;
}
