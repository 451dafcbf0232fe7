/**
 * Hands recorded events out: each becomes one delivery per subscribed webhook, with a job that makes the call (`deliver.ts`). One process
 * at a time does so, so the ids of deliveries and jobs have the order of the events. A delivery that has a job is leased for ever,
 * which servers of a version without such jobs do not touch.
 */
import type { Expression } from "kysely";
import { jobNotice, sql } from "lectern/core";
import { type Db, type Executor, prepared } from "lectern/db";

/** Events that are handed out at once. */
const BATCH = 200;
/** A try of a job lasts for the timeout of the call and this much longer. */
export const LEASE_MARGIN_SECONDS = 10;

const NOW = sql<string>`now()`;
const WAITING = sql.lit<"waiting">("waiting");
/** The lease of a delivery that has a job. */
export const HAS_JOB = sql<string>`'infinity'::timestamptz`;

/** Without the lock, two processes could number the events of an item out of order. */
const lockHandOut = prepared("webhooks.lockHandOut", (db) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtext('lectern_webhooks'))`.as("locked")),
);

/** Deliveries about a thing whose calls servers of a version without jobs have begun: later ones wait for their leases to end. */
function begunAhead(webhookId: Expression<number>, subject: Expression<string>) {
  return sql<unknown>`(select from webhook_deliveries as begun where begun.webhook_id = ${webhookId}
    and begun.subject = ${subject} and begun.subject <> '' and begun.state = 'waiting' and begun.leased_until < ${HAS_JOB})`;
}

const handOut = prepared("webhooks.handOut", (db) =>
  db
    .with("taken", (cte) =>
      cte
        .selectFrom("webhook_events")
        .select(["id", "type", "subject", "listeners"])
        .where(({ not, ref }) => not(ref("dispatched")))
        .orderBy("id")
        .limit(sql.lit(BATCH)),
    )
    .with("made", (cte) =>
      cte
        .insertInto("webhook_deliveries")
        .columns(["webhook_id", "event_id", "type", "subject", "leased_until", "next_at"])
        .expression((eb) =>
          eb
            .selectFrom("taken")
            .innerJoin("webhooks", (join) =>
              join.on(({ ref }) => sql<boolean>`${ref("webhooks.id")} = any(${ref("taken.listeners")})`),
            )
            .select(["webhooks.id as webhook_id", "taken.id as event_id", "taken.type", "taken.subject"])
            .select((outer) =>
              outer
                .case()
                .when(
                  outer.and([
                    outer.ref("webhooks.active"),
                    outer.not(outer.exists(begunAhead(outer.ref("webhooks.id"), outer.ref("taken.subject")))),
                  ]),
                )
                .then(HAS_JOB)
                .else(null)
                .end()
                .as("leased_until"),
            )
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
        )
        .returning(["id", "webhook_id", "subject", "next_at", "leased_until"]),
    )
    .with("left", (cte) =>
      cte
        .selectFrom("webhook_deliveries")
        .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
        .select("webhook_deliveries.id")
        .where("webhook_deliveries.state", "=", WAITING)
        .where("webhook_deliveries.leased_until", "is", null)
        .where(({ ref }) => ref("webhooks.active"))
        .where(({ exists, not, ref }) =>
          not(exists(begunAhead(ref("webhook_deliveries.webhook_id"), ref("webhook_deliveries.subject")))),
        )
        .forUpdate("webhook_deliveries"),
    )
    .with("adopted", (cte) =>
      cte
        .updateTable("webhook_deliveries")
        .from("left")
        .set({ leased_until: HAS_JOB })
        .whereRef("webhook_deliveries.id", "=", "left.id")
        .returning(["webhook_deliveries.id", "webhook_id", "subject", "next_at"]),
    )
    .with("enqueued", (cte) =>
      cte
        .insertInto("jobs")
        .columns(["name", "payload", "group_key", "order_key", "lease_ms", "run_at"])
        .expression((eb) =>
          eb
            .selectFrom((from) =>
              from
                .selectFrom("made")
                .select(["made.id", "made.webhook_id", "made.subject", "made.next_at"])
                .where("made.leased_until", "is not", null)
                .unionAll((also) =>
                  also
                    .selectFrom("adopted")
                    .select(["adopted.id", "adopted.webhook_id", "adopted.subject", "adopted.next_at"]),
                )
                .as("delivery"),
            )
            .innerJoin("webhooks", "webhooks.id", "delivery.webhook_id")
            .select(({ ref }) => [
              sql.lit("webhook_deliver").as("name"),
              sql`jsonb_build_object('id', ${ref("delivery.id")})`.as("payload"),
              sql<string>`${ref("delivery.webhook_id")}::text`.as("group_key"),
              sql<string | null>`nullif(${ref("delivery.subject")}, '')`.as("order_key"),
              sql<number>`(${ref("webhooks.timeout")} + ${sql.lit(LEASE_MARGIN_SECONDS)}) * 1000`.as("lease_ms"),
              "delivery.next_at as run_at",
            ])
            .orderBy("delivery.id"),
        )
        .returning(jobNotice("webhook_deliver").as("notified")),
    )
    .updateTable("webhook_events")
    .from("taken")
    .set({ dispatched: sql.lit(true) })
    .whereRef("webhook_events.id", "=", "taken.id")
    .returning("taken.id"),
);

/** Hands out at most BATCH events, and gives waiting deliveries a job that have none. Returns the number of events. */
export function handOutBatch(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockHandOut.execute(tx, {});
    return (await handOut.execute(tx, {})).length;
  });
}

/** Hands out all events. */
export async function handOutAll(db: Db): Promise<void> {
  while ((await handOutBatch(db)) === BATCH);
}

/** Takes deliveries back whose calls a server of a version without jobs began, and has not ended within its lease. */
const takeBack = prepared("webhooks.takeBack", (db) =>
  db
    .updateTable("webhook_deliveries")
    .set({ leased_until: null })
    .where("state", "=", WAITING)
    .where("leased_until", "<", HAS_JOB)
    .where("leased_until", "<", NOW),
);

const leaseEnd = prepared("webhooks.leaseEnd", (db) =>
  db
    .selectFrom("webhook_deliveries")
    .select(sql<number | null>`ceil(extract(epoch from min(leased_until) - now()) * 1000)::float8`.as("ms"))
    .where("state", "=", WAITING)
    .where("leased_until", "<", HAS_JOB),
);

/**
 * Hands out what servers that were killed have left, of a version without jobs too. Returns the milliseconds until more of that is to be
 * taken back; undefined where there is no more.
 */
export async function handOutLeft(db: Db): Promise<number | undefined> {
  await takeBack.execute(db, {});
  await handOutAll(db);
  const end = await leaseEnd.executeTakeFirst(db, {});
  return end?.ms ?? undefined;
}

/** What waits for another try: the deliveries of a webhook, or one of them. */
interface Waiting {
  readonly webhookId: number;
  readonly id: number | null;
}

const deliveriesDue = prepared("webhooks.deliveriesDue", (db, p: Waiting) =>
  db
    .updateTable("webhook_deliveries")
    .set({ next_at: NOW })
    .where("webhook_id", "=", p.webhookId)
    .where("state", "=", WAITING)
    .where("next_at", ">", NOW)
    .where(sql<boolean>`(${p.id}::bigint is null or id = ${p.id}::bigint)`),
);

const jobsDue = prepared("webhooks.jobsDue", (db, p: Waiting) =>
  db
    .updateTable("jobs")
    .set({ run_at: NOW })
    .where("name", "=", sql.lit("webhook_deliver"))
    .where("group_key", "=", sql<string>`${p.webhookId}::integer::text`)
    .where("run_at", ">", NOW)
    .where(sql<boolean>`(${p.id}::bigint is null or (payload ->> 'id')::bigint = ${p.id}::bigint)`)
    .returning(jobNotice("webhook_deliver").as("notified")),
);

/** Makes due what waits for another try. */
export async function makeDue(db: Executor, waiting: Waiting): Promise<void> {
  await deliveriesDue.execute(db, waiting);
  await jobsDue.execute(db, waiting);
}
