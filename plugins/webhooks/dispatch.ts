/**
 * Telling webhooks what happened. Events are handed out to those who listen, as rows, and each webhook has lanes of its
 * own that make its calls, so a slow or dead receiver keeps nobody else waiting. Calls about the same subject are made in
 * the order of what happened, each after the one before it has been delivered or given up. A call is claimed by a lease:
 * what a crash cut off is made again when the lease ends, so receivers hear of everything at least once, and tell
 * repetitions by the id of the call.
 */
import { type Log, type OutgoingFetch, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { call, type Outcome } from "./call.ts";
import type { Delivery, Payload, WebhookRow } from "./contract.ts";

/** What dispatching needs of the house. */
export interface DispatchParts {
  readonly db: Pick<Db, "executeQuery">;
  readonly fetch: OutgoingFetch;
  readonly log: Log;
  /** Pauses before a call is made again, in milliseconds; as many as there are further attempts. */
  readonly pausesMs: readonly number[];
  /** After so many calls in a row that were given up, a webhook is switched off. */
  readonly patience: number;
  /** Switches a webhook off, as who looks after webhooks would. */
  switchOff(hook: WebhookRow): Promise<void>;
}

type Claimed = Delivery & { readonly hook: WebhookRow; readonly payload: Payload };

/** Calls of one webhook at a time. */
const LANES = 4;
/** How long what happens is gathered before it is told. */
const GATHER_MS = 100;
const BATCH = 200;
/** A call holds its row for as long as it may take, and this much longer. */
const LEASE_MARGIN_SECONDS = 10;

/** Makes the calls of one process. */
export class Dispatcher {
  readonly #parts: DispatchParts;
  readonly #lanes = new Map<number, number>();
  readonly #running = new Set<Promise<void>>();
  #isOpen = false;
  #handingOut: Promise<void> | undefined;
  #again = false;
  #soon: Timer | undefined;

  constructor(parts: DispatchParts) {
    this.#parts = parts;
  }

  /** Begins, with what was left over from before. */
  start(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** Looks for what is to be done, soon: whoever writes several things in a row is not held up by the calls. */
  wake(): void {
    if (!this.#isOpen) return;
    this.#again = true;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#handingOut ??= this.#track(this.#handOut().finally(() => (this.#handingOut = undefined)));
    }, GATHER_MS);
  }

  /** Takes no more and waits for the calls under way. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#soon);
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  #track(work: Promise<void>): Promise<void> {
    const run = work.catch((error: unknown) => this.#parts.log.error("Cannot tell webhooks", { error }));
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
    return run;
  }

  async #handOut(): Promise<void> {
    while (this.#again && this.#isOpen) {
      this.#again = false;
      while ((await handOut(this.#parts.db)) === BATCH);
      const due = await rows<{ webhook_id: number }>(
        this.#parts.db,
        sql`select distinct webhook_id from webhook_deliveries where state = 'waiting' and next_at <= now()
          and (leased_until is null or leased_until < now())`,
      );
      for (const { webhook_id } of due) this.#open(webhook_id);
    }
  }

  /** Opens a lane for a webhook, unless all it may have are open. */
  #open(webhookId: number): void {
    const open = this.#lanes.get(webhookId) ?? 0;
    if (open >= LANES) return;
    this.#lanes.set(webhookId, open + 1);
    const close = () => {
      const left = (this.#lanes.get(webhookId) ?? 1) - 1;
      if (left > 0) this.#lanes.set(webhookId, left);
      else this.#lanes.delete(webhookId);
    };
    void this.#track(this.#lane(webhookId).finally(close));
  }

  /** Makes the calls of a webhook until none may be made. Where there is one there may be more, so another lane opens. */
  async #lane(webhookId: number): Promise<void> {
    while (this.#isOpen) {
      const claimed = await claim(this.#parts.db, webhookId);
      if (!claimed) return;
      this.#open(webhookId);
      const outcome = await call(this.#parts.fetch, claimed.hook, bodyOf(claimed), String(claimed.id));
      await this.#note(claimed, outcome);
    }
  }

  async #note(claimed: Claimed, outcome: Outcome): Promise<void> {
    const { db, pausesMs } = this.#parts;
    const pause = outcome.mayRetry ? pausesMs[claimed.attempts - 1] : undefined;
    const state = outcome.error === "" ? "delivered" : pause === undefined ? "failed" : "waiting";
    await rows(
      db,
      sql`update webhook_deliveries set state = ${state}, leased_until = null, status = ${outcome.status ?? null}::integer,
        answer = ${outcome.answer}, error = ${outcome.error}, duration_ms = ${outcome.durationMs}::integer, sent_at = now(),
        next_at = now() + ${pause ?? 0}::bigint * interval '1 millisecond'
      where id = ${claimed.id}::bigint`,
    );
    const [hook] = await rows<{ active: boolean; failures: number }>(
      db,
      sql`update webhooks set last_called_at = now(),
        failures = case ${state} when 'delivered' then 0 when 'failed' then failures + 1 else failures end,
        last_errored_at = case when ${outcome.error} = '' then last_errored_at else now() end,
        last_error = case when ${outcome.error} = '' then last_error else ${outcome.error} end
      where id = ${claimed.webhook_id}::integer returning active, failures`,
    );
    if (state === "failed" && hook?.active && hook.failures >= this.#parts.patience)
      await this.#switchOff(claimed.hook);
  }

  async #switchOff(hook: WebhookRow): Promise<void> {
    await this.#parts.switchOff(hook);
    const { id, name } = hook;
    this.#parts.log.warn("A webhook was switched off, as its calls failed for too long", { webhook: id, name });
  }
}

/** Turns events into one delivery for each webhook that listens; answers how many events that were. */
async function handOut(db: Pick<Db, "executeQuery">): Promise<number> {
  const handed = await rows(
    db,
    sql`with taken as (
        select id, type, subject from webhook_events where not dispatched order by id limit ${BATCH} for update skip locked),
      handed as (
        insert into webhook_deliveries (webhook_id, event_id, type, subject)
        select webhooks.id, taken.id, taken.type, taken.subject from taken join webhooks
          on webhooks.active and (webhooks.events @> array[taken.type] or webhooks.events @> array['all'])
        order by taken.id)
      update webhook_events set dispatched = true from taken where webhook_events.id = taken.id returning taken.id`,
  );
  return handed.length;
}

/** The next call of a webhook that may be made: due, and none before it about the same subject is waiting. */
async function claim(db: Pick<Db, "executeQuery">, webhookId: number): Promise<Claimed | undefined> {
  const [claimed] = await rows<Delivery & { hook: WebhookRow; payload: Payload }>(
    db,
    sql`with due as (
        select d.id from webhook_deliveries d
        where d.webhook_id = ${webhookId}::integer and d.state = 'waiting' and d.next_at <= now()
          and (d.leased_until is null or d.leased_until < now())
          and (d.subject = '' or not exists (select from webhook_deliveries e where e.webhook_id = d.webhook_id
            and e.state = 'waiting' and e.subject = d.subject and e.id < d.id))
        order by d.id limit 1 for update skip locked)
      update webhook_deliveries as claimed set attempts = claimed.attempts + 1,
        leased_until = now() + make_interval(secs => hook.timeout + ${LEASE_MARGIN_SECONDS})
      from due, webhooks as hook, webhook_events as event
      where claimed.id = due.id and hook.id = claimed.webhook_id and event.id = claimed.event_id
      returning claimed.*, to_jsonb(hook) as hook, event.payload`,
  );
  return claimed;
}

/** The body of a call: what happened, and whose webhook is told. */
export function bodyOf({ hook: { id, name }, payload }: Pick<Claimed, "hook" | "payload">): string {
  return JSON.stringify({ ...payload, webhook_id: id, webhook_name: name });
}
