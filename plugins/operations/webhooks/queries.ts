import { idOf, type ListSpec, notFound, sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type { Delivery, Payload, Webhook, WebhookRow } from "./contract.ts";

type Queries = Pick<Db, "executeQuery">;

const COLUMNS = sql`webhooks.id, webhooks.name, webhooks.endpoint, webhooks.events, webhooks.active, webhooks.timeout,
  webhooks.failures, webhooks.failing_since,
  webhooks.last_called_at, webhooks.last_errored_at, webhooks.last_error, webhooks.created_at,
  webhooks.updated_at`;

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
  columns: COLUMNS,
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
  columns: sql`webhook_deliveries.id, webhook_deliveries.type, webhook_deliveries.state, webhook_deliveries.attempts,
    webhook_deliveries.status, webhook_deliveries.error, webhook_deliveries.duration_ms, webhook_deliveries.next_at,
    webhook_deliveries.sent_at, webhook_deliveries.created_at`,
};

/** Reads a webhook by the id in a path. Throws 404. */
export async function readWebhook(db: Queries, id: string): Promise<Webhook> {
  const [row] = await rows<Webhook>(db, sql`select ${COLUMNS} from webhooks where id = ${idOf(id, "Webhook")}`);
  if (!row) throw notFound("Webhook");
  return row;
}

/** Reads a delivery, with its webhook and the payload of its event, by the ids in a path. Throws 404. */
export async function readDelivery(
  db: Queries,
  params: { id: string; deliveryId: string },
): Promise<Delivery & { hook: WebhookRow; payload: Payload }> {
  const [row] = await rows<Delivery & { hook: WebhookRow; payload: Payload }>(
    db,
    sql`select webhook_deliveries.*, to_jsonb(webhooks) as hook, webhook_events.payload from webhook_deliveries
      join webhooks on webhooks.id = webhook_deliveries.webhook_id
      join webhook_events on webhook_events.id = webhook_deliveries.event_id
      where webhook_deliveries.id = ${idOf(params.deliveryId, "Delivery")}
        and webhooks.id = ${idOf(params.id, "Webhook")}`,
  );
  if (!row) throw notFound("Delivery");
  return row;
}

/** Reads the ids of active webhooks by the types they subscribe to. */
export async function readListeners(db: Queries): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = await rows<{ type: string; ids: number[] }>(
    db,
    sql`select type, array_agg(id) as ids from webhooks, unnest(events) as type where active group by type`,
  );
  return new Map(found.map(({ type, ids }) => [type, ids]));
}
