/**
 * Questions of one worker to the others of its server, by messages through the parent process, such as for the figures of all.
 * A server without workers has no peers, and every question has no answers.
 */

import type { WorkerPeers } from "../config.ts";
import { withinTime } from "../std/within_time.ts";

/** How long the answers of others are awaited; those that are missing then are left out. */
const ANSWER_MS = 2_000;

/** A message between a worker and its parent. */
export type PeerMessage =
  | {
      readonly kind: "ask";
      readonly id: string;
      readonly topic: string;
      readonly from: number;
      readonly others: number;
    }
  | { readonly kind: "answer"; readonly id: string; readonly to: number; readonly value: unknown };

/** A question that waits for answers. */
interface Open {
  readonly answers: unknown[];
  missing: number;
  done(): void;
}

/** The other workers of this server. */
export class Peers implements WorkerPeers {
  readonly #send: ((message: PeerMessage) => void) | undefined;
  readonly #own: number;
  readonly #open = new Map<string, Open>();
  readonly #topics = new Map<string, () => Promise<unknown>>();

  /** `own` is the number of this worker; without `send` there are no peers. */
  constructor(own = 0, send?: (message: PeerMessage) => void) {
    this.#own = own;
    this.#send = send;
  }

  /** Sets what this worker answers to questions of a topic. */
  onAsk(topic: string, answer: () => Promise<unknown>): void {
    this.#topics.set(topic, answer);
  }

  /** Asks the others. Resolves to the answers that came in time, without an order. */
  async ask(topic: string): Promise<readonly unknown[]> {
    if (!this.#send) return [];
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    const open: Open = { answers: [], missing: Number.POSITIVE_INFINITY, done: resolve };
    this.#open.set(id, open);
    this.#send({ kind: "ask", id, topic, from: this.#own, others: 0 });
    await withinTime(ANSWER_MS, () => promise).catch(() => {
      // The answers that have come so far are enough.
    });
    this.#open.delete(id);
    return open.answers;
  }

  /** Takes a message of the parent: a question of another worker, the number of those asked, or an answer. */
  async receive(message: PeerMessage): Promise<void> {
    if (message.kind === "answer") {
      this.#open.get(message.id)?.answers.push(message.value);
      this.#settle(message.id, 1);
      return;
    }
    if (message.from === this.#own) {
      const open = this.#open.get(message.id);
      if (open) open.missing = message.others - open.answers.length;
      this.#settle(message.id, 0);
      return;
    }
    const answer = this.#topics.get(message.topic);
    if (answer) this.#send?.({ kind: "answer", id: message.id, to: message.from, value: await answer() });
  }

  #settle(id: string, answered: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    open.missing -= answered;
    if (open.missing <= 0) open.done();
  }
}
