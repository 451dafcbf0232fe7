import { Findings, type SelfCheck } from "lectern/contracts";
import type { Db } from "lectern/db";
import { correctCounters, recount } from "./recount.ts";

/** The check of the counters of hosts, packages and reports against their rows. */
export function countersCheck(db: Db): SelfCheck {
  return {
    name: "hosts/counters",
    title: "The counters of monitored hosts are right",
    async check() {
      const findings = new Findings();
      for (const { counter, stored, counted } of await recount(db))
        findings.add(`${counter}: stored ${stored}, counted ${counted}`);
      return findings.as("error");
    },
    async fix() {
      const { length } = await recount(db);
      if (length > 0) await correctCounters(db);
      return length;
    },
  };
}
