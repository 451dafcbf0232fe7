/** Names that a boot can check only as a whole: the slots that plugins contribute to. */
import { closestMatch } from "../closest_match.ts";
import { CORE_SLOTS } from "../contracts/slot_names.ts";
import { contributorOf } from "../faults.ts";
import type { Log } from "../log.ts";

/**
 * Logs contributions to slots whose names are most likely misspelt: unknown ones that differ little from a known one. An unknown
 * slot is no error, since a plugin may read a slot of its own after the boot.
 */
export function warnOfUnknownSlots(
  slots: ReadonlyMap<string, readonly unknown[]>,
  read: ReadonlySet<string>,
  log: Log,
): void {
  const known = new Set<string>([...CORE_SLOTS, ...read]);
  for (const [slot, contributions] of slots) {
    const near = known.has(slot) ? undefined : closestMatch(slot, [...known]);
    if (near === undefined) continue;
    for (const plugin of new Set(contributions.map(contributorOf)))
      log.warn("A plugin contributes to a slot that is not known; is its name right?", { plugin, slot, known: near });
  }
}
