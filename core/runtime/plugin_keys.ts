/** What a plugin declares, by name: a misspelt key would be ignored, and with it a migration, a grant or a contract. */

import { BootError } from "../errors.ts";
import { didYouMean } from "../std/closest_match.ts";
import type { AnyPlugin } from "./plugin.ts";
import { written } from "./written.ts";

type Kind = "text" | "list" | "object" | "function";

/** The keys that a plugin may have, with what they are. */
const KEYS = {
  ...{ name: "text", version: "text", lectern: "text", requires: "list", uses: "list", before: "list", after: "list" },
  ...{ provides: "list", grants: "object", optionalTables: "list", settings: "object", migrations: "object" },
  ...{ syncSchema: "function", texts: "object", events: "list", permissions: "list", commands: "object" },
  ...{
    slots: "object",
    fileStore: "object",
    beforeMigrations: "function",
    checks: "function",
    extend: "function",
    setup: "function",
    addedBy: "text",
    listFile: "text",
    source: "text",
    isolated: "object",
  },
} as const satisfies Readonly<Record<keyof AnyPlugin, Kind>>;

const SAID: Readonly<Record<Kind, string>> = {
  text: "a text",
  list: "a list",
  object: "an object",
  function: "a function",
};

/** Checks the keys of plugins and what their values are. Throws BootError that names the plugin and the first wrong key. */
export function checkPluginKeys(plugins: readonly AnyPlugin[]): void {
  const names = Object.keys(KEYS);
  for (const plugin of plugins) {
    const renamed = renamedKey(plugin);
    if (renamed !== undefined) throw new BootError(`The plugin "${plugin.name}": ${renamed}`);
    for (const [key, value] of Object.entries(plugin)) {
      if (!Object.hasOwn(KEYS, key))
        throw new BootError(
          `The plugin "${plugin.name}" declares "${key}", which no plugin has${didYouMean(key, names)}`,
        );
      const kind: Kind = KEYS[key as keyof AnyPlugin];
      if (value !== undefined && kindOf(value) !== kind)
        throw new BootError(`"${key}" of the plugin "${plugin.name}" has to be ${SAID[kind]}`);
    }
  }
}

/**
 * What to write in place of an earlier key: `permissions` was an object of grants, `adds` a list of permissions.
 * @example
 * const declared = { adds: ["applause-give"] };
 * const renamed = renamedKey(declared); // "adds" is now "permissions": permissions: ["applause-give"]
 * if (renamed !== undefined) throw new BootError(renamed);
 */
export function renamedKey(declared: { readonly permissions?: unknown; readonly adds?: unknown }): string | undefined {
  const { permissions, adds } = declared;
  if (kindOf(permissions) === "object") return `"permissions" is now "grants": grants: ${written(permissions)}`;
  return adds === undefined ? undefined : `"adds" is now "permissions": permissions: ${written(adds)}`;
}

function kindOf(value: unknown): Kind | undefined {
  if (typeof value === "string") return "text";
  if (typeof value === "function") return "function";
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "object" : undefined;
}
