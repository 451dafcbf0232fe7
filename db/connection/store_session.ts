/**
 * Who reads and writes: the requests of one user. The reads of a request go to one place, chosen at its first read; once it has
 * written, and where a replica failed, all further ones go to the primary.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ReplicaTarget } from "./replica_reads.ts";

/** What is known of a request. */
export interface StoreSessionFacts {
  /** The id of the user; 0 for all guests together. */
  readonly user: number;
  /** Whether the request only reads, so that a replica may serve it. */
  readonly mayUseReplica: boolean;
  /** Whether all readers wait for its writes, such as those of a guest who becomes a user by them. */
  readonly writesForAll?: boolean;
}

/**
 * The statements of one request.
 * @example
 * const session = new StoreSession({ user: 7, mayUseReplica: true });
 * session.pin();
 */
export class StoreSession implements StoreSessionFacts {
  readonly user: number;
  readonly mayUseReplica: boolean;
  readonly writesForAll: boolean;
  /** The place of its reads, once the first one was sent; undefined in it for the primary. */
  choice: Promise<ReplicaTarget | undefined> | undefined = undefined;
  #isPinned: boolean;

  constructor({ user, mayUseReplica, writesForAll = false }: StoreSessionFacts) {
    this.user = user;
    this.mayUseReplica = mayUseReplica;
    this.writesForAll = writesForAll;
    this.#isPinned = !mayUseReplica;
  }

  /** Whether all further reads go to the primary. */
  get isPinned(): boolean {
    return this.#isPinned;
  }

  /** Sends all further reads to the primary. */
  pin(): void {
    this.#isPinned = true;
  }
}

const PRIMARY = new AsyncLocalStorage<true>();

/**
 * Runs `run` with its reads on the primary, also where DATABASE_READ_URLS names replicas: for values that are kept, as those
 * of a cache, and for reads that decide a change. Reads in transactions, and those of requests that change something, go to
 * the primary anyway.
 * @example
 * const current = await onPrimary(() => rows(db, sql<{ total: number }>`select total from counters where id = ${1}`));
 */
export function onPrimary<T>(run: () => T): T {
  return PRIMARY.run(true, run);
}

/** Whether the current statement runs within `onPrimary`. */
export function isOnPrimary(): boolean {
  return PRIMARY.getStore() === true;
}
