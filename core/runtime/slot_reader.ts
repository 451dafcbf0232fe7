/** Slots as one plugin reads them, and the time that functions of their contributions have. */

import type { PartLimits } from "../events/part_guard.ts";
import { withOriginOf } from "../faults.ts";
import { type Caller, contributionFor } from "./acting.ts";
import { type GivenSql, readApart } from "./given_sql.ts";
import type { ContextParts } from "./plugin_context.ts";
import type { SlotSpec } from "./slot_specs.ts";

const NOTHING: readonly unknown[] = [];

/**
 * Reads slots as a plugin calls their contributions: the same list while nothing is contributed. `sql` is what the SQL of a plugin
 * that does not ship may name.
 */
export function slotReader(
  { slots, slotSpecs }: Pick<ContextParts, "slots" | "slotSpecs">,
  caller: Caller,
  sql: GivenSql | undefined,
): (name: string) => readonly unknown[] {
  const called = (slot: string, contribution: unknown) => {
    const own = contributionFor({ slot, ships: slotSpecs.get(slot)?.ships ?? [] }, contribution, caller);
    return sql ? readApart(slot, own, sql) : own;
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
export function slotLimit(spec: SlotSpec | undefined, { callMs, longMs }: PartLimits): number | undefined {
  if (spec?.limit === "readers") return undefined;
  return spec?.limit === "long" ? longMs : callMs;
}
