/**
 * Leaving out shipped plugins, so that others take their places: which are left out is the operator's choice in package.json
 * (`{"from": "lectern/plugins", "without": ["mail"]}`), and errors about what is missing name the plugin that would bring it.
 */
import { StoreError } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import type { AnyPlugin } from "./plugin.ts";

/**
 * The plugins that ship with Lectern. Their list is loaded by whoever walks through it: a start whose plugins name nothing that only
 * others have does not, which spares it their thousand modules.
 */
export type ShippedPlugins = Pick<readonly AnyPlugin[], "includes"> & Iterable<AnyPlugin>;

/** The import name of the list of shipped plugins. */
export const SHIPPED_LIST = "lectern/plugins";

/**
 * The plugins of a list without some, by name. Throws BootError, with the closest match, for a name that is not in the list.
 * `list` is the list's name in errors.
 */
export function withoutPlugins(plugins: readonly AnyPlugin[], names: readonly string[], list: string): AnyPlugin[] {
  const known = plugins.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = closestMatch(name, known);
    throw new BootError(
      `Cannot leave out "${name}" of "${list}": it has no plugin of that name${near === undefined ? "" : `; did you mean "${near}"?`}`,
    );
  }
  return plugins.filter(({ name }) => !names.includes(name));
}

/** The shipped plugins that are not among the installed ones. */
export function leftOut(plugins: readonly AnyPlugin[], shipped: ShippedPlugins): AnyPlugin[] {
  return [...shipped].filter((plugin) => !plugins.includes(plugin));
}

/** The end of an error about a contract without a provider: the plugin that provides it and is left out; "" for none. */
export function contractHint(contract: string, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): string {
  return hint(leftOut(plugins, shipped).find(({ provides }) => provides.some((provided) => provided === contract)));
}

/** The end of an error about a table that no plugin creates: the plugin that writes it and is left out; "" for none. */
export function tableHint(table: string, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): string {
  const absent = leftOut(plugins, shipped);
  return hint(absent.find(({ grants }) => grants.write?.some((written) => written === table)));
}

/**
 * The error of a migration that reads a table which a left-out plugin would create, as a BootError that names that plugin; any
 * other error as it is.
 */
export function missingTable(error: unknown, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): unknown {
  if (!(error instanceof StoreError)) return error;
  const table = /relation "([^"]+)" does not exist/.exec(error.message)?.[1];
  const text = table === undefined ? "" : tableHint(table, plugins, shipped);
  return text === "" ? error : new BootError(`${error.message}; no plugin creates "${table}"${text}`, { cause: error });
}

/** The end of an error about a permission that no plugin adds: the plugin that adds it and is left out; "" for none. */
export function permissionHint(name: string, plugins: readonly AnyPlugin[], shipped: ShippedPlugins): string {
  return hint(
    leftOut(plugins, shipped).find(({ permissions }) => permissions.some((permission) => permission === name)),
  );
}

/** The end of an error about two plugins of which one has to go: the entry of package.json that leaves out the shipped one. */
export function leaveOutLine(pair: readonly AnyPlugin[], shipped: ShippedPlugins): string {
  const one = pair.find((plugin) => shipped.includes(plugin));
  if (!one) return "";
  const entry = JSON.stringify({ from: SHIPPED_LIST, without: [one.name] });
  return `: to replace "${one.name}", write ${entry} instead of "${SHIPPED_LIST}" in "plugins" of the "lectern" block of package.json`;
}

function hint(plugin: AnyPlugin | undefined): string {
  return plugin ? `; the shipped plugin "${plugin.name}" does, which is left out` : "";
}
