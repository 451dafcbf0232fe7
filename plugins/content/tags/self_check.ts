import { Findings, type SelfCheck } from "lectern/contracts";
import type { Db } from "lectern/db";
import { correctTagCounts, differingTagCounts, type TaggedKind } from "./counts.ts";

/** The check that the counts of tags are right. */
export function tagCountsCheck(kinds: () => readonly TaggedKind[], db: Db): SelfCheck {
  return {
    name: "tags/counts",
    title: "The counters of tags are right",
    async check() {
      const findings = new Findings();
      for (const { kind, acl_id, name, value, stored, counted } of await differingTagCounts(kinds(), db))
        findings.add(
          `${kind}, list ${acl_id}, "${name}"${value === null ? "" : ` = "${value}"`}: stored ${stored}, counted ${counted}`,
        );
      return findings.as("error");
    },
    async fix() {
      const { length } = await differingTagCounts(kinds(), db);
      if (length > 0) await correctTagCounts(kinds(), db);
      return length;
    },
  };
}
