/**
 * Notifications of the store, on a connection of their own. postgres.js can listen by itself, but does not say when the
 * connection is lost, and whoever remembers values by these notifications must know at once: between the loss and the
 * next connection nothing can be relied on. So this connects again until it succeeds, and tells both moments.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { ConnectionSocket } from "./socket.ts";

/** How long the server has to hear that the connection ends. */
const FAREWELL_MS = 500;

/** What a listener wants to hear. */
export interface ListenHandlers {
  /** Called for each notification. */
  onNotify(payload: string): void;
  /** The connection is gone: from now on notifications are missed. */
  onLoss?(): void;
  /** It is back: what happened meanwhile was missed. */
  onReturn?(): void;
}

/** What a listener is made of. */
export interface ListenerOptions {
  /** Opens postgres.js with one connection. */
  connect(extra: postgres.Options<Record<string, postgres.PostgresType>>): postgres.Sql;
  /** Pause between two attempts to connect again, in milliseconds. */
  retryMs: number;
}

/** Listens to any number of channels over one connection, which is opened at the first. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #channels = new Map<string, Set<ListenHandlers>>();
  readonly #socket = new ConnectionSocket();
  #sql: postgres.Sql | undefined;
  #ended = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Starts listening; resolves when the store has heard of it, to a function that stops it. */
  async listen(channel: string, hearing: ListenHandlers): Promise<() => Promise<void>> {
    const hearings = this.#channels.get(channel) ?? new Set();
    hearings.add(hearing);
    this.#channels.set(channel, hearings);
    this.#sql ??= this.#open();
    await this.#sql.unsafe(`listen ${quoted(channel)}`);
    return async () => {
      hearings.delete(hearing);
      if (hearings.size > 0 || this.#ended) return;
      this.#sql?.unsafe(`unlisten ${quoted(channel)}`).catch(() => {
        // A store that is away has nobody to tell, and a stop does not wait for it.
      });
    };
  }

  /** Ends the connection. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#sql?.end({ timeout: 0 });
    // A server that is stalled would leave the socket open, and with it the process.
    setTimeout(() => this.#socket.destroy(), FAREWELL_MS).unref();
  }

  #open(): postgres.Sql {
    const notify = (channel: string, payload: string) => {
      for (const hearing of this.#channels.get(channel) ?? []) hearing.onNotify(payload);
    };
    // postgres.js takes `onnotify` for its own listening and `socket` as a function, and its types tell of neither.
    const options = {
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      socket: this.#socket.open,
      onclose: () => void this.#lost(),
      onnotify: notify,
    };
    return this.#options.connect(options as postgres.Options<Record<string, postgres.PostgresType>>);
  }

  async #lost(): Promise<void> {
    if (this.#ended) return;
    const all = () => [...this.#channels.values()].flatMap((hearings) => [...hearings]);
    for (const hearing of all()) hearing.onLoss?.();
    while (!this.#ended && !(await this.#again())) await sleep(this.#options.retryMs);
    if (!this.#ended) for (const hearing of all()) hearing.onReturn?.();
  }

  /** Listens to every channel once more; false where the store does not answer yet. */
  async #again(): Promise<boolean> {
    try {
      for (const channel of this.#channels.keys()) await this.#sql?.unsafe(`listen ${quoted(channel)}`);
      return true;
    } catch {
      // The store is still away; whoever asked was told of the loss.
      return false;
    }
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
