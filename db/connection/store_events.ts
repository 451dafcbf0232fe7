/**
 * What happens to the connections of a store, for the log: it is lost and found again, its leader changes, a former leader comes
 * back, a replica serves no reads, the disk is full. Each is shown once, whatever the number of statements that fail meanwhile.
 */
import { setTimeout as sleep } from "node:timers/promises";

/** A change; `host` is "host:port", or the shown address where one of several is not known. */
export type StoreEvent =
  | { readonly kind: "lost"; readonly host: string; readonly cause: string }
  | { readonly kind: "found"; readonly host: string; readonly awayMs: number }
  | { readonly kind: "moved"; readonly host: string; readonly from: string; readonly timeline: number }
  /** A server that accepts writes on an older timeline than `newest`. */
  | { readonly kind: "former"; readonly host: string; readonly cause: string }
  | { readonly kind: "replica_lost"; readonly host: string; readonly cause: string }
  | { readonly kind: "replica_found"; readonly host: string }
  /** The embedded server started with the room that is kept for that on its disk, which has no other. */
  | { readonly kind: "reserve_used"; readonly folder: string };

/** Is shown each change. */
export type StoreEventObserver = (event: StoreEvent) => void;

/** Milliseconds between two looks at a store that is lost. */
const LOOK_MS = 500;

/** Options of a watch. */
export interface StoreWatchOptions {
  /** Why the store does not answer over a new connection; undefined where it does. */
  failure(): Promise<string | undefined>;
  host(): string;
  show: StoreEventObserver;
}

/** Shows when the store is lost and found again. It asks nothing as long as no connection is lost. */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  #watching: Promise<void> | undefined;
  #isLost = false;
  #isEnded = false;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
  }

  /** A connection was lost. */
  suspect(): void {
    if (this.#isEnded) return;
    this.#watching ??= this.#watch().finally(() => {
      this.#watching = undefined;
    });
  }

  /** Whether it was lost and is not found again. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Shows nothing more. */
  end(): void {
    this.#isEnded = true;
  }

  async #watch(): Promise<void> {
    const { failure, host, show } = this.#options;
    const since = performance.now();
    const lostHost = host();
    const cause = await failure();
    if (cause === undefined || this.#isEnded) return;
    this.#isLost = true;
    show({ kind: "lost", host: lostHost, cause });
    do await sleep(LOOK_MS, undefined, { ref: false });
    while (!this.#isEnded && (await failure()) !== undefined);
    this.#isLost = false;
    if (!this.#isEnded) show({ kind: "found", host: host(), awayMs: Math.round(performance.now() - since) });
  }
}
