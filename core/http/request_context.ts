/**
 * The client's address and language during a request, without passing them through every handler: events record the address,
 * validation errors are written in the language. Reads have neither, as they cause no events; commands, jobs and schedules
 * have none.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** The client of a request, beside its viewer. */
export interface Sender {
  readonly address: string;
  /** The preferred language, such as "de"; undefined without a preference. */
  readonly language: string | undefined;
}

const SENDERS = new AsyncLocalStorage<Sender>();

/** Runs a function with the client that `currentAddress` and `currentLanguage` return while it runs, asynchronous parts included. */
export function withRequest<R>(sender: Sender, run: () => R): R {
  return SENDERS.run(sender, run);
}

/** The client's address of the current request; undefined outside of one. */
export function currentAddress(): string | undefined {
  return SENDERS.getStore()?.address;
}

/** The preferred language of the current request; undefined outside of one and without a preference. */
export function currentLanguage(): string | undefined {
  return SENDERS.getStore()?.language;
}
