/**
 * The reads of webhooks and deliveries for routes and for recording. The secret of a webhook is read only beside a delivery,
 * whose request is shown as it would be sent, and by the queue, which signs.
 */
import type { Metric } from "lectern/contracts";
import { idOf, type ListSpec, notFound, sql } from "lectern/core";
import { type Executor, prepared, refs } from "lectern/db";
import type { Delivery, Payload, Webhook, WebhookRow } from "./contract.ts";

/** All columns but the secret. */
const COLUMNS = [
  "webhooks.id",
  "webhooks.name",
  "webhooks.endpoint",
  "webhooks.events",
  "webhooks.active",
  "webhooks.timeout",
  "webhooks.failures",
  "webhooks.failing_since",
  "webhooks.last_called_at",
  "webhooks.last_errored_at",
  "webhooks.last_error",
  "webhooks.created_at",
  "webhooks.updated_at",
] as const;

const countDeliveries = prepared("webhooks.countDeliveries", (db, _p: Record<never, never>) =>
  db
    .selectFrom("webhook_deliveries")
    .select(["state", (eb) => eb.fn.countAll<string>().as("count")])
    .groupBy("state"),
);

/** The number of calls by state, for monitoring. */
export function deliveriesMetric(db: Executor): Metric {
  return {
    name: "lectern_webhook_deliveries",
    help: "Calls of webhooks that are kept, by state.",
    type: "gauge",
    labels: ["state"],
    async read() {
      const found = await countDeliveries.execute(db, {});
      return found.map(({ state, count }) => ({ labels: { state }, value: Number(count) }));
    },
  };
}

/** The listing of webhooks. */
export const WEBHOOKS: ListSpec = {
  table: "webhooks",
  fields: {
    id: "integer",
    name: "text",
    endpoint: "code",
    active: "boolean",
    timeout: "integer",
    failures: "integer",
    last_called_at: { type: "timestamp", nullable: true },
    last_errored_at: { type: "timestamp", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: refs(...COLUMNS),
};

/** The listing of deliveries. */
export const DELIVERIES: ListSpec = {
  table: "webhook_deliveries",
  fields: {
    id: "integer",
    type: "code",
    state: "code",
    attempts: "integer",
    status: { type: "integer", nullable: true },
    created_at: "timestamp",
    sent_at: { type: "timestamp", nullable: true },
  },
  columns: refs(
    "webhook_deliveries.id",
    "webhook_deliveries.type",
    "webhook_deliveries.state",
    "webhook_deliveries.attempts",
    "webhook_deliveries.status",
    "webhook_deliveries.error",
    "webhook_deliveries.duration_ms",
    "webhook_deliveries.next_at",
    "webhook_deliveries.sent_at",
    "webhook_deliveries.created_at",
  ),
};

const findWebhook = prepared("webhooks.find", (db, p: { id: number }) =>
  db.selectFrom("webhooks").select(COLUMNS).where("webhooks.id", "=", p.id),
);

/** Reads a webhook by the id in a path. Throws 404. */
export async function readWebhook(db: Executor, id: string): Promise<Webhook> {
  const row = await findWebhook.executeTakeFirst(db, { id: idOf(id, "Webhook") });
  if (!row) throw notFound("Webhook");
  return row;
}

const findDelivery = prepared("webhooks.findDelivery", (db, p: { id: number; webhookId: number }) =>
  db
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .innerJoin("webhook_events", "webhook_events.id", "webhook_deliveries.event_id")
    .selectAll("webhook_deliveries")
    .select([sql<WebhookRow>`to_jsonb(${sql.table("webhooks")})`.as("hook"), "webhook_events.payload"])
    .where("webhook_deliveries.id", "=", p.id)
    .where("webhooks.id", "=", p.webhookId),
);

/** Reads a delivery, with its webhook and the payload of its event, by the ids in a path. Throws 404. */
export async function readDelivery(
  db: Executor,
  params: { id: string; deliveryId: string },
): Promise<Delivery & { hook: WebhookRow; payload: Payload }> {
  const ids = { id: idOf(params.deliveryId, "Delivery"), webhookId: idOf(params.id, "Webhook") };
  const row = await findDelivery.executeTakeFirst(db, ids);
  if (!row) throw notFound("Delivery");
  return row;
}

const findListeners = prepared("webhooks.findListeners", (db) =>
  db
    .selectFrom("webhooks")
    .crossJoin(sql<{ type: string }>`unnest(${refs("webhooks.events")})`.as<"listened">(sql`listened(type)`))
    .select(({ fn }) => ["listened.type", fn.agg<number[]>("array_agg", ["webhooks.id"]).as("ids")])
    .where(({ ref }) => ref("webhooks.active"))
    .groupBy("listened.type"),
);

/** Reads the ids of active webhooks by the types they subscribe to. */
export async function readListeners(db: Executor): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = await findListeners.execute(db, {});
  return new Map(found.map(({ type, ids }) => [type, ids]));
}
