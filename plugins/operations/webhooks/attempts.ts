/**
 * The statements of an attempt: its begin, its result, and what becomes of it where the webhook is switched off or the server stops. They
 * keep the log of calls, which says when each is tried next; when it runs is decided by the job of the delivery, whose result follows
 * what is recorded here. A job that runs twice finds its delivery done, and calls nobody.
 */
import type { QueryCreator } from "kysely";
import { sql } from "lectern/core";
import { type Executor, prepared, type Tables } from "lectern/db";
import type { Delivery, Payload, Sent, WebhookRow } from "./contract.ts";
import { HAS_JOB } from "./hand_out.ts";

/** A delivery whose call begins. */
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

/** Counts an attempt and reads what it needs; no row where the webhook is switched off, or the delivery gone or done. */
export const beginAttempt = prepared("webhooks.begin", (db, p: { id: number }) =>
  db
    .updateTable("webhook_deliveries as claimed")
    .from(["webhooks as hook", "webhook_events as event"])
    .set(({ ref }) => ({ attempts: sql<number>`${ref("claimed.attempts")} + 1` }))
    .where("claimed.id", "=", p.id)
    .where("claimed.state", "=", WAITING)
    .whereRef("hook.id", "=", "claimed.webhook_id")
    .where(({ ref }) => ref("hook.active"))
    .whereRef("event.id", "=", "claimed.event_id")
    .returningAll("claimed")
    .returning([sql<WebhookRow>`to_jsonb(${sql.table("hook")})`.as("hook"), "event.payload"]),
);

/**
 * Lets a delivery wait without a job while its webhook is switched off, with those behind it in its order, which would else overtake it
 * when the webhook is switched on. The lock makes it wait for who switches it on. No row where the delivery is gone or done.
 */
export const park = prepared("webhooks.park", (db, p: { id: number }) =>
  db
    .with("hook", (cte) =>
      cte
        .selectFrom("webhooks")
        .innerJoin("webhook_deliveries", "webhook_deliveries.webhook_id", "webhooks.id")
        .select(["webhooks.id", "webhooks.active", "webhook_deliveries.subject"])
        .where("webhook_deliveries.id", "=", p.id)
        .where("webhook_deliveries.state", "=", WAITING)
        .forShare("webhooks"),
    )
    .with("parked", (cte) =>
      cte
        .updateTable("webhook_deliveries")
        .from("hook")
        .set({ leased_until: null })
        .where(({ not, ref }) => not(ref("hook.active")))
        .whereRef("webhook_id", "=", "hook.id")
        .where("state", "=", WAITING)
        .where(({ and, eb, or, ref }) =>
          or([
            eb("webhook_deliveries.id", "=", p.id),
            and([
              eb("webhook_deliveries.subject", "=", ref("hook.subject")),
              eb("webhook_deliveries.subject", "<>", sql.lit("")),
            ]),
          ]),
        ),
    )
    .with("removed", (cte) =>
      cte
        .deleteFrom("jobs")
        .using("hook")
        .where(({ not, ref }) => not(ref("hook.active")))
        .where("name", "=", sql.lit("webhook_deliver"))
        .where(({ eb, ref }) => eb("group_key", "=", sql<string>`${ref("hook.id")}::text`))
        .whereRef("order_key", "=", "hook.subject"),
    )
    .selectFrom("hook")
    .select("active"),
);

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
          leased_until: p.state === "waiting" ? HAS_JOB : null,
          status: p.status,
          answer: p.answer,
          error: p.error,
          sent: sql<Sent>`${p.sent}::text::jsonb`,
          duration_ms: p.durationMs,
          sent_at: NOW,
          next_at: nextAt(p),
        })
        .where("id", "=", p.id)
        // A try beyond its lease may end after the next one.
        .where("state", "=", WAITING),
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

/** An attempt that was aborted by a stop does not count. */
export const undoAttempt = prepared("webhooks.undo", (db, p: { id: number }) =>
  db
    .updateTable("webhook_deliveries")
    .set(({ ref }) => ({ attempts: sql<number>`${ref("attempts")} - 1` }))
    .where("id", "=", p.id),
);
