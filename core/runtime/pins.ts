/**
 * Pinned grants: what the operator accepted of a plugin, in `lectern.grants` of package.json. A plugin that declares or registers more
 * than what was accepted, such as after an upgrade, stops the boot with the difference, and so does a plugin without a pin that comes
 * with a pinned one or in place of one. A plugin that wants less boots. What it registers is compared after a trial, before any
 * migration, and again where it registers (`power_checks.ts`). Beside these a pin has what a plugin declares otherwise (`pin_facts.ts`);
 * pins of version 1 lack that, and it is not compared. Earlier pins have what plugins once declared that they would register, under the
 * same names, so that nothing of them is converted.
 */

import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import { printable } from "../std/printable.ts";
import { performedOf } from "./boot_checks.ts";
import { moreColumns } from "./column_grants.ts";
import { GRANT_KINDS, type Kind, kindsProblem } from "./grant_kinds.ts";
import type { ShippedPlugins } from "./left_out.ts";
import { invalidBlock, type PluginChoices, unknownInBlock, variablesOf } from "./operator_choices.ts";
import { beyondFacts, factsOf, factsProblem, hasFacts, type PinFacts, renewed, withoutFacts } from "./pin_facts.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import { programName } from "./program_name.ts";
import { beyondRecorded, type Recorded } from "./recorded.ts";

/** The `grants` of the "lectern" block of package.json. */
export interface PinnedGrants {
  readonly version: number;
  /** What was accepted, by plugin name. */
  readonly plugins: Readonly<Record<string, Pin>>;
}

/** What was accepted of a plugin: its grants, what it registers, and facts. */
export type Pin = Grants & Recorded & PinFacts;

/** The version of `PinnedGrants` that is written. */
export const PINS_VERSION = 2;
/** The versions that are read. */
const READ_VERSIONS: readonly unknown[] = [1, PINS_VERSION];

/** What a plugin declares and registers, as it is pinned. Slots that it reads after its `setup` are not known, so it may read any. */
export function pinFor(plugin: AnyPlugin, recorded: Recorded): Pin {
  return {
    ...declaredGrants(plugin),
    ...recorded,
    writes: recorded.writes ?? [],
    slotsRead: "any",
    ...factsOf(plugin, recorded.performs),
  };
}

/** The pins with those of some plugins, as they are accepted now; the others stay. Sorted by name. */
export function pinnedAs(
  present: PinnedGrants | undefined,
  accepted: readonly (readonly [AnyPlugin, Recorded])[],
): PinnedGrants {
  const pins = new Map(Object.entries(present?.plugins ?? {}));
  for (const [plugin, recorded] of accepted) pins.set(plugin.name, pinFor(plugin, recorded));
  const sorted = [...pins].sort(([a], [b]) => (a < b ? -1 : 1));
  return { version: PINS_VERSION, plugins: Object.fromEntries(sorted) };
}

/** What a plugin declares, with the variables of its settings, as it is pinned: without empty kinds, lists sorted. */
export function declaredGrants(plugin: AnyPlugin): Grants {
  const declared: Grants = { ...plugin.grants, env: variablesOf(plugin) };
  const kinds = GRANT_KINDS.flatMap((kind) => {
    const value = declared[kind];
    if (value === undefined || value === false) return [];
    if (Array.isArray(value))
      return value.length === 0 ? [] : [[kind, [...new Set(value as string[])].sort()] as const];
    return typeof value === "object" && Object.keys(value).length === 0 ? [] : [[kind, value] as const];
  });
  return Object.fromEntries(kinds) as Grants;
}

/**
 * What a plugin declares and registers beyond what was accepted, one line for each kind: `+ read: users`; kinds of `denied` are left
 * out.
 */
export function beyondPin(plugin: AnyPlugin, pinned: Pin, recorded: Recorded, denied: readonly Kind[] = []): string[] {
  const declared = declaredGrants(plugin);
  const grants = GRANT_KINDS.flatMap((kind) => {
    if (declared[kind] === undefined || denied.includes(kind)) return [];
    if (pinned[kind] === true) return [];
    if (declared[kind] === true) return [`+ ${kind}`];
    const more = kind === "columns" ? moreColumns(declared, pinned) : moreNames(kind, declared, pinned);
    return more.length === 0 ? [] : [`+ ${kind}: ${more.join(", ")}`];
  });
  const facts = hasFacts(pinned) ? beyondFacts(factsOf(plugin, recorded.performs), renewed(pinned, plugin)) : [];
  return [...grants, ...beyondRecorded(recorded, pinned, denied), ...facts];
}

/** The error for plugins, by name with the lines of what they want beyond what was accepted; `further` are reasons of other kinds. */
export function beyondError(
  beyond: readonly (readonly [string, readonly string[]])[],
  further: readonly (readonly [string, string])[] = [],
): BootError {
  const lines = beyond.flatMap(([name, more]) => [
    `The plugin "${name}" wants more than "grants" of package.json accepts:`,
    ...more.map((line) => `  ${printable(line)}`),
  ]);
  const names = [...beyond, ...further].map(([name]) => name).join(" ");
  return new BootError(
    [...lines, ...further.map(([, reason]) => reason), `To accept it: ${programName()} grants accept ${names}`].join(
      "\n",
    ),
  );
}

