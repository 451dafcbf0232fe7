/** Takes a plugin out of the "lectern" block of package.json, with the rest of the text as it is. */
import type { AnyPlugin } from "../runtime/plugin.ts";
import type { ListEntry } from "./load.ts";
import { changePackage, withValue } from "./package_file.ts";

/** An entry of "plugins" with the plugins that it loads. */
export interface LoadedEntry {
  readonly entry: ListEntry;
  readonly plugins: readonly AnyPlugin[];
}

/** Objects of the block whose keys are names of plugins, by their path. */
const BLOCKS = [["settings"], ["denied"], ["grants", "plugins"]] as const;

/** The entries without a plugin: its own entry goes, and that of a list of several leaves it out by name. */
export function entriesWithout(loaded: readonly LoadedEntry[], name: string): ListEntry[] {
  return loaded.flatMap(({ entry, plugins }) => {
    if (!plugins.some((plugin) => plugin.name === name)) return [entry];
    if (plugins.length === 1) return [];
    const { from, without = [] } = typeof entry === "string" ? { from: entry } : entry;
    return [{ from, without: [...without, name] }];
  });
}

/**
 * Writes the entries, and takes the plugin's settings, denied and accepted grants and the isolation of entries that are gone out.
 * Throws BootError if there is no such file.
 */
export function removeFromPackage(file: string, name: string, entries: readonly ListEntry[]): void {
  changePackage(file, (text, { lectern }) => withoutPlugin(text, isObject(lectern) ? lectern : {}, name, entries));
}

/** The text of package.json without a plugin; `block` is its "lectern" block. */
function withoutPlugin(
  text: string,
  block: Readonly<Record<string, unknown>>,
  name: string,
  entries: readonly ListEntry[],
): string {
  let next = withValue(text, ["lectern", "plugins"], entries);
  for (const path of BLOCKS) {
    const value = path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), block);
    if (!isObject(value) || !Object.hasOwn(value, name)) continue;
    const rest = Object.fromEntries(Object.entries(value).filter(([plugin]) => plugin !== name));
    next = withValue(next, ["lectern", ...path], rest);
  }
  const listed = new Set(entries.map((entry) => (typeof entry === "string" ? entry : entry.from)));
  const { isolated } = block;
  if (Array.isArray(isolated))
    next = withValue(
      next,
      ["lectern", "isolated"],
      isolated.filter((one) => listed.has(one)),
    );
  else if (isObject(isolated)) {
    const rest = Object.fromEntries(Object.entries(isolated).filter(([entry]) => listed.has(entry)));
    next = withValue(next, ["lectern", "isolated"], rest);
  }
  return next;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
