/**
 * Slots that an isolated plugin may contribute to: those whose contributions are data, and functions that may take as long as a call to
 * another process. Slots with scripts, styles or HTML are none of them, since these would run in the browsers of others.
 */
import type { Viewer } from "lectern/core";
import { checkPlain } from "./values.ts";

/** The functions of contributions, by slot. */
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  permission_label: [],
  metric: ["read"],
  // Entries of menus, and figures.
  screen_part: ["read"],
};

/** Parts of a contribution: what is sent, and what stays in the process. */
export interface ContributionParts {
  readonly data: Readonly<Record<string, unknown>>;
  readonly functions: Readonly<Record<string, (...args: unknown[]) => unknown>>;
}

/** The parts of a contribution. Throws for a slot that isolated plugins cannot contribute to, and for what is no data of it. */
export function contributionParts(slot: string, contribution: object): ContributionParts {
  const known = functionsOf(slot);
  const members = Object.entries(contribution);
  const isFunction = ([name, value]: [string, unknown]) => known.includes(name) && typeof value === "function";
  const data = Object.fromEntries(members.filter((member) => !isFunction(member)));
  checkContribution(slot, data);
  return { data, functions: Object.fromEntries(members.filter(isFunction)) };
}

/** Checks the data of a contribution. Throws as `contributionParts`. */
export function checkContribution(slot: string, data: Readonly<Record<string, unknown>>): void {
  functionsOf(slot);
  checkPlain(data, `a contribution to the slot "${slot}"`);
  const { path } = data;
  // A browser takes two slashes, or a backslash, for the begin of another server's address.
  if (path !== undefined && !(typeof path === "string" && /^\/(?![/\\])/.test(path)))
    throw new Error(`Cannot contribute to the slot "${slot}": "path" has to be one of this server, such as "/notes"`);
}

/** The names of the functions of a contribution. Throws for a slot that isolated plugins cannot contribute to. */
export function functionsOf(slot: string): readonly string[] {
  const found = Object.hasOwn(FUNCTIONS, slot) ? FUNCTIONS[slot] : undefined;
  if (found) return found;
  throw new Error(
    `Isolated plugins cannot contribute to the slot "${slot}"; they can to ${Object.keys(FUNCTIONS).join(", ")}`,
  );
}

/** What a function of a contribution returned, checked: a figure on a screen is text or a number, and never HTML. */
export function checkedFound(slot: string, found: unknown): unknown {
  checkPlain(found, `what a contribution to the slot "${slot}" returned`);
  if (slot === "screen_part" && typeof found !== "string" && typeof found !== "number")
    throw new Error("A figure of an isolated plugin is a text or a number");
  return found;
}

/** What a function of a contribution is told of the request: nothing where it gets none. */
export function sentVisit(visit: unknown): { readonly viewer?: Viewer; readonly params?: unknown } {
  if (typeof visit !== "object" || visit === null) return {};
  const { viewer, params } = visit as { readonly viewer: Viewer; readonly params: unknown };
  return { viewer, params };
}
