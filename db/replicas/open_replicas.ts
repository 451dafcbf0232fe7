import type { Connection } from "../connection/connection.ts";
import type { AnswerDeadlineOptions } from "../connection/deadlines.ts";
import type { Connect } from "../connection/probe.ts";
import type { StorePools } from "../connection/store_pools.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";

/** A replica of the setting. */
export interface ReplicaPlace {
  /** Its URL without password and parameters. */
  readonly name: string;
  readonly connect: Connect;
}

/** Sizes and limits as those of the store; times in milliseconds. */
export interface ReplicaSettings {
  readonly poolSize: number;
  readonly slowPoolSize: number;
  readonly closeTimeoutMs: number;
  readonly readMaxLagMs: number;
  readonly readCheckMs: number;
}

/** The replicas of a store, with connections like those of the primary; they connect with `start`. */
export function openReplicas(
  places: readonly ReplicaPlace[],
  { poolSize, slowPoolSize, closeTimeoutMs, readMaxLagMs, readCheckMs }: ReplicaSettings,
  primary: StorePools,
  openOver: (connect: Connect) => (more: AnswerDeadlineOptions) => Connection,
): Replicas {
  const limitMs = () => primary.limits.statementMs;
  const replicas = places.map(({ name, connect }) => {
    const open = openOver(connect);
    return new Replica({
      ...{ name, slowPoolSize, closeTimeoutMs, limitMs, answerMs: readCheckMs },
      poolSize: Math.max(1, Math.ceil(poolSize / 2)),
      open: () => open({}),
      waitMs: () => primary.limits.waitMs,
      onWait: (ms) => primary.waitObserver?.("slow", ms),
    });
  });
  return new Replicas({ replicas, primary, limitMs, maxLagMs: readMaxLagMs, checkMs: readCheckMs });
}
