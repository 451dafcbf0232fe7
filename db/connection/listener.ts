/**
 * LISTEN on a connection of its own. The listening of postgres.js does not report a lost connection, but caches that rely
 * on notifications must know: none arrive between the loss and the next connection. So this reconnects until it succeeds and
 * reports both. A network that drops the connection silently is found by asking the server, where a notification that this process has
 * sent does not come, or none at all for long; so a server that hears what it sends to itself asks nothing.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { ident } from "../query/quoting.ts";
import { type DriverOptions, over, type Server } from "./server.ts";
import type { ConnectionSocket } from "./socket.ts";

/** Milliseconds for the server to close the connection at the end. */
const CLOSE_MS = 500;

/** The times of the listener of a store, for its options. */
export const LISTENER_TIMES = { retryMs: 500, checkMs: 5_000, silenceMs: 75_000 };

/** Handlers of a channel. */
export interface ListenHandlers {
  /** Called for each notification. */
  onNotify(payload: string): void;
  /** The connection is lost: notifications are missed from now on. */
  onLoss?(): void;
  /** The connection is back; notifications in between were missed. */
  onReturn?(): void;
}

/** Options of a listener. */
export interface ListenerOptions {
  /** The server to listen at, not through a pooler in transaction mode. */
  readonly server: Server;
  /** Milliseconds between two attempts to reconnect. */
  retryMs: number;
  /** Milliseconds that a notification of this process may take, and a check that the server answers; then the connection counts as lost. */
  checkMs: number;
  /** Milliseconds without any notification until the server is asked: longer than the pause between those of an idle server. */
  silenceMs: number;
}

/** Listens to channels over one connection, opened with the first one. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<ListenHandlers>>();
  readonly #socket: ConnectionSocket;
  #sql: postgres.Sql | undefined;
  #checks: ReturnType<typeof setInterval> | undefined;
  #isAnswered = true;
  #heardAt = performance.now();
  /** When this process sent the first notification since it has heard one. */
  #sentAt = Number.POSITIVE_INFINITY;
  #isLost = false;
  #ended = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#socket = options.server.socket(true);
  }

  /** Listens to a channel. Resolves when the server listens, to a function that stops it. */
  async listen(channel: string, handlers: ListenHandlers): Promise<() => Promise<void>> {
    const listening = this.#channels.get(channel) ?? new Set();
    listening.add(handlers);
    this.#channels.set(channel, listening);
    this.#sql ??= this.#open();
    await this.#sql.unsafe(`listen ${ident(channel)}`);
    return async () => {
      listening.delete(handlers);
      if (listening.size > 0 || this.#ended) return;
      this.#sql?.unsafe(`unlisten ${ident(channel)}`).catch(() => {
        // A lost connection listens to nothing, and a stop does not wait for it.
      });
    };
  }

  /** Whether notifications are missed, which all handlers know. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** This process sends a notification; if it listens to the channel, it has to hear it. */
  sent(channel: string): void {
    if (this.#channels.has(channel)) this.#sentAt = Math.min(this.#sentAt, performance.now());
  }

  /** Drops the connection, whose server is lost: one that hangs would be missed only at the next check. */
  drop(): void {
    this.#socket.drop();
  }

  /** Ends the connection. */
  async end(): Promise<void> {
    this.#ended = true;
    clearInterval(this.#checks);
    await this.#sql?.end({ timeout: 0 });
    // A stalled server would leave the socket open, and with it the process.
    setTimeout(() => this.#socket.destroy(), CLOSE_MS).unref();
  }

  #open(): postgres.Sql {
    this.#checks = setInterval(() => this.#check(), this.#options.checkMs);
    this.#checks.unref();
    const notify = (channel: string, payload: string) => {
      this.#heard();
      for (const handlers of this.#channels.get(channel) ?? []) handlers.onNotify(payload);
    };
    // `onnotify` is missing in the types of postgres.js.
    const options = {
      ...over(this.#socket),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      onclose: () => void this.#lost(),
      onnotify: notify,
    };
    return this.#options.server.connect(options as DriverOptions);
  }

  #heard(): void {
    this.#heardAt = performance.now();
    this.#sentAt = Number.POSITIVE_INFINITY;
  }

  /** Drops the connection if the last check is not answered, else begins the next one where one is due, which changes nothing. */
  #check(): void {
    if (!this.#isAnswered) {
      this.#socket.drop();
      return;
    }
    const { checkMs, silenceMs } = this.#options;
    const now = performance.now();
    if (now - this.#sentAt < checkMs && now - this.#heardAt < silenceMs) return;
    const [channel] = this.#channels.keys();
    if (channel === undefined) return;
    this.#isAnswered = false;
    const answered = () => {
      this.#isAnswered = true;
      this.#heard();
    };
    // A connection that ends is reported by `onclose`.
    this.#sql?.unsafe(`listen ${ident(channel)}`).then(answered, answered);
  }

  async #lost(): Promise<void> {
    if (this.#ended) return;
    const all = () => [...this.#channels.values()].flatMap((handlers) => [...handlers]);
    for (const handlers of all()) handlers.onLoss?.();
    this.#isLost = true;
    while (!this.#ended && !(await this.#listenAgain())) await sleep(this.#options.retryMs);
    this.#isLost = false;
    if (!this.#ended) for (const handlers of all()) handlers.onReturn?.();
  }

  /** Listens to all channels again; false where the store does not answer yet. */
  async #listenAgain(): Promise<boolean> {
    try {
      for (const channel of this.#channels.keys()) await this.#sql?.unsafe(`listen ${ident(channel)}`);
      return true;
    } catch {
      // The store does not answer yet; `onLoss` was called.
      return false;
    }
  }
}
