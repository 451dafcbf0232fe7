/**
 * From which address the request under way came and in which language its sender reads, for what happens because of it: a
 * log tells the one, faults of what was sent are worded in the other, and no handler in between need pass them on. Reads
 * are left out, since nothing happens through them; commands, jobs and schedules have neither.
 */
import { AsyncLocalStorage } from "node:async_hooks";

/** What is known of whoever asks, beside who they are. */
export interface Sender {
  readonly address: string;
  /** The language wished for, such as "de"; undefined where none was. */
  readonly language: string | undefined;
}

const SENDERS = new AsyncLocalStorage<Sender>();

/** Runs what a request asks for; `addressNow` and `languageNow` answer with its sender's until that has ended. */
export function askedFrom<R>(sender: Sender, run: () => R): R {
  return SENDERS.run(sender, run);
}

/** The address of the request under way, undefined outside of any. */
export function addressNow(): string | undefined {
  return SENDERS.getStore()?.address;
}

/** The language its sender wishes, undefined outside of any and where none was wished for. */
export function languageNow(): string | undefined {
  return SENDERS.getStore()?.language;
}
