import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { AnyPlugin } from "./plugin.ts";

const MODULES = `${sep}node_modules${sep}`;

/**
 * The folder that a plugin's files lie in: that of its npm package, else that of the file it was loaded from. Undefined for plugins
 * that ship and for those that were loaded from no file, such as an operator's theme.
 */
export function folderOf({ listFile }: Pick<AnyPlugin, "listFile">): string | undefined {
  if (listFile === undefined) return undefined;
  const at = listFile.lastIndexOf(MODULES);
  if (at < 0) return dirname(listFile);
  const [first = "", second = ""] = listFile.slice(at + MODULES.length).split(sep);
  return join(listFile.slice(0, at), MODULES, first, first.startsWith("@") ? second : "");
}

/**
 * The path of a file below a folder, whose links are followed. Throws RangeError for a file elsewhere, and for a hidden one, such as
 * `.env`.
 * @example
 * const script = fileBelow("/srv/notes", "/srv/notes/public/notes.js");
 */
export function fileBelow(folder: string, path: string): string {
  const [root, file] = [realpathSync(folder), realpathSync(path)];
  const names = file.slice(root.length + 1).split(sep);
  if (file.startsWith(root + sep) && !names.some((name) => name.startsWith("."))) return file;
  throw new RangeError(`Cannot use the file "${path}": wanted one below "${folder}", and no hidden one`);
}
