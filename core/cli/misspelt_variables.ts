/**
 * Environment variables that resemble those of Lectern and its plugins, and are none: most likely misspelt, or of a plugin that is left
 * out. A start logs them, `doctor` reports them. One that resembles a variable which decides where data lies stops every command: it
 * would work on another store. One that other programs have in its place stops what would make a new store.
 */

import type { TObject } from "@sinclair/typebox";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { variablesOf } from "../runtime/operator_choices.ts";
import type { AnyPlugin } from "../runtime/plugin.ts";
import { closestMatch, distance, isMisspelt } from "../std/closest_match.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** A variable that nothing reads, with the setting that it resembles most, if any. */
export interface MisspeltVariable {
  readonly name: string;
  readonly near?: string;
}

/** Variables that commands and the start read outside of settings. */
const ELSEWHERE = ["MIGRATE_TOKEN", "LOG_FORMAT"];
/** Variables of desktops, shells and builds that begin like settings: nobody means Lectern by them. */
const OF_OTHERS = new Set(["SESSION_MANAGER", "API_KEY", "API_URL"]);
/** Variables that share a first word are a family; a single one, such as HOST, is none. */
const FAMILY = 3;
/** The end of the name of a variable with the address of a service of Kubernetes. */
const SERVICE_HOST = "_SERVICE_HOST";
/** What operators put before the names of settings, as some programs want it. */
const PREFIX = "LECTERN";

/** A setting that decides where data lies: the option `place` of its field. */
interface Place {
  readonly name: string;
  /** What lies there: two settings of one kind say the same. */
  readonly of: string;
  /** The names under which other programs, images and platforms have the same. */
  readonly otherNames: readonly string[];
}

/** Characters from which on a name is near that of a place which differs by `SLIPS` of them, wherever: two swapped letters are two. */
const LONG_NAME = 11;
const SLIPS = 2;

/** The variables that look misspelt, in order. Those of plugins that ship and are left out are none. */
export function misspeltVariables(
  env: Env,
  plugins: readonly AnyPlugin[],
  shipped: Iterable<AnyPlugin> = [],
): MisspeltVariable[] {
  // Most starts have none, and need not ask for the list.
  return misspeltBeside(env, plugins).length === 0 ? [] : misspeltBeside(env, [...plugins, ...shipped]);
}

function misspeltBeside(env: Env, plugins: readonly AnyPlugin[]): MisspeltVariable[] {
  const known = new Set([...variables(plugins), ...ELSEWHERE]);
  const places = placesOf(plugins);
  const families = familiesOf(known);
  return Object.keys(env)
    .filter((name) => !known.has(name) && !OF_OTHERS.has(name) && !isServiceLink(name, env))
    .sort()
    .flatMap((name) => {
      const isOfFamily = families.has(familyOf(name));
      const near = nearOf(name, env, known, places) ?? (isOfFamily ? closestMatch(name, [...known]) : undefined);
      if (near !== undefined) return [{ name, near }];
      return isOfFamily ? [{ name }] : [];
    });
}

