import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The the top of Lectern: the folder that holds its package.json. */
export const INSTALL_ROOT = resolve(import.meta.dir, "../..");

/**
 * Lets plugins wherever they lie import the runtime by the names its package.json exports (`lectern/core`). Within the
 * runtime these names mean the same without it. Hooks on resolution are not asked for packages Bun cannot find, so each
 * name stands for a module made by us.
 */
export function registerDoors(): void {
  Bun.plugin({
    name: "lectern",
    setup(build) {
      for (const [name, file] of doors())
        build.module(name, async () => ({
          exports: (await import(pathToFileURL(file).href)) as Record<string, unknown>,
          loader: "object",
        }));
    },
  });
}

/** What package.json exports: the names others import, and the files these mean. */
function doors(): Map<string, string> {
  const manifest = JSON.parse(readFileSync(join(INSTALL_ROOT, "package.json"), "utf8")) as {
    name: string;
    exports: Record<string, string>;
  };
  const named = Object.entries(manifest.exports);
  return new Map(named.map(([name, file]) => [`${manifest.name}${name.slice(1)}`, join(INSTALL_ROOT, file)]));
}

/**
 * The file a list of plugins means: a path from `folder`, a name the runtime exports (`lectern/plugins`), a package of
 * `folder`, else of the runtime. A folder, and a package that names no entry, means its plugin.ts. Undefined where there is
 * nothing of that name.
 */
export function fileOfList(list: string, folder = process.cwd()): string | undefined {
  const path = resolve(folder, list);
  const file = [path, join(path, "plugin.ts")].find((each) => statSync(each, { throwIfNoEntry: false })?.isFile());
  if (/^[./]/.test(list) || (file === path && /\.(ts|js|mjs)$/.test(list))) return file;
  const door = doors().get(list);
  if (door !== undefined) return door;
  for (const from of [folder, INSTALL_ROOT]) {
    // Asked only for packages that are there: one that is not, Bun might fetch.
    if (!isInstalled(list, from)) continue;
    for (const name of [list, `${list}/plugin.ts`]) {
      try {
        return Bun.resolveSync(name, from);
      } catch {
        // Such a package has no such file; the next name or the runtime's own may.
      }
    }
  }
  return undefined;
}

/** Whether a package lies in a node_modules of the folder or one above it, as resolution looks for it. */
function isInstalled(list: string, folder: string): boolean {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(list)?.[0] ?? list;
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, "node_modules", name))) return true;
    if (at === dirname(at)) return false;
  }
}
