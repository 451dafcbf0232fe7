import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { INSTALL_ROOT } from "../install_root.ts";
import { registerModules } from "../register_modules.ts";
import { isVersion } from "../runtime/versions.ts";

/** The folder of the bundle of the npm package (`.ci/pack.ts`), where this runs in it. */
const BUNDLE = import.meta.path.endsWith(".js") ? dirname(import.meta.path) : undefined;

/**
 * Lets plugins in any folder import the package exports of Lectern (`lectern/core`). Bun calls no resolution hooks for packages
 * that it cannot find, so each name is registered as a module, which precedes that of an installed package: plugins get the modules
 * that run. Within Lectern the paths of tsconfig.json resolve them.
 */
export function registerExports(): void {
  registerModules([...packageExports()].map(([name, file]) => [name, runningFile(file)]));
}

/** The file that runs in place of one of Lectern's sources: in the bundle, each export of the package has one of its own. */
export function runningFile(file: string): string {
  const [name] = [...packageExports()].find(([, exported]) => exported === file) ?? [];
  const bundled = BUNDLE && name && join(BUNDLE, `${basename(name)}.js`);
  return bundled && existsSync(bundled) ? bundled : file;
}

/** The exports of package.json: the files of Lectern by import name. */
function packageExports(): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(INSTALL_ROOT, "package.json"), "utf8")) as {
    name: string;
    /** In the package also with declarations, and what other programs than Bun load. */
    exports: Record<string, string | { readonly bun?: string; readonly default: string }>;
  };
  const named = Object.entries(manifest.exports);
  return new Map(
    named.map(([name, file]) => {
      const own = typeof file === "string" ? file : (file.bun ?? file.default);
      return [`${manifest.name}${name.slice(1)}`, join(INSTALL_ROOT, own)];
    }),
  );
}

/**
 * Resolves a plugin list to a file: a path relative to `folder`, a package export of Lectern (`lectern/plugins`), or a package
 * of `folder`, else of Lectern. For a folder, and a package without an entry, that is its plugin.ts. Undefined if none exists.
 */
export function fileOfList(list: string, folder = process.cwd()): string | undefined {
  const path = resolve(folder, list);
  const file = [path, join(path, "plugin.ts")].find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  if (/^[./]/.test(list) || (file === path && /\.(ts|js|mjs)$/.test(list))) return file;
  const exported = packageExports().get(list);
  if (exported !== undefined) return exported;
  for (const from of [folder, INSTALL_ROOT]) {
    // Only for installed packages, since Bun might download others.
    if (!isInstalled(list, from)) continue;
    for (const name of [list, `${list}/plugin.ts`]) {
      try {
        return Bun.resolveSync(name, from);
      } catch {
        // The package has no such file; try the next name or folder.
      }
    }
  }
  return undefined;
}

/**
 * The version in the package.json of the package that a file belongs to. Undefined if it has none, and for a file that belongs to
 * Lectern or lies directly in the operator's folder, whose versions are not those of a plugin.
 */
export function packageVersion(file: string, folder = process.cwd()): string | undefined {
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    if (at === INSTALL_ROOT || at === resolve(folder)) return undefined;
    const manifest = join(at, "package.json");
    if (!existsSync(manifest)) continue;
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version?: unknown };
    return typeof version === "string" && isVersion(version) ? version : undefined;
  }
  return undefined;
}

/** Whether a package is in a node_modules of the folder or of one above it. */
function isInstalled(list: string, folder: string): boolean {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(list)?.[0] ?? list;
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules", name))) return true;
    if (at === dirname(at)) return false;
  }
}

/** Whether an argument names a list of plugins: a file of code, or a package export of Lectern (`lectern/plugins`). */
export function isList(arg: string): boolean {
  return !arg.startsWith("-") && (/\.(ts|js|mjs)$/.test(arg) || packageExports().has(arg));
}
