/**
 * The job of a delivery: one attempt of its call. Its group is the webhook, so a slow or dead receiver does not delay the others, and its
 * order the subject, so calls about one thing are made in the order of events, each after the previous one was delivered or given
 * up. A call aborted by a crash is repeated when the lease of its job ends, so delivery is at least once; receivers detect repetitions by
 * the id of the call.
 */
import { type JobHandler, type Log, Semaphore } from "lectern/core";
import type { Db } from "lectern/db";
import {
  type AttemptResult,
  beginAttempt,
  type Claimed,
  type FailureState,
  park,
  recordAttempt,
  undoAttempt,
} from "./attempts.ts";
import { call, type DeliveryOptions, type Outcome } from "./call.ts";
import type { WebhookRow } from "./contract.ts";

/** What deliveries are made with. */
export interface DelivererOptions {
  readonly db: Db;
  readonly calling: DeliveryOptions;
  readonly log: Log;
  /** Pauses before each further attempt of a call, in milliseconds. */
  readonly pausesMs: readonly number[];
  /** A webhook is switched off after this many consecutive calls given up, and minutes without a delivered one. */
  readonly patience: { readonly calls: number; readonly minutes: number };
  /** Switches a webhook off by an event. */
  switchOff(hook: WebhookRow): Promise<void>;
}

/** Delivers one call. */
export function deliverer(options: DelivererOptions): JobHandler<{ readonly id: number }> {
  const { db, calling } = options;
  // One statement of all calls at a time, so that requests do not wait for connections; this bounds the calls per second.
  const statements = new Semaphore({ permits: 1 });
  return async ({ id }, { signal }) => {
    const claimed = await statements.run(() => beginAttempt.executeTakeFirst(db, { id }));
    if (!claimed) {
      const hook = await statements.run(() => park.executeTakeFirst(db, { id }));
      // Switched on between the two statements.
      return hook?.active ? { againMs: 0 } : undefined;
    }
    const outcome = await call(calling, claimed, signal);
    if (outcome === "aborted") {
      await undoAttempt.execute(db, { id });
      return { againMs: 0 };
    }
    const result = resultOf(outcome, claimed, options);
    const failures = await statements.run(() => recordAttempt(db, claimed, result));
    if (result.state === "delivered") return undefined;
    if (result.state === "waiting") return { againMs: result.pauseMs };
    if (failures) await switchOffLost(claimed.hook, failures, options);
    return {};
  };
}

function resultOf(
  { mayRetry, status, ...outcome }: Outcome,
  { attempts }: Claimed,
  { pausesMs }: DelivererOptions,
): AttemptResult {
  const pauseMs = mayRetry ? pausesMs[attempts - 1] : undefined;
  const state = outcome.error === "" ? "delivered" : pauseMs === undefined ? "failed" : "waiting";
  return { ...outcome, status: status ?? null, state, pauseMs: pauseMs ?? 0 };
}

async function switchOffLost(
  hook: WebhookRow,
  { active, failures, failing_minutes }: FailureState,
  { log, patience, switchOff }: DelivererOptions,
): Promise<void> {
  if (!active || failures < patience.calls || (failing_minutes ?? 0) < patience.minutes) return;
  await switchOff(hook);
  const { id, name } = hook;
  log.warn("A webhook was switched off because its calls failed for too long", { webhook: id, name });
}
