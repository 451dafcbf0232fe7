import type { Metric } from "lectern/contracts";
import { SECOND_MS } from "lectern/core";
import type { ReplicaStatus } from "lectern/db";
import type { HealthContext } from "./contract.ts";

/** The replicas that serve reads, and where the reads of requests were answered; none without replicas. */
export function replicaMetrics({ contracts: { telemetry } }: Pick<HealthContext, "contracts">): Metric[] {
  if (!telemetry.readCounts()) return [];
  const of = (name: string, help: string, value: (replica: ReplicaStatus) => number): Metric => ({
    ...{ name, help, type: "gauge", labels: ["replica"] },
    read: () => telemetry.replicas().map((replica) => ({ labels: { replica: replica.name }, value: value(replica) })),
  });
  return [
    of("lectern_replica_in_use", "Whether a replica serves reads.", ({ isInUse }) => (isInUse ? 1 : 0)),
    of("lectern_replica_lag_seconds", "How far a replica is behind.", ({ lagMs }) => lagMs / SECOND_MS),
    of("lectern_replica_lag_bytes", "Bytes of the log that a replica is behind.", ({ lagBytes }) => lagBytes),
    {
      ...{ name: "lectern_reads_total", help: "Statements of reading requests by server.", type: "counter" },
      labels: ["server"],
      read() {
        const { primary = 0 } = telemetry.readCounts() ?? {};
        const replicas = telemetry
          .replicas()
          .map(({ name, statements }) => ({ labels: { server: name }, value: statements }));
        return [{ labels: { server: "primary" }, value: primary }, ...replicas];
      },
    },
    {
      ...{
        name: "lectern_reads_repeated_total",
        help: "Reads on the primary after a replica failed.",
        type: "counter",
      },
      read: () => [{ value: telemetry.readCounts()?.repeated ?? 0 }],
    },
  ];
}
