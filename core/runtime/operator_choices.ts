/**
 * What may be said about plugins before any of them runs: the operator's choices name what is there, and the variables
 * that settings read belong to whoever declared them first. A slip here would otherwise be a choice that does nothing, or
 * a secret in the wrong hands.
 */
import type { TObject } from "@sinclair/typebox";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { closestMatch } from "./closest_match.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";

/** What an operator takes away from plugins and sets for them, by their names. */
export interface PluginChoices {
  readonly settings?: Readonly<Record<string, Record<string, unknown>>> | undefined;
  readonly denied?: Readonly<Record<string, readonly (keyof Grants)[]>> | undefined;
}

const KINDS = ["read", "write", "net", "env", "files"] as const satisfies readonly (keyof Grants)[];

/** Whatever the operator's choices name has to be there. Throws BootError that names the first slip. */
export function checkChoices(plugins: readonly AnyPlugin[], { settings = {}, denied = {} }: PluginChoices): void {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  for (const [name, kinds] of entriesOf("denied", denied)) {
    if (!byName.has(name)) throw unknown("denied", `the plugin "${name}"`, name, [...byName.keys()]);
    if (!Array.isArray(kinds)) throw slip(`"denied" of "${name}" is no list of kinds of grants`);
    const odd: unknown = kinds.find((kind) => !(KINDS as readonly unknown[]).includes(kind));
    if (odd !== undefined)
      throw unknown("denied", `the kind of grant "${String(odd)}" for "${name}"`, String(odd), KINDS);
  }
  for (const [name, fields] of entriesOf("settings", settings)) {
    const plugin = byName.get(name);
    if (!plugin) throw unknown("settings", `the plugin "${name}"`, name, [...byName.keys()]);
    const known = Object.keys(plugin.settings?.properties ?? {});
    for (const [field] of entriesOf("settings", fields, ` of "${name}"`))
      if (!known.includes(field)) throw unknown("settings", `the setting "${field}" of "${name}"`, field, known);
  }
}

/**
 * A setting reads the variable it names: that counts as a grant, shown with the others. What the runtime or another plugin
 * reads may only be read too where all of them say `shared: true`. Throws BootError that names both.
 */
export function checkVariables(plugins: readonly AnyPlugin[]): void {
  const owners = new Map<string, { owner: string; shared: boolean }>();
  const claim = (owner: string, settings: TObject | undefined) => {
    for (const [field, { env, shared }] of Object.entries(settings?.properties ?? {})) {
      if (typeof env !== "string") continue;
      const first = owners.get(env);
      if (first && first.owner !== owner && !(first.shared && shared === true))
        throw new BootError(
          `The plugin "${owner}" reads its setting "${field}" from ${env}, which is ${first.owner === "" ? "a setting of Lectern" : `a setting of "${first.owner}"`}`,
        );
      if (!first) owners.set(env, { owner, shared: shared === true });
    }
  };
  claim("", configSchema);
  for (const { name, settings } of plugins) claim(name, settings);
}

/** A command has one meaning: that of a plugin is neither the runtime's nor another plugin's. Throws BootError. */
export function checkCommands(plugins: readonly AnyPlugin[], own: readonly string[]): void {
  const owners = new Map(own.map((name) => [name, "Lectern"]));
  for (const plugin of plugins) {
    for (const name of Object.keys(plugin.commands)) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new BootError(`The plugin "${plugin.name}" brings the command "${name}", which ${owner} has already`);
      owners.set(name, `"${plugin.name}"`);
    }
  }
}

/** The environment variables that reach a plugin: those it was granted, and those its settings name. */
export function variablesOf({ permissions, settings }: Pick<AnyPlugin, "permissions" | "settings">): string[] {
  const named = Object.values(settings?.properties ?? {}).flatMap(({ env }) => (typeof env === "string" ? [env] : []));
  return [...new Set([...(permissions.env ?? []), ...named])];
}

function entriesOf<Value>(block: string, value: Readonly<Record<string, Value>>, of = ""): [string, Value][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw slip(`"${block}"${of} is no object`);
  return Object.entries(value);
}

function unknown(block: string, what: string, name: string, known: readonly string[]): BootError {
  const near = closestMatch(name, known);
  return slip(`"${block}" names ${what}, which is not there${near === undefined ? "" : `; did you mean "${near}"?`}`);
}

function slip(text: string): BootError {
  return new BootError(`Cannot follow the "lectern" block of package.json: ${text}`);
}
