/**
 * Environment variables that resemble those of Lectern and its plugins, and are none: most likely misspelt, or of a plugin that is left
 * out. A start logs them, `doctor` reports them, and one that resembles a variable which decides where data lies stops every command: it
 * would work on another, empty store.
 */
import { closestMatch } from "../closest_match.ts";
import { configSchema } from "../config.ts";
import { BootError } from "../errors.ts";
import { variablesOf } from "./operator_choices.ts";
import type { AnyPlugin } from "./plugin.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that commands and the start read outside of settings. */
const ELSEWHERE = ["MIGRATE_TOKEN", "LOG_FORMAT"];
/** Variables that share a first word are a family; a single one, such as HOST, is none. */
const FAMILY = 3;
/** Where data lies. */
const PLACES = ["DATABASE_URL", "DATA_DIR", "FILES_STORE", "FILES_S3_BUCKET"];
/** Characters by which a misspelt one of them differs: two letters that are swapped are two. */
const SLIPS = 2;

/** The variables, each with the setting that it resembles most, if any. */
export function misspeltVariables(env: Env, plugins: readonly AnyPlugin[]): { name: string; near?: string }[] {
  const known = new Set([...coreVariables(), ...plugins.flatMap(variablesOf), ...ELSEWHERE]);
  const families = familiesOf(known);
  return Object.keys(env)
    .filter((name) => !known.has(name) && families.has(familyOf(name)))
    .sort()
    .map((name) => {
      const near = closestMatch(name, [...known]);
      return near === undefined ? { name } : { name, near };
    });
}

/** A sentence about such a variable. */
export function misspeltText({ name, near }: { readonly name: string; readonly near?: string }): string {
  return `${name} is no setting${near === undefined ? "" : `; did you mean ${near}?`}`;
}

/** Refuses a variable that resembles one of `PLACES` which is not set, not even to nothing. Throws BootError. */
export function refuseMisspeltPlaces(env: Env): void {
  const known = new Set(coreVariables());
  const unset = PLACES.filter((name) => env[name] === undefined);
  for (const [name, value] of Object.entries(env)) {
    const near = known.has(name) || value === undefined ? undefined : closestMatch(name, unset, SLIPS);
    if (near === undefined) continue;
    throw new BootError(
      `Cannot start: ${misspeltText({ name, near })} Correct it; if it is meant for another program, set ${near} too, to nothing for its default`,
    );
  }
}

function coreVariables(): string[] {
  return Object.values(configSchema.properties).map((field) => String(field.env));
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
