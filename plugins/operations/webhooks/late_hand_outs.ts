/**
 * The hand-out of events whose server is killed between their commit and its own hand-out: a job, written with an event, that any
 * server does some seconds later. One job is for all events that its server records within a few seconds.
 */
import type { EventTransaction } from "lectern/core";

/** Milliseconds from an event to the hand-out by a job. */
const LATE_MS = 15_000;
/** Milliseconds for which events need no further job: so much less that their transactions have ended when the job begins. */
const COVERED_MS = 5_000;

/** Returns what is called in the transaction of each event. */
export function lateHandOuts(): (tx: Pick<EventTransaction, "enqueue" | "afterCommit">) => Promise<void> {
  let coveredUntil = Number.NEGATIVE_INFINITY;
  return async (tx) => {
    const now = performance.now();
    if (now < coveredUntil) return;
    await tx.enqueue("webhook_hand_out", {}, { delayMs: LATE_MS });
    tx.afterCommit(() => {
      coveredUntil = now + COVERED_MS;
    });
  };
}
