/**
 * Checks before any plugin runs: the operator's choices name what exists, and no variable has two owners. A misspelt name would
 * otherwise be ignored, so that a setting or a denied grant silently would not apply. Values are checked by `settings.ts`.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import { KINDS, type Kind } from "./grant_kinds.ts";
import type { PinnedGrants } from "./pins.ts";
import type { AnyPlugin } from "./plugin.ts";

/** The settings, denied grants and accepted grants of the "lectern" block of package.json, by plugin. */
export interface PluginChoices {
  readonly settings?: Readonly<Record<string, Record<string, unknown>>> | undefined;
  readonly denied?: Readonly<Record<string, readonly Kind[]>> | undefined;
  /** Accepted grants (`pins.ts`). */
  readonly grants?: PinnedGrants | undefined;
}

/** Checks that what the choices name exists. Throws BootError that names the first that does not. */
export function checkChoices(plugins: readonly AnyPlugin[], { settings = {}, denied = {} }: PluginChoices): void {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  for (const [name, kinds] of entriesOf("denied", denied)) {
    if (!byName.has(name)) throw unknownInBlock("denied", `the plugin "${name}"`, name, [...byName.keys()]);
    if (!Array.isArray(kinds)) throw invalidBlock(`"denied" of "${name}" is no list of kinds of grants`);
    const odd: unknown = kinds.find((kind) => !(KINDS as readonly unknown[]).includes(kind));
    if (odd !== undefined)
      throw unknownInBlock("denied", `the kind of grant "${String(odd)}" for "${name}"`, String(odd), KINDS);
  }
  for (const [name, fields] of entriesOf("settings", settings)) {
    const plugin = byName.get(name);
    if (!plugin) throw unknownInBlock("settings", `the plugin "${name}"`, name, [...byName.keys()]);
    const known = Object.entries(plugin.settings?.properties ?? {}).flatMap(([field, { constant }]) =>
      constant === true ? [] : [field],
    );
    for (const [field, value] of entriesOf("settings", fields, ` of "${name}"`)) {
      if (!known.includes(field)) throw unknownInBlock("settings", `the setting "${field}" of "${name}"`, field, known);
      checkFields(plugin.settings?.properties[field], value, `"${field}" of "${name}"`);
    }
  }
}

/** Checks the keys of a setting that is an object, at every level. Throws BootError that names the first unknown one. */
function checkFields(schema: TSchema | undefined, value: unknown, path: string): void {
  const fields: Readonly<Record<string, TSchema>> | undefined = schema?.properties;
  if (!fields || typeof value !== "object" || value === null || schema?.additionalProperties) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Object.hasOwn(fields, key))
      throw unknownInBlock("settings", `the key "${key}" in ${path}`, key, Object.keys(fields));
    checkFields(fields[key], inner, `"${key}" in ${path}`);
  }
}

/**
 * The "lectern" block of package.json, if it has no other keys than `keys`, each a list or an object as named there.
 * Throws BootError for anything else, with the known key that a misspelt one is closest to.
 */
export function checkedBlock<Block>(
  block: unknown,
  keys: Readonly<Record<keyof Block & string, "list" | "object" | "list or object">>,
): Partial<Block> {
  if (typeof block !== "object" || block === null || Array.isArray(block)) throw invalidBlock("it is no object");
  for (const [key, value] of Object.entries(block)) {
    if (!Object.hasOwn(keys, key)) {
      const near = closestMatch(key, Object.keys(keys));
      throw invalidBlock(`"${key}" is no key of it${near === undefined ? "" : `; did you mean "${near}"?`}`);
    }
    const kind = keys[key as keyof Block & string];
    const isRight = kind === "list or object" || Array.isArray(value) === (kind === "list");
    if (typeof value !== "object" || value === null || !isRight) throw invalidBlock(`"${key}" is no ${kind}`);
  }
  // Its keys and their kinds were checked; what the objects hold is checked against the plugins.
  return block as Partial<Block>;
}

/** Checks that only settings with `shared: true` read a variable that another plugin or the runtime reads. Throws BootError. */
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

/** The environment variables of a plugin: those it was granted and those that its settings name. */
export function variablesOf({ grants, settings }: Pick<AnyPlugin, "grants" | "settings">): string[] {
  const named = Object.values(settings?.properties ?? {}).flatMap(({ env }) => (typeof env === "string" ? [env] : []));
  return [...new Set([...(grants.env ?? []), ...named])];
}

function entriesOf<Value>(block: string, value: Readonly<Record<string, Value>>, of = ""): [string, Value][] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidBlock(`"${block}"${of} is no object`);
  return Object.entries(value);
}

/** The error for a name in a part of the "lectern" block that nothing has; hints at the closest of `known`. */
export function unknownInBlock(block: string, what: string, name: string, known: readonly string[]): BootError {
  const near = closestMatch(name, known);
  return invalidBlock(
    `"${block}" names ${what}, which does not exist${near === undefined ? "" : `; did you mean "${near}"?`}`,
  );
}

/** The error for a part of the "lectern" block that has another shape. */
export function invalidBlock(text: string): BootError {
  return new BootError(`Cannot use the "lectern" block of package.json: ${text}`);
}