/** A sentence about such a variable. */
export function misspeltText({ name, near }: MisspeltVariable): string {
  return `${name} is no setting${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Refuses a variable that resembles that of a place which is not set, not even to nothing. Throws BootError. */
export function refuseMisspeltPlaces(env: Env, plugins: readonly AnyPlugin[]): void {
  const known = new Set(variables(plugins));
  const unset = placesOf(plugins).flatMap(({ name }) => (env[name] === undefined ? [name] : []));
  for (const [name, value] of Object.entries(env)) {
    const near = known.has(name) || value === undefined ? undefined : unset.find((place) => isNearPlace(name, place));
    if (near !== undefined) throw new BootError(`Cannot start: ${correction({ name, near })}`);
  }
}

/** The first variable that has a place under a name of other programs, where the setting is not there, not even as nothing. */
export function otherNameOfPlace(env: Env, plugins: readonly AnyPlugin[]): MisspeltVariable | undefined {
  const places = placesOf(plugins);
  for (const [name, value] of Object.entries(env)) {
    const near =
      value === undefined || value === "" || isServiceLink(name, env) ? undefined : placeIn(name, env, places);
    if (near !== undefined) return { name, near };
  }
  return undefined;
}

/** What is wrong with such a variable, and what to do where it is right. */
export function correction(variable: Required<MisspeltVariable>): string {
  const { near } = variable;
  return `${misspeltText(variable)} Correct it; if it is meant for another program, set ${near} too, to nothing for its default`;
}

/** The setting that a variable most likely means; undefined where it means none. */
function nearOf(name: string, env: Env, known: ReadonlySet<string>, places: readonly Place[]): string | undefined {
  const bare = withoutPrefix(name);
  if (known.has(bare)) return bare;
  return placeIn(name, env, places) ?? [...known].find((one) => isSlip(bare, one));
}

/** The setting of the place that a variable has under another name, if neither it nor another one of its kind is set. */
function placeIn(name: string, env: Env, places: readonly Place[]): string | undefined {
  const bare = withoutPrefix(name);
  const place = places.find(
    (one) => one.otherNames.includes(bare.toUpperCase()) || (bare !== name && isNearPlace(bare, one.name)),
  );
  const sameKind = places.filter(({ of }) => of === place?.of);
  return sameKind.every((one) => env[one.name] === undefined) ? place?.name : undefined;
}

/** A name without a first word that is `PREFIX`, or nearly: PORT for LECTREN_PORT. */
function withoutPrefix(name: string): string {
  const end = name.indexOf("_");
  return end > 0 && isMisspelt(name.slice(0, end), PREFIX) ? name.slice(end + 1) : name;
}

/** Whether a name is that of a setting with other letters' case, other separators, or slips in at most two of its words. */
function isSlip(name: string, setting: string): boolean {
  const [given, meant] = [name, setting].map((text) => text.toUpperCase().split(/[^A-Z0-9]+/)) as [string[], string[]];
  if (given.join("") === meant.join("")) return true;
  const differing = given.filter((word, at) => word !== meant[at]).length;
  return (
    given.length === meant.length && differing <= SLIPS && given.every((word, at) => isMisspelt(word, meant[at] ?? ""))
  );
}

/** The same for the setting of a place, where a letter too many may also part a word. */
function isNearPlace(name: string, place: string): boolean {
  return isSlip(name, place) || (place.length >= LONG_NAME && distance(name.toUpperCase(), place) <= SLIPS);
}

/** Whether Kubernetes made a variable of a service, such as LECTERN_PORT of the service "lectern", for each container beside it. */
function isServiceLink(name: string, env: Env): boolean {
  const services = Object.keys(env).filter((one) => one.endsWith(SERVICE_HOST));
  return services.some((one) => {
    const service = one.slice(0, -SERVICE_HOST.length);
    return name.startsWith(`${service}_PORT`) || name.startsWith(`${service}_SERVICE_`);
  });
}

function variables(plugins: readonly AnyPlugin[]): string[] {
  const ofCore = Object.values(configSchema.properties).flatMap(({ env }) => (typeof env === "string" ? [env] : []));
  return [...ofCore, ...plugins.flatMap(variablesOf)];
}

/** The places of the runtime and of plugins, in the order of the plugins. */
function placesOf(plugins: readonly AnyPlugin[]): Place[] {
  const schemas: readonly (TObject | undefined)[] = [configSchema, ...plugins.map(({ settings }) => settings)];
  const fields = schemas.flatMap((schema) => Object.values(schema?.properties ?? {}));
  return fields.flatMap(({ env, place }) =>
    // Schemas of settings are data of the source, and of plugins, whose option may be anything.
    typeof env === "string" && isPlace(place) ? [{ name: env, ...place }] : [],
  );
}

function isPlace(value: unknown): value is Omit<Place, "name"> {
  return typeof value === "object" && value !== null && "of" in value && "otherNames" in value;
}

function familyOf(name: string): string {
  return name.slice(0, name.indexOf("_") + 1);
}

function familiesOf(known: ReadonlySet<string>): ReadonlySet<string> {
  const sizes = new Map<string, number>();
  for (const name of known) sizes.set(familyOf(name), (sizes.get(familyOf(name)) ?? 0) + 1);
  sizes.delete("");
  return new Set([...sizes].filter(([, size]) => size >= FAMILY).map(([family]) => family));
}
