import { sha256 } from "lectern/core";
import type { Allowed, Entry } from "./contract.ts";

/** The actions that entries speak of. */
export const ACTIONS = ["view", "create", "update", "delete"] as const satisfies (keyof Allowed)[];

/** What a list says about one action; see the plugin "access", whose lists these are. */
export interface Ruling {
  readonly fallback: -1 | 0 | 1;
  readonly allow: readonly number[];
  readonly deny: readonly number[];
}

/** Overrides in force on an item. */
export type AccessList = Readonly<Record<keyof Allowed, Ruling>>;

/**
 * The list of an item, from its own entries and the list of what directly holds it (platform 2.3, step 7): for each role
 * the nearest entry counts, and a fallback ends the way upwards. The list above is itself made so, from the next above.
 */
export function combine(own: readonly Entry[], above: AccessList): AccessList {
  const fallback = own.find(({ role_id }) => role_id === 0);
  const entries = own.filter(({ role_id }) => role_id !== 0);
  const named = new Set(entries.map(({ role_id }) => role_id));
  const ruling = (action: keyof Allowed): Ruling => {
    const { allow, deny } = fallback ? { allow: [], deny: [] } : above[action];
    const side = (allowed: boolean, inherited: readonly number[]) =>
      [
        ...entries.filter((entry) => entry[action] === allowed).map(({ role_id }) => role_id),
        ...inherited.filter((role) => !named.has(role)),
      ].sort((a, b) => a - b);
    const rest = fallback ? (fallback[action] ? 1 : 0) : above[action].fallback;
    return { fallback: rest, allow: side(true, allow), deny: side(false, deny) };
  };
  return { view: ruling("view"), create: ruling("create"), update: ruling("update"), delete: ruling("delete") };
}

/** Whether a list says nothing at all. */
export function isEmpty(list: AccessList): boolean {
  return ACTIONS.every((action) => {
    const { fallback, allow, deny } = list[action];
    return fallback === -1 && allow.length === 0 && deny.length === 0;
  });
}

/** Equal for equal lists, and for no others. */
export function digestOf(list: AccessList): string {
  return sha256(
    JSON.stringify(ACTIONS.map((action) => [list[action].fallback, list[action].allow, list[action].deny])),
  );
}
