/** Slots as one plugin reads them, and the time that functions of their contributions have. */
import { LIMITED_BY_READERS, LONG_SLOTS } from "../contracts/slot_names.ts";
import { withOriginOf } from "../faults.ts";
import type { PartLimits } from "../part_guard.ts";
import { type Caller, contributionFor } from "./acting.ts";
import { type GivenSql, readApart } from "./given_sql.ts";
import type { ContextParts } from "./plugin_context.ts";

const NOTHING: readonly unknown[] = [];

/**
 * Reads slots as a plugin calls their contributions: the same list while nothing is contributed. `sql` is what the SQL of a plugin
 * that does not ship may name.
 */
export function slotReader(
  slots: ContextParts["slots"],
  caller: Caller,
  sql: GivenSql | undefined,
): (name: string) => readonly unknown[] {
  const called = (name: string, contribution: unknown) => {
    const own = contributionFor(name, contribution, caller);
    return sql ? readApart(name, own, sql) : own;
  };
  const lists = new WeakMap<readonly unknown[], readonly unknown[]>();
  return (name) => {
    const given = slots.get(name) ?? NOTHING;
    const known =
      lists.get(given) ?? given.map((contribution) => withOriginOf(called(name, contribution), contribution));
    lists.set(given, known);
    return known;
  };
}

/** The limit of a slot's functions in milliseconds; undefined where readers have one. */
export function slotLimit(name: string, { callMs, longMs }: PartLimits): number | undefined {
  if (LIMITED_BY_READERS.has(name)) return undefined;
  return LONG_SLOTS.has(name) ? longMs : callMs;
}
