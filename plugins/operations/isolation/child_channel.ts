/**
 * The channel of an isolated process. The server ends a process that makes too many calls at a time, so calls beyond the limit
 * wait here. Calls in whose course the server calls the process again have a limit of their own, as what it calls makes further calls,
 * which must not wait for them.
 */
import { Semaphore } from "lectern/core";
import { Channel } from "./channel.ts";

/** Options of a call. */
export interface CallOptions {
  readonly within?: number | undefined;
  /** Whether the call is made within a transaction of the plugin, which waits for it: it does not wait itself. */
  readonly isNested?: boolean;
}

/** Calls in whose course the server may call the process: the action of an event, a route or a function that reaches the plugin. */
const NESTING = ["perform", "call", "contract"] as const;
/** The name of such a call. */
export type NestingCall = (typeof NESTING)[number];

/** The share of those calls among the calls at a time; the others have the half. */
const NESTING_SHARE = 4;

/** The side of the process. */
export class ChildChannel extends Channel {
  #limits: { readonly nesting: Semaphore; readonly others: Semaphore } | undefined;

  /** Sets how many calls the server answers at a time. */
  limit(calls: number): void {
    const permits = (share: number) => new Semaphore({ permits: Math.max(1, Math.floor(calls / share)) });
    this.#limits = { nesting: permits(NESTING_SHARE), others: permits(2) };
  }

  override async call(name: string, value: unknown, { within, isNested = false }: CallOptions = {}): Promise<unknown> {
    const run = () => super.call(name, value, { within });
    const nests = (NESTING as readonly string[]).includes(name);
    if (!this.#limits || (nests && isNested)) return run();
    return (nests ? this.#limits.nesting : this.#limits.others).run(run);
  }
}
