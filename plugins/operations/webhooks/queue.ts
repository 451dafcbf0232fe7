/**
 * What is to be told, as the store keeps it. Events become deliveries, one for each webhook that listens; deliveries are
 * claimed by a lease, called, and noted. Handing out is done by one process at a time, so the numbers of deliveries about
 * a subject follow what happened, and order can be told from them alone. A delivery that waits for a further attempt
 * holds back those behind it about the same subject and takes their dates along, so that looking for what is due never
 * walks over what is not.
 */
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Delivery, Payload, Sent, WebhookRow } from "./contract.ts";

/** Events handed out at once. */
export const BATCH = 200;
/** So many due deliveries of a webhook are looked at for one that nothing holds back. */
const WINDOW = 200;
/** A call holds its row for as long as it may take, and this much longer. */
const LEASE_MARGIN_SECONDS = 10;

/** A delivery that is this process's to make. */
export type Claimed = Delivery & { readonly hook: WebhookRow; readonly payload: Payload };

/** What an attempt comes to. */
export interface AttemptResult {
  readonly state: Delivery["state"];
  /** Before the next attempt, where it waits for one. */
  readonly pauseMs: number;
  /** Empty where the call was taken. */
  readonly error: string;
  readonly status: number | null;
  readonly answer: string;
  readonly sent: Sent;
  readonly durationMs: number;
}

/** How a webhook stands after a call. */
export interface FailureState {
  readonly active: boolean;
  /** Calls in a row that were given up. */
  readonly failures: number;
  /** Minutes since the first call that failed with none taken since; null where the last one was taken. */
  readonly failing_minutes: number | null;
}

type Reader = Pick<Db, "executeQuery">;

const FREE = sql`(leased_until is null or leased_until < now())`;

/** Turns events into one delivery for each webhook that listened when they happened; answers how many events that were. */
export function createDeliveries(db: Db): Promise<number> {
  return db.transaction().execute(async (turn) => {
    // Two processes side by side would number what happened to one item in no order.
    await rows(turn, sql`select pg_advisory_xact_lock(hashtext('lectern_webhooks'))`);
    const handed = await rows(
      turn,
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
    return handed.length;
  });
}

/** Webhooks that have something due, in no order, so that none is always the last. */
export async function webhooksDue(db: Reader): Promise<number[]> {
  const found = await rows<{ id: number }>(
    db,
    sql`select id from webhooks where active and exists (
        select from webhook_deliveries as d where d.webhook_id = webhooks.id and d.state = 'waiting'
          and d.next_at <= now() and ${FREE})
      order by random()`,
  );
  return found.map(({ id }) => id);
}

/** The next call of a webhook that may be made: due, and none before it about the same subject is waiting. */
export async function claim(db: Reader, webhookId: number): Promise<Claimed | undefined> {
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

/** Writes what came of a call, and when those behind it about the same subject are due. */
export async function recordAttempt(
  db: Reader,
  { id, webhook_id, subject }: Claimed,
  { state, pauseMs, error, status, answer, sent, durationMs }: AttemptResult,
): Promise<FailureState | undefined> {
  const behind = sql`webhook_id = ${webhook_id}::integer and state = 'waiting' and subject = ${subject}
    and subject <> '' and id > ${id}::bigint`;
  const next = sql`now() + ${pauseMs}::bigint * interval '1 millisecond'`;
  const followers =
    state === "waiting"
      ? sql`update webhook_deliveries set next_at = ${next} where ${behind}`
      : sql`update webhook_deliveries set next_at = now() where next_at > now()
          and id = (select id from webhook_deliveries where ${behind} order by id limit 1)`;
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

/** Gives a claimed delivery back as if it had not been claimed. */
export async function release(db: Reader, { id }: Claimed): Promise<void> {
  await rows(
    db,
    sql`update webhook_deliveries set leased_until = null, attempts = attempts - 1 where id = ${id}::bigint`,
  );
}
