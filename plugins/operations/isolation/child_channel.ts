/**
 * The channel of an isolated process. The server ends a process that makes too many calls at a time, so calls beyond the limit
 * wait here. Calls of `perform` have a limit of their own, as their actions make further calls, which must not wait for them.
 */
import { Semaphore } from "lectern/core";
import { Channel } from "./channel.ts";

/** Options of a call. */
export interface CallOptions {
  readonly within?: number | undefined;
  /** Whether the call is made within a transaction of the plugin, which waits for it: it does not wait itself. */
  readonly isNested?: boolean;
}

/** The share of `perform` among the calls at a time; the others have the half. */
const PERFORMING = 4;

/** The side of the process. */
export class ChildChannel extends Channel {
  #limits: { readonly performing: Semaphore; readonly others: Semaphore } | undefined;

  /** Sets how many calls the server answers at a time. */
  limit(calls: number): void {
    const permits = (share: number) => new Semaphore({ permits: Math.max(1, Math.floor(calls / share)) });
    this.#limits = { performing: permits(PERFORMING), others: permits(2) };
  }

  override async call(name: string, value: unknown, { within, isNested = false }: CallOptions = {}): Promise<unknown> {
    const run = () => super.call(name, value, { within });
    if (!this.#limits || (name === "perform" && isNested)) return run();
    return (name === "perform" ? this.#limits.performing : this.#limits.others).run(run);
  }
}
