/**
 * Kinds of grants: what a plugin declares in `grants`, since nothing else tells. What its `setup` registers (handlers, slots, public
 * routes …) is not declared: it is recorded (`recorded.ts`), and has kinds of its own in package.json.
 */
import { BootError } from "../errors.ts";
import { closestMatch } from "../std/closest_match.ts";
import { hostSettings } from "./granted_hosts.ts";
import type { AnyPlugin, Grants } from "./plugin.ts";
import { isNames, isObject, isPermit, RECORDED_KINDS, type Recorded } from "./recorded.ts";
import { written } from "./written.ts";

/** Kinds of grants, in the order in which they are shown. */
export const GRANT_KINDS = [
  "read",
  "write",
  "columns",
  "contentTables",
  "net",
  "env",
  "files",
  "system",
  "impersonate",
  "auth",
  "schema",
] as const satisfies readonly (keyof Grants)[];

/** What an operator can accept or deny: kinds of grants, and of what is recorded. */
export type Kind = keyof Grants | keyof Recorded;

/** All of these kinds, in the order in which they are shown. */
export const KINDS: readonly Kind[] = [...GRANT_KINDS, ...RECORDED_KINDS];

/** Kinds that are either granted or not. */
export const SWITCHES: ReadonlySet<string> = new Set(["files", "system", "impersonate", "auth", "schema"]);

/** Checks the shape of the grants of plugins. Throws BootError that names the plugin and the first wrong key. */
export function checkGrants(plugins: readonly AnyPlugin[]): void {
  for (const { name, grants, settings } of plugins) {
    const problem = recordedProblem(grants) ?? kindsProblem(grants, GRANT_KINDS) ?? hostProblem(grants, settings);
    if (problem !== undefined) throw new BootError(`"grants" of the plugin "${name}" ${problem}`);
  }
}

/** What is wrong with an object of these kinds, as the end of a sentence; undefined if nothing is. */
export function kindsProblem(given: unknown, kinds: readonly Kind[] = KINDS): string | undefined {
  if (!isObject(given)) return "is no object";
  for (const [kind, value] of Object.entries(given)) {
    if (!(kinds as readonly string[]).includes(kind)) {
      const near = closestMatch(kind, kinds);
      return `names the kind of grant "${kind}", which does not exist${near === undefined ? "" : `; did you mean "${near}"?`}`;
    }
    if (value !== undefined && !isShape(kind, value)) return `has another value for "${kind}" than ${shapeOf(kind)}`;
  }
  return undefined;
}

/** What is wrong with grants that declare what is recorded: the line to leave out. */
function recordedProblem(grants: unknown): string | undefined {
  if (!isObject(grants)) return undefined;
  const [kind, value] =
    Object.entries(grants).find(([name]) => (RECORDED_KINDS as readonly string[]).includes(name)) ?? [];
  if (kind === undefined) return undefined;
  const line = `leave out the line ${kind}: ${written(value)}`;
  if (kind === "performs") return `declares "performs"; ${line}, and add the names to "events" of the plugin`;
  return `declares "${kind}", which is recorded from what "setup" registers; ${line}`;
}

function hostProblem(grants: Grants, settings: AnyPlugin["settings"]): string | undefined {
  const known = Object.keys(settings?.properties ?? {});
  const wrong = hostSettings(grants).find((field) => !known.includes(field));
  if (wrong === undefined) return undefined;
  const near = closestMatch(wrong, known);
  return `names the host of the setting "${wrong}" in "net", which it does not have${near === undefined ? "" : `; did you mean "${near}"?`}`;
}

function isShape(kind: string, value: unknown): boolean {
  if (SWITCHES.has(kind)) return typeof value === "boolean" || (kind === "impersonate" && isNames(value));
  if (value === "any") return hasAny(kind);
  if (kind === "screens") return isObject(value) && Object.values(value).every(isPermit);
  if (kind === "columns") return isObject(value) && Object.values(value).every(isNames);
  if (kind === "contentTables") return isNames(value) && value.every((one) => one === "read" || one === "write");
  return isNames(value);
}

function hasAny(kind: string): boolean {
  return kind === "net" || (RECORDED_KINDS as readonly string[]).includes(kind);
}

function shapeOf(kind: string): string {
  if (kind === "impersonate") return "true, false or a list of routes";
  if (SWITCHES.has(kind)) return "true or false";
  if (kind === "columns") return "an object of tables with lists of their columns";
  const shape = kind === "screens" ? "an object of paths with whom they admit" : "a list of names";
  return hasAny(kind) ? `${shape}, or "any"` : shape;
}
