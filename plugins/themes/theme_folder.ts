/**
 * The folder of the active theme and its modules (platform 11.1, 11.5). A theme has code, texts, views, icons, files and markup
 * for the head of documents, each of which is optional; a module has the same and a manifest. What is in several folders is taken
 * from the theme, then from the module whose folder name is last.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { BootError } from "lectern/core";
import type { Theme, ThemeModule } from "./contract.ts";
import { MANIFESTS, parseManifest } from "./manifest.ts";
import { shownPath } from "./theme_errors.ts";

/** Parts of a theme that need no code. */
const PARTS = ["views", "icons", "lang", "public", "head", "modules"];
/** Names of folders of themes and modules contain no path separators or dots. */
export const FOLDER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/** A folder with parts of a theme. */
export interface ThemeFolder {
  readonly path: string;
  /** The name of the plugin that its code boots as. */
  readonly plugin: string;
}

/** The active theme and its folders in the order in which they are loaded: modules by name, then the theme's own. */
export interface ActiveTheme extends Theme {
  readonly folders: readonly ThemeFolder[];
}

/** Which theme is active. */
export interface ThemeChoice {
  /** The name of its folder; "" or "false" for none. */
  readonly active: string;
  /** The folder with all themes, relative to the folder of the server. */
  readonly folder: string;
}

/** Finds the active theme; undefined for none. Throws BootError for a theme that does not exist and for invalid modules. */
export function readTheme({ active: name, folder }: ThemeChoice): ActiveTheme | undefined {
  if (name === "" || name === "false") return undefined;
  if (!FOLDER_NAME.test(name))
    throw new BootError(`Cannot use the theme "${name}": wanted the name of a folder below "themes"`);
  const home = resolve(process.cwd(), folder, name);
  if (!["functions.ts", ...PARTS].some((part) => existsSync(join(home, part))))
    throw new BootError(`Cannot use the theme "${name}": there is no "${shownPath(join(home, "functions.ts"))}"`);
  const modules = readModules(name, join(home, "modules"));
  return {
    name,
    modules: modules.map(({ module }) => module),
    folders: [...modules, { path: home, plugin: `theme:${name}` }],
  };
}

function readModules(theme: string, home: string): (ThemeFolder & { readonly module: ThemeModule })[] {
  if (!existsSync(home)) return [];
  return readdirSync(home)
    .sort()
    .flatMap((folder) => {
      const path = join(home, folder);
      const manifest = MANIFESTS.map((name) => join(path, name)).find((file) => existsSync(file));
      if (manifest === undefined) return [];
      return [{ path, plugin: `theme:${theme}:${folder}`, module: readManifest(theme, folder, manifest) }];
    });
}

/** Reads the manifest of a module. Throws BootError that names the module and what is wrong. */
function readManifest(theme: string, folder: string, file: string): ThemeModule {
  const fail = (what: string) =>
    new BootError(`Cannot use the module "${folder}" of the theme "${theme}": ${what} in "${shownPath(file)}"`);
  if (!FOLDER_NAME.test(folder))
    throw fail("wanted a folder name of letters, digits, dashes and underscores, with a manifest");
  return { folder, ...parseManifest(readFileSync(file, "utf8"), fail) };
}
