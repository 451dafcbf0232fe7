/**
 * Reads while no primary answers: those of requests that only read, with those that find the request's user, go to a replica that has
 * replayed the newest change of who may see what that this process knows of, however far it is behind otherwise. Nothing of it is
 * cached, since it counts only once the loss of notifications is known, and what was cached is forgotten when they return. This process knows a
 * change by its own commit, by a poll of the primary, or by the notification of another process. Until its position is known too,
 * no replica is proven to have it, and the reads fail as writes do.
 */

import type { ListenHandlers } from "../connection/listener.ts";
import type { AwayReads, ReplicaTarget } from "../connection/replica_reads.ts";
import { isRead } from "../connection/statement_kind.ts";
import { ConnectionLost } from "../query/errors.ts";
import type { Horizon } from "./horizon.ts";
import type { Replica } from "./replica.ts";
import { ACCESS_CHANNEL } from "./schema.ts";

/** Listens to a channel of the primary. */
export type Listen = (channel: string, handlers: ListenHandlers) => Promise<unknown>;

/** What tells that the primary is away, and what was committed before. */
export interface AwayOptions {
  /** Whether the primary is away, and nothing is cached. */
  isAway(): boolean;
  readonly listen: Listen;
}

/** The code of reads that neither the primary nor a replica answered. */
const AWAY = "PRIMARY_AWAY";

/** Chooses the replica of reads while the primary is away. */
export class AwayRoute {
  readonly #options: AwayOptions;
  readonly #replicas: readonly Replica[];
  readonly #horizon: Horizon;
  /** The current request; undefined where it may change something, and outside of one. */
  requestOf: () => AwayReads | undefined = () => undefined;

  constructor(options: AwayOptions, replicas: readonly Replica[], horizon: Horizon) {
    this.#options = options;
    this.#replicas = replicas;
    this.#horizon = horizon;
  }

  /** Learns of changes of who may see what that other processes commit. */
  async start(): Promise<void> {
    const learn = () => {
      this.#horizon.accessChanged();
      this.#horizon.confirm().catch(() => {
        // The position stays unknown until the primary answers.
      });
    };
    await this.#options.listen(ACCESS_CHANNEL, { onNotify: learn, onReturn: learn });
  }

  /** The pools for a read of the current request, of user `user`; undefined where the primary is asked. */
  target(text: string, user: number): ReplicaTarget | undefined {
    if (!this.#options.isAway() || !isRead(text)) return undefined;
    const reads = this.requestOf();
    const need = this.#horizon.accessNeed;
    if (!reads || need === undefined) return undefined;
    const { epoch } = this.#horizon;
    const fit = this.#replicas.filter((one) => one.unfitFor(epoch) === undefined && one.lsn >= need);
    // The reads of a request, and of a user, are of one replica as long as it is there: time does not go backwards.
    const replica = fit.find((one) => one === reads.replica) ?? fit[user % fit.length];
    if (replica) reads.replica = replica;
    return replica?.restingTarget;
  }
}

/** The failure of a read that a replica did not answer, and that only the primary could. */
export function awayFailure(cause: unknown): ConnectionLost {
  return new ConnectionLost("The primary is away, and the replica that was asked failed", AWAY, cause);
}
