import { Findings, type SelfCheck } from "lectern/contracts";
import type { ReplicaReads } from "lectern/db";

/** Each replica of DATABASE_READ_URLS serves reads, or could. One that does not only costs the primary its reads. */
export function replicasCheck(replicas: Pick<ReplicaReads, "check" | "status">): SelfCheck {
  return {
    name: "core/replicas",
    title: "Every replica of DATABASE_READ_URLS serves reads",
    async check() {
      const findings = new Findings();
      await replicas.check();
      for (const { name, isInUse, reason } of replicas.status()) if (!isInUse) findings.add(`${name}: ${reason}`);
      return findings.as(
        "warning",
        "Check that it runs, replicates from the server of DATABASE_URL and keeps up; it is taken back by itself.",
      );
    },
  };
}
