import { BootError } from "../errors.ts";
import { contributorOf } from "../faults.ts";
import type { ContentKind } from "../resources/content.ts";

/** What each kind of content has for itself: others read overrides, listings and deleted items by it. */
const OWN = ["kind", "table", "segment"] as const satisfies readonly (keyof ContentKind)[];

/**
 * Refuses a contribution to `content` that has the kind, the table or the segment of a former one. Others delete what belongs to no
 * row of a kind's table, so a second table for the kind of pages would delete the permissions of all pages. Throws BootError that
 * names both plugins.
 */
export function checkNewKind(plugin: string, kind: ContentKind, known: readonly ContentKind[]): void {
  for (const member of OWN) {
    const former = known.find((one) => one[member] === kind[member]);
    if (former === undefined) continue;
    throw new BootError(
      `The plugin "${plugin}" contributes the kind "${kind.kind}" with the ${member} "${kind[member]}", which the kind "${former.kind}" of ` +
        `"${contributorOf(former)}" has: wanted a kind, a table and a segment that no other contribution to "content" has`,
    );
  }
}
