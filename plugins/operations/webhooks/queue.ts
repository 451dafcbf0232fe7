/**
 * The queue of deliveries in the store. Each recorded event becomes one delivery per subscribed webhook; a delivery is claimed
 * with a lease, called, and its result recorded. One process at a time creates deliveries, so their ids have the order of
 * the events. A delivery that waits for another attempt blocks later ones with the same subject and postpones them too,
 * so the query for due deliveries does not read those that are not due.
 */
import type { QueryCreator } from "kysely";
import { sql } from "lectern/core";
import { type Db, type Executor, prepared, type Tables } from "lectern/db";
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

const NOW = sql<string>`now()`;
const WAITING = sql.lit<"waiting">("waiting");

/** Without the lock, two processes could number the events of an item out of order. */
const lockDispatch = prepared("webhooks.lockDispatch", (db) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtext('lectern_webhooks'))`.as("locked")),
);

const dispatch = prepared("webhooks.dispatch", (db) =>
  db
    .with("taken", (cte) =>
      cte
        .selectFrom("webhook_events")
        .select(["id", "type", "subject", "listeners"])
        .where(({ not, ref }) => not(ref("dispatched")))
        .orderBy("id")
        .limit(sql.lit(BATCH)),
    )
    .with("handed", (cte) =>
      cte
        .insertInto("webhook_deliveries")
        .columns(["webhook_id", "event_id", "type", "subject", "next_at"])
        .expression((eb) =>
          eb
            .selectFrom("taken")
            .innerJoin("webhooks", (join) =>
              join.on(({ ref }) => sql<boolean>`${ref("webhooks.id")} = any(${ref("taken.listeners")})`),
            )
            .select(["webhooks.id as webhook_id", "taken.id as event_id", "taken.type", "taken.subject"])
            .select((outer) => {
              const ahead = outer
                .selectFrom("webhook_deliveries as ahead")
                .select("ahead.next_at")
                .whereRef("ahead.webhook_id", "=", "webhooks.id")
                .where("ahead.state", "=", WAITING)
                .whereRef("ahead.subject", "=", "taken.subject")
                .where("taken.subject", "<>", sql.lit(""))
                .orderBy("ahead.id")
                .limit(sql.lit(1));
              return outer.fn<string>("greatest", [NOW, ahead]).as("next_at");
            })
            .orderBy("taken.id"),
        ),
    )
    .updateTable("webhook_events")
    .from("taken")
    .set({ dispatched: sql.lit(true) })
    .whereRef("webhook_events.id", "=", "taken.id")
    .returning("taken.id"),
);

/** Creates one delivery per subscribed webhook for undispatched events, at most BATCH. Returns the number of events. */
export function createDeliveries(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockDispatch.execute(tx, {});
    return (await dispatch.execute(tx, {})).length;
  });
}

const findDue = prepared("webhooks.findDue", (db) =>
  db
    .selectFrom("webhooks")
    .select("id")
    .where(({ ref }) => ref("active"))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("webhook_deliveries as d")
          .whereRef("d.webhook_id", "=", "webhooks.id")
          .where("d.state", "=", WAITING)
          .where("d.next_at", "<=", NOW)
          .where(({ or, eb }) => or([eb("d.leased_until", "is", null), eb("d.leased_until", "<", NOW)])),
      ),
    )
    .orderBy(sql`random()`),
);

/** Ids of webhooks with due deliveries, in random order, so that none is always the last. */
export async function webhooksDue(db: Executor): Promise<number[]> {
  return (await findDue.execute(db, {})).map(({ id }) => id);
}

const claimNext = prepared("webhooks.claim", (db, p: { webhookId: number }) =>
  db
    .with("due", (cte) =>
      cte
        .selectFrom((eb) =>
          eb
            .selectFrom("webhook_deliveries")
            .select(["id", "subject"])
            .where("webhook_id", "=", p.webhookId)
            .where("state", "=", WAITING)
            .where("next_at", "<=", NOW)
            .where(({ or, eb: column }) => or([column("leased_until", "is", null), column("leased_until", "<", NOW)]))
            .orderBy("next_at")
            .orderBy("id")
            .limit(sql.lit(WINDOW))
            .forUpdate()
            .skipLocked()
            .as("near"),
        )
        .select("near.id")
        .where(({ or, eb, not, exists, selectFrom }) =>
          or([
            eb("near.subject", "=", sql.lit("")),
            not(
              exists(
                selectFrom("webhook_deliveries as ahead")
                  .where("ahead.webhook_id", "=", p.webhookId)
                  .where("ahead.state", "=", WAITING)
                  .whereRef("ahead.subject", "=", "near.subject")
                  .whereRef("ahead.id", "<", "near.id"),
              ),
            ),
          ]),
        )
        .limit(sql.lit(1)),
    )
    .updateTable("webhook_deliveries as claimed")
    .from(["due", "webhooks as hook", "webhook_events as event"])
    .set(({ ref }) => ({
      attempts: sql<number>`${ref("claimed.attempts")} + 1`,
      leased_until: sql<string>`now() + make_interval(secs => ${ref("hook.timeout")} + ${sql.lit(LEASE_MARGIN_SECONDS)})`,
    }))
    .whereRef("claimed.id", "=", "due.id")
    .whereRef("hook.id", "=", "claimed.webhook_id")
    .where(({ ref }) => ref("hook.active"))
    .whereRef("event.id", "=", "claimed.event_id")
    .returningAll("claimed")
    .returning([sql<WebhookRow>`to_jsonb(${sql.table("hook")})`.as("hook"), "event.payload"]),
);

/** Claims the next delivery of a webhook that is due and not blocked by an earlier one with the same subject. */
export function claim(db: Executor, webhookId: number): Promise<Claimed | undefined> {
  return claimNext.executeTakeFirst(db, { webhookId });
}

/** The parameters of the statements that record an attempt. */
interface Attempt extends Omit<AttemptResult, "sent"> {
  readonly id: number;
  readonly webhookId: number;
  readonly subject: string;
  /** JSON. */
  readonly sent: string;
}

/** Later deliveries wait as long as this one. */
const recordWaiting = prepared("webhooks.recordWaiting", (db, p: Attempt) =>
  attemptRecorded(
    db.with("behind", (cte) =>
      cte
        .updateTable("webhook_deliveries")
        .set({ next_at: nextAt(p) })
        .where("webhook_id", "=", p.webhookId)
        .where("state", "=", WAITING)
        .where("subject", "=", p.subject)
        .where("subject", "<>", sql.lit(""))
        .where("id", ">", p.id),
    ),
    p,
  ),
);

/** The next delivery becomes due. */
const recordFinal = prepared("webhooks.recordFinal", (db, p: Attempt) =>
  attemptRecorded(
    db.with("behind", (cte) =>
      cte
        .updateTable("webhook_deliveries")
        .set({ next_at: NOW })
        .where("next_at", ">", NOW)
        .where("id", "=", (eb) =>
          eb
            .selectFrom("webhook_deliveries")
            .select("id")
            .where("webhook_id", "=", p.webhookId)
            .where("state", "=", WAITING)
            .where("subject", "=", p.subject)
            .where("subject", "<>", sql.lit(""))
            .where("id", ">", p.id)
            .orderBy("id")
            .limit(sql.lit(1)),
        ),
    ),
    p,
  ),
);

function nextAt({ pauseMs }: Attempt) {
  return sql<string>`now() + ${pauseMs}::bigint * interval '1 millisecond'`;
}

/** Writes the attempt to the delivery and its webhook. */
function attemptRecorded(db: QueryCreator<Tables>, p: Attempt) {
  const succeeded = sql<boolean>`${p.error} = ''`;
  return db
    .with("noted", (cte) =>
      cte
        .updateTable("webhook_deliveries")
        .set({
          state: p.state,
          leased_until: null,
          status: p.status,
          answer: p.answer,
          error: p.error,
          sent: sql<Sent>`${p.sent}::text::jsonb`,
          duration_ms: p.durationMs,
          sent_at: NOW,
          next_at: nextAt(p),
        })
        .where("id", "=", p.id),
    )
    .updateTable("webhooks")
    .set(({ ref }) => ({
      last_called_at: NOW,
      failures: sql<number>`case ${p.state} when 'delivered' then 0 when 'failed' then ${ref("failures")} + 1
        else ${ref("failures")} end`,
      failing_since: sql<
        string | null
      >`case when ${succeeded} then null else coalesce(${ref("failing_since")}, now()) end`,
      last_errored_at: sql<string | null>`case when ${succeeded} then ${ref("last_errored_at")} else now() end`,
      last_error: sql<string>`case when ${succeeded} then ${ref("last_error")} else ${p.error} end`,
    }))
    .where("id", "=", p.webhookId)
    .returning(["active", "failures"])
    .returning(({ ref }) =>
      sql<number | null>`(extract(epoch from now() - ${ref("failing_since")}) / 60)::float8`.as("failing_minutes"),
    );
}

/** Records the result of an attempt, and postpones or releases later deliveries with the same subject. */
export function recordAttempt(
  db: Executor,
  { id, webhook_id: webhookId, subject }: Claimed,
  result: AttemptResult,
): Promise<FailureState | undefined> {
  const statement = result.state === "waiting" ? recordWaiting : recordFinal;
  return statement.executeTakeFirst(db, { ...result, id, webhookId, subject, sent: JSON.stringify(result.sent) });
}

const undoClaim = prepared("webhooks.undoClaim", (db, p: { id: number }) =>
  db
    .updateTable("webhook_deliveries")
    .set(({ ref }) => ({ leased_until: null, attempts: sql<number>`${ref("attempts")} - 1` }))
    .where("id", "=", p.id),
);

/** Undoes a claim. */
export async function release(db: Executor, { id }: Claimed): Promise<void> {
  await undoClaim.execute(db, { id });
}
