/** Takes a plugin out of the "lectern" block of package.json, with the rest of the text as it is. */
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { BootError } from "../errors.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import type { ListEntry } from "./load.ts";
import { withValue } from "./package_file.ts";

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
 * Writes the entries, and takes the plugin's settings, denied and accepted grants and the isolation of entries that are gone out. The file is replaced by a rename, so
 * that a crash leaves the old or the new one. Throws BootError if there is no such file.
 */
export function removeFromPackage(file: string, name: string, entries: readonly ListEntry[]): void {
  let text: string;
  let block: Record<string, unknown>;
  try {
    text = readFileSync(file, "utf8");
    block = (JSON.parse(text) as { lectern?: Record<string, unknown> }).lectern ?? {};
  } catch (cause) {
    throw new BootError(`Cannot change "${file}": ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
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
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, next, { flag: "wx" });
    chmodSync(temporary, statSync(file).mode);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
