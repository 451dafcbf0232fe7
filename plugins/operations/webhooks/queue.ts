/**
 * The queue of deliveries in the store. Each recorded event becomes one delivery per subscribed webhook; a delivery is claimed
 * with a lease, called, and its result recorded. One process at a time creates deliveries, so their ids have the order of
 * the events. A delivery that waits for another attempt blocks later ones with the same subject and postpones them too,
 * so the query for due deliveries does not read those that are not due.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Delivery, Payload, Sent, WebhookRow } from "./contract.ts";

/** Events for which deliveries are created at once. */
export const BATCH = 200;
/** Due deliveries of a webhook that are examined for one that is not blocked. */
const WINDOW = 200;
/** A lease lasts for the timeout of the call and this much longer. */
const LEASE_MARGIN_SECONDS = 10;

/** A delivery that this process has claimed. */
export type Claimed = Delivery & { readonly hook: WebhookRow; readonly payload: Payload };

/** The result of an attempt. */
export interface AttemptResult {
  readonly state: Delivery["state"];
  /** Time until the next attempt, if there is one. */
  readonly pauseMs: number;
  /** Empty if the call was delivered. */
  readonly error: string;
  readonly status: number | null;
  readonly answer: string;
  readonly sent: Sent;
  readonly durationMs: number;
}

/** The failures of a webhook after a call. */
export interface FailureState {
  readonly active: boolean;
  /** Consecutive calls that were given up. */
  readonly failures: number;
  /** Minutes since the first failed call since the last delivered one; null if the last call was delivered. */
  readonly failing_minutes: number | null;
}

type Queries = Pick<Db, "executeQuery">;

const FREE = sql`(leased_until is null or leased_until < now())`;

/** Creates one delivery per subscribed webhook for undispatched events, at most BATCH. Returns the number of events. */
export function createDeliveries(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    // Without the lock, two processes could number the events of an item out of order.
    await rows(tx, sql`select pg_advisory_xact_lock(hashtext('lectern_webhooks'))`);
    const dispatched = await rows(
      tx,
      sql`with taken as (
          select id, type, subject, listeners from webhook_events where not dispatched order by id limit ${BATCH}),
        handed as (
          insert into webhook_deliveries (webhook_id, event_id, type, subject, next_at)
          select webhooks.id, taken.id, taken.type, taken.subject, greatest(now(), (
            select ahead.next_at from webhook_deliveries as ahead where ahead.webhook_id = webhooks.id
              and ahead.state = 'waiting' and ahead.subject = taken.subject and taken.subject <> ''
            order by ahead.id limit 1))
          from taken join webhooks on webhooks.id = any(taken.listeners)
          order by taken.id)
        update webhook_events set dispatched = true from taken where webhook_events.id = taken.id returning taken.id`,
    );
    return dispatched.length;
  });
}

/** Ids of webhooks with due deliveries, in random order, so that none is always the last. */
export async function webhooksDue(db: Queries): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select id from webhooks where active and exists (
        select from webhook_deliveries as d where d.webhook_id = webhooks.id and d.state = 'waiting'
          and d.next_at <= now() and ${FREE})
      order by random()`,
  );
  return found.map(({ id }) => id);
}

/** Claims the next delivery of a webhook that is due and not blocked by an earlier one with the same subject. */
export async function claim(db: Queries, webhookId: number): Promise<Claimed | undefined> {
  const [claimed] = await rows<Claimed>(
    db,
    sql`with due as (
        select near.id from (
          select id, subject from webhook_deliveries
          where webhook_id = ${webhookId}::integer and state = 'waiting' and next_at <= now() and ${FREE}
          order by next_at, id limit ${WINDOW} for update skip locked) as near
        where near.subject = '' or not exists (select from webhook_deliveries as ahead
          where ahead.webhook_id = ${webhookId}::integer and ahead.state = 'waiting' and ahead.subject = near.subject
            and ahead.id < near.id)
        limit 1)
      update webhook_deliveries as claimed set attempts = claimed.attempts + 1,
        leased_until = now() + make_interval(secs => hook.timeout + ${LEASE_MARGIN_SECONDS})
      from due, webhooks as hook, webhook_events as event
      where claimed.id = due.id and hook.id = claimed.webhook_id and hook.active and event.id = claimed.event_id
      returning claimed.*, to_jsonb(hook) as hook, event.payload`,
  );
  return claimed;
}

/** Records the result of an attempt, and postpones or releases later deliveries with the same subject. */
export async function recordAttempt(
  db: Queries,
  { id, webhook_id, subject }: Claimed,
  { state, pauseMs, error, status, answer, sent, durationMs }: AttemptResult,
): Promise<FailureState | undefined> {
  const later = sql`webhook_id = ${webhook_id}::integer and state = 'waiting' and subject = ${subject}
    and subject <> '' and id > ${id}::bigint`;
  const next = sql`now() + ${pauseMs}::bigint * interval '1 millisecond'`;
  const followers =
    state === "waiting"
      ? sql`update webhook_deliveries set next_at = ${next} where ${later}`
      : sql`update webhook_deliveries set next_at = now() where next_at > now()
          and id = (select id from webhook_deliveries where ${later} order by id limit 1)`;
  const [failureState] = await rows<FailureState>(
    db,
    sql`with noted as (
        update webhook_deliveries set state = ${state}, leased_until = null, status = ${status}::integer,
          answer = ${answer}, error = ${error}, sent = ${JSON.stringify(sent)}::text::jsonb,
          duration_ms = ${durationMs}::integer, sent_at = now(), next_at = ${next}
        where id = ${id}::bigint),
      behind as (${followers})
      update webhooks set last_called_at = now(),
        failures = case ${state} when 'delivered' then 0 when 'failed' then failures + 1 else failures end,
        failing_since = case when ${error} = '' then null else coalesce(failing_since, now()) end,
        last_errored_at = case when ${error} = '' then last_errored_at else now() end,
        last_error = case when ${error} = '' then last_error else ${error} end
      where id = ${webhook_id}::integer
      returning active, failures, (extract(epoch from now() - failing_since) / 60)::float8 as failing_minutes`,
  );
  return failureState;
}

/** Undoes a claim. */
export async function release(db: Queries, { id }: Claimed): Promise<void> {
  await rows(
    db,
    sql`update webhook_deliveries set leased_until = null, attempts = attempts - 1 where id = ${id}::bigint`,
  );
}
