import { type ContentKind, Findings, referenceCheck, type SelfCheck } from "lectern/contracts";
import type { Db } from "lectern/db";
import { correctItemCounts, differingCounts } from "./item_counts.ts";

/** The checks of access lists: items have one that exists, and the numbers of items with each are right. */
export function accessChecks(kinds: () => readonly ContentKind[], db: Db): SelfCheck[] {
  return [
    referenceCheck(db, {
      name: "access/lists",
      title: "Every item has an access list",
      references: () => kinds().map(({ table }) => ({ table, column: "acl_id", to: "acl" })),
      repair: "none",
      advice: "Set the content permissions of these items again, which gives them a new list.",
    }),
    {
      name: "access/counts",
      title: "The counters of items by access list are right",
      async check() {
        const findings = new Findings();
        for (const kind of kinds())
          for (const { acl_id, stored, counted } of await differingCounts(kind, db))
            findings.add(`${kind.kind}, list ${acl_id}: stored ${stored}, counted ${counted}`);
        return findings.as("error");
      },
      async fix() {
        let fixed = 0;
        for (const kind of kinds()) {
          const { length } = await differingCounts(kind, db);
          if (length > 0) await correctItemCounts(kind, db);
          fixed += length;
        }
        return fixed;
      },
    },
  ];
}