/** Checks the shape of the pins. Throws BootError that names the first wrong key. */
export function checkPinShape(pins: PinnedGrants): void {
  if (typeof pins !== "object" || pins === null || Array.isArray(pins)) throw invalidBlock('"grants" is no object');
  for (const key of Object.keys(pins))
    if (key !== "version" && key !== "plugins")
      throw unknownInBlock("grants", `the key "${key}"`, key, ["version", "plugins"]);
  if (!READ_VERSIONS.includes(pins.version))
    throw invalidBlock(
      `"grants" has the version ${JSON.stringify(pins.version)}; this Lectern reads ${READ_VERSIONS.join(" and ")}`,
    );
  if (typeof pins.plugins !== "object" || pins.plugins === null || Array.isArray(pins.plugins))
    throw invalidBlock('"plugins" of "grants" is no object');
  for (const [name, pin] of Object.entries(pins.plugins)) {
    const problem = kindsProblem(withoutFacts(pin)) ?? factsProblem(pin);
    if (problem !== undefined) throw invalidBlock(`"grants" of "${name}" ${problem}`);
  }
}

/** What `checkPins` compares with the pins. */
export interface Wanted extends PluginChoices {
  /** The plugins that ship with Lectern; all by default. */
  readonly shipped?: ShippedPlugins | undefined;
  /** What plugins registered at a trial, by name (`RuntimeOptions.trials`). */
  readonly trials?: ReadonlyMap<string, Recorded> | undefined;
}

/**
 * Checks every pinned plugin against its pin, and that no plugin evades its pin under another name. Throws BootError with the
 * difference.
 */
export function checkPins(
  plugins: readonly AnyPlugin[],
  { grants, denied = {}, shipped = plugins, trials }: Wanted,
): void {
  if (!grants) return;
  checkPinShape(grants);
  const known = plugins.map(({ name }) => name);
  const beyond = plugins.flatMap((plugin) => {
    const pinned = pinOf(grants, plugin.name);
    if (!pinned) return [];
    const recorded = trials?.get(plugin.name) ?? { performs: performedOf(plugin, plugins, shipped) };
    const more = beyondPin(plugin, pinned, recorded, denied[plugin.name]);
    return more.length === 0 ? [] : [[plugin.name, more] as const];
  });
  const others = plugins.filter((plugin) => !shipped.includes(plugin));
  const evading = others.flatMap((plugin) => {
    const reason = isOperators(plugin, others) ? undefined : evasionOf(plugin, grants, plugins);
    return reason === undefined ? [] : [[plugin.name, reason] as const];
  });
  const misspelt = Object.keys(grants.plugins).find(
    (name) => !known.includes(name) && nearUnpinned(name, grants, known),
  );
  if (misspelt !== undefined) throw unknownInBlock("grants", `the plugin "${misspelt}"`, misspelt, known);
  if (beyond.length + evading.length > 0) throw beyondError(beyond, evading);
}

/** The accepted grants of a plugin; undefined if it is not pinned. */
export function pinOf(pins: PinnedGrants | undefined, name: string): Pin | undefined {
  return pins && Object.hasOwn(pins.plugins, name) ? pins.plugins[name] : undefined;
}

/** Names of pinned plugins that are not loaded. */
export function gonePins(pins: PinnedGrants | undefined, plugins: readonly AnyPlugin[]): string[] {
  const known = new Set(plugins.map(({ name }) => name));
  return Object.keys(pins?.plugins ?? {}).filter((name) => !known.has(name));
}

/**
 * Whether a plugin is code of the operator's own files, which a shipped plugin such as that of themes adds; it needs no acceptance.
 * `others` are the plugins that do not ship.
 */
export function isOperators({ addedBy }: AnyPlugin, others: readonly AnyPlugin[]): boolean {
  return addedBy !== undefined && !others.some(({ name }) => name === addedBy);
}

/**
 * Why a plugin without a pin may not boot: it came with a pinned one, or takes the place of one, as after an upgrade that renames a
 * plugin or splits it. Undefined for a plugin with a pin, and for one that the operator has added.
 */
function evasionOf(plugin: AnyPlugin, pins: PinnedGrants, plugins: readonly AnyPlugin[]): string | undefined {
  const { name, listFile, addedBy } = plugin;
  if (pinOf(pins, name)) return undefined;
  const unaccepted = `The grants of the plugin "${name}" are not accepted in package.json`;
  const pinned = plugins.filter((one) => pinOf(pins, one.name));
  const origin = pinned.find((one) => one.name === addedBy || (listFile !== undefined && one.listFile === listFile));
  if (origin) return `${unaccepted}, and it comes with "${origin.name}", whose grants are`;
  const [gone] = gonePins(pins, plugins);
  return gone === undefined
    ? undefined
    : `${unaccepted}, and those of "${gone}" are, which is not loaded: a renamed plugin has to be accepted again`;
}

/** Whether the name of an absent plugin is close to that of a loaded one without a pin: a misspelt name, which would pin nothing. */
function nearUnpinned(name: string, pins: PinnedGrants, known: readonly string[]): boolean {
  return (
    closestMatch(
      name,
      known.filter((one) => !Object.hasOwn(pins.plugins, one)),
    ) !== undefined
  );
}

function moreNames(kind: keyof Grants, declared: Grants, pinned: Grants): string[] {
  const accepted = pinned[kind];
  if (accepted === "any") return [];
  const wanted = declared[kind] as readonly string[] | "any";
  if (wanted === "any") return ["any"];
  const names = (accepted || []) as readonly string[];
  const written = kind === "read" ? (pinned.write ?? []) : [];
  return wanted.filter((name) => {
    if (names.includes(name) || (written as readonly string[]).includes(name)) return false;
    return kind !== "net" || !names.some((host) => host.startsWith("*.") && name.endsWith(host.slice(1)));
  });
}
