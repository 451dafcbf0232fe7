import { parseAddress } from "../connection/address.ts";
import type { Connection } from "../connection/connection.ts";
import type { AnswerDeadlineOptions } from "../connection/deadlines.ts";
import { type DriverOptions, type Server, serverOf } from "../connection/server.ts";
import type { StoreEventObserver } from "../connection/store_events.ts";
import type { StorePools } from "../connection/store_pools.ts";
import { StoreError } from "../query/errors.ts";
import type { AwayOptions } from "./away_reads.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";

/** A replica of the setting. */
export interface ReplicaPlace {
  /** Its URL without password and parameters. */
  readonly name: string;
  readonly server: Server;
}

/** Reads the URLs of replicas. Throws StoreError, never with a password. */
export function replicaPlaces(urls: readonly string[], shared: DriverOptions): ReplicaPlace[] {
  return urls.map((url) => {
    const address = parseAddress(url, "DATABASE_READ_URLS");
    if (address.hosts.length > 0)
      throw new StoreError(
        `Cannot read DATABASE_READ_URLS: found several hosts in ${address.shown}, wanted one URL for each replica`,
      );
    const server = serverOf(address, shared);
    return { name: server.place.replaceAll('"', ""), server };
  });
}

/** Sizes and limits as those of the store; times in milliseconds. */
export interface ReplicaSettings extends AwayOptions {
  readonly poolSize: number;
  readonly slowPoolSize: number;
  readonly closeTimeoutMs: number;
  readonly readMaxLagMs: number;
  readonly readCheckMs: number;
  readonly onEvent?: StoreEventObserver;
}

/** The replicas of a store, with connections like those of the primary; they connect with `start`. */
export function openReplicas(
  places: readonly ReplicaPlace[],
  { poolSize, slowPoolSize, closeTimeoutMs, onEvent: show = () => {}, ...settings }: ReplicaSettings,
  primary: StorePools,
  openOver: (server: Server) => (more: AnswerDeadlineOptions) => Connection,
): Replicas {
  const { readMaxLagMs: maxLagMs, readCheckMs: checkMs, isAway, listen } = settings;
  const limitMs = () => primary.limits.statementMs;
  const replicas = places.map(({ name, server }) => {
    const open = openOver(server);
    return new Replica({
      ...{ name, slowPoolSize, closeTimeoutMs, limitMs, answerMs: checkMs },
      poolSize: Math.max(1, Math.ceil(poolSize / 2)),
      open: () => open({}),
      waitMs: () => primary.limits.waitMs,
      onWait: (ms) => primary.waitObserver?.("slow", ms),
    });
  });
  return new Replicas({ replicas, primary, limitMs, maxLagMs, checkMs, show, isAway, listen });
}
