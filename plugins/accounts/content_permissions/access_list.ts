import { sha256 } from "lectern/core";
import type { Allowed, Entry } from "./contract.ts";

/** The actions that entries allow or deny. */
export const ACTIONS = ["view", "create", "update", "delete"] as const satisfies (keyof Allowed)[];

/** The ruling of an access list on one action. The lists are stored in the tables of the plugin "access", which defines them. */
export interface Ruling {
  readonly fallback: -1 | 0 | 1;
  readonly allow: readonly number[];
  readonly deny: readonly number[];
}

/** The overrides in force on an item, its own and inherited ones. */
export type AccessList = Readonly<Record<keyof Allowed, Ruling>>;

/**
 * Derives the access list of an item from its own entries and its parent's list (platform 2.3, step 7): for each role the
 * nearest entry counts, and a fallback stops the inheritance. The parent's list was derived in the same way.
 */
export function deriveAccessList(own: readonly Entry[], parent: AccessList): AccessList {
  const fallback = own.find(({ role_id }) => role_id === 0);
  const entries = own.filter(({ role_id }) => role_id !== 0);
  const named = new Set(entries.map(({ role_id }) => role_id));
  const ruling = (action: keyof Allowed): Ruling => {
    const { allow, deny } = fallback ? { allow: [], deny: [] } : parent[action];
    const side = (allowed: boolean, inherited: readonly number[]) =>
      [
        ...entries.filter((entry) => entry[action] === allowed).map(({ role_id }) => role_id),
        ...inherited.filter((role) => !named.has(role)),
      ].sort((a, b) => a - b);
    const otherwise = fallback ? (fallback[action] ? 1 : 0) : parent[action].fallback;
    return { fallback: otherwise, allow: side(true, allow), deny: side(false, deny) };
  };
  return { view: ruling("view"), create: ruling("create"), update: ruling("update"), delete: ruling("delete") };
}

/** Whether a list contains no ruling, so that roles and ownership alone decide. */
export function isEmpty(list: AccessList): boolean {
  return ACTIONS.every((action) => {
    const { fallback, allow, deny } = list[action];
    return fallback === -1 && allow.length === 0 && deny.length === 0;
  });
}

/** A hash by which equal lists are found. */
export function digestOf(list: AccessList): string {
  return sha256(
    JSON.stringify(ACTIONS.map((action) => [list[action].fallback, list[action].allow, list[action].deny])),
  );
}
