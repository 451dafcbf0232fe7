/**
 * From which address the request under way came, for what happens because of it: a log tells it, and no handler between
 * the gates and the bus need pass it on. Reads are left out, since nothing happens through them; commands, jobs and
 * schedules have no address.
 */
import { AsyncLocalStorage } from "node:async_hooks";

const ADDRESSES = new AsyncLocalStorage<string>();

/** Runs what a request asks for; `addressNow` answers with its address until that has ended. */
export function askedFrom<R>(address: string, run: () => R): R {
  return ADDRESSES.run(address, run);
}

/** The address of the request under way, undefined outside of any. */
export function addressNow(): string | undefined {
  return ADDRESSES.getStore();
}
