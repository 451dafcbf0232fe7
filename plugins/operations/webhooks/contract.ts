/**
 * The interface of webhooks: tables (webhooks, recorded events, deliveries), rules of requests, events of plugins. The secret
 * of a webhook is in its row; it is sent once, in the answer that creates it, and is the key of signatures.
 */
import type { Generated, Selectable } from "kysely";
import {
  type Input,
  idSchema,
  listingSchema,
  nullable,
  type PluginContext,
  rules,
  type Static,
  t,
  timesFields,
  timestampSchema,
} from "lectern/core";

/** Addresses that are called for events. */
export interface WebhooksTable {
  id: Generated<number>;
  name: string;
  endpoint: string;
  /** Types of the audit log (platform 6.2), or "all" alone. */
  events: string[];
  active: Generated<boolean>;
  /** Timeout of a call in seconds. */
  timeout: number;
  /** The key of signatures; stored as it is, since it is needed to sign. */
  secret: string;
  /** Consecutive calls that were given up. */
  failures: Generated<number>;
  /** Time of the first failed call since the last delivered one; null if the last call was delivered. */
  failing_since: string | null;
  last_called_at: string | null;
  last_errored_at: string | null;
  last_error: Generated<string>;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** Recorded events, kept as long as a delivery needs their payload. */
export interface WebhookEventsTable {
  id: Generated<number>;
  type: string;
  /** Events with the same subject, such as "page 7", are delivered in order; empty for none. */
  subject: string;
  /** The payload, with placeholders for id and name of the webhook. */
  payload: Payload;
  /** Ids of the webhooks that subscribed to the type when the event happened. */
  listeners: readonly number[];
  /** Whether its deliveries were created. */
  dispatched: Generated<boolean>;
  created_at: Generated<string>;
}

/** A call to a webhook, pending or made. */
export interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  event_id: number;
  type: string;
  subject: string;
  state: Generated<"waiting" | "delivered" | "failed">;
  attempts: Generated<number>;
  next_at: Generated<string>;
  leased_until: string | null;
  /** Response status of the last attempt; null without a response. */
  status: number | null;
  /** The beginning of the response. */
  answer: Generated<string>;
  error: Generated<string>;
  /** Duration of the last attempt. */
  duration_ms: number | null;
  sent_at: string | null;
  /** The request of the last attempt; null before the first. */
  sent: Sent | null;
  created_at: Generated<string>;
}

/** A request as sent, without its body. */
export interface Sent {
  readonly address: string;
  /** The webhook's name at the time. */
  readonly name: string;
  /** Without the signatures. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A webhook as stored. */
export type WebhookRow = Selectable<WebhooksTable>;
/** A webhook without its secret, as answers show it; the result of its events. */
export type Webhook = Omit<WebhookRow, "secret">;
/** A delivery as stored. */
export type Delivery = Selectable<WebhookDeliveriesTable>;

const shared = {
  active: ["boolean"],
  timeout: ["integer", "min:1", "max:600"],
  secret: ["string", "min:16", "max:200"],
} as const;

/** Rules of a new webhook (platform 10.1; `timeout` and `active` are optional here). */
export const createRules = rules({
  name: ["required", "string", "max:150"],
  endpoint: ["required", "string", "max:500"],
  events: ["required", "array"],
  "events.*": ["string"],
  ...shared,
});

/** Rules of an update. */
export const updateRules = rules({
  name: ["string", "min:1", "max:150"],
  endpoint: ["string", "min:1", "max:500"],
  events: ["array"],
  "events.*": ["string"],
  ...shared,
});

/** What the documentation says beside the rules. */
export const bodyFields = {
  endpoint: { format: "uri", pattern: "^https?://" },
  events: { minItems: 1, items: { type: "string", description: "all, or types that GET /api/webhooks/events lists" } },
};

/** The fields of a new webhook. */
export type WebhookCreate = Input<typeof createRules>;
/** The fields of an update; absent ones are unchanged. */
export type WebhookUpdate = Input<typeof updateRules>;

/**
 * The body of a call (platform 10.3), one for all webhooks: `webhook_id` and `webhook_name` are placeholders, which are
 * replaced for each webhook. A payload without these keys is sent without them.
 */
export type Payload = Readonly<Record<string, unknown>> & { readonly event: string };

/** A call to a single webhook, before it is recorded. */
export interface WebhookCall {
  /** The type of the audit log, such as "book_create". */
  readonly event: string;
  readonly webhook: Webhook;
  /** The affected item as listings show it; the detail of the audit log if there is no item. */
  readonly detail: Readonly<Record<string, unknown>> | string;
  readonly initiator: { readonly id: number; readonly name: string; readonly slug: string };
  /** Time of the event, in seconds since 1970. */
  readonly time: number;
  readonly payload: Payload;
}

/** The context that the files of this plugin share, with what `setup` adds. */
export interface WebhooksContext
  extends PluginContext<
    "traces" | "users",
    "webhooks" | "webhook_events" | "webhook_deliveries" | "users" | "page_revisions" | "jobs"
  > {
  /** Whether a webhook can subscribe to a type of the audit log. */
  isKnownType(type: string): boolean;
  /** Has what was recorded, and what waits without a job, handed out soon. */
  handOutSoon(): void;
}

const webhookFields = {
  id: idSchema,
  name: t.String(),
  endpoint: t.String(),
  events: t.Array(t.String()),
  active: t.Boolean(),
  timeout: t.Integer({ description: "Seconds" }),
  failures: t.Integer({ description: "Consecutive calls that were given up" }),
  failing_since: nullable(timestampSchema),
  last_called_at: nullable(timestampSchema),
  last_errored_at: nullable(timestampSchema),
  last_error: t.String(),
  ...timesFields,
};
const webhook = t.Object(webhookFields, { $id: "Webhook" });

/** The answers about webhooks; only that of a create has the secret (platform 10). */
export const webhookAnswers = {
  list: listingSchema(webhook),
  create: t.Object({ ...webhookFields, secret: t.String() }, { $id: "CreatedWebhook" }),
  read: webhook,
  update: webhook,
};

const deliveryFields = {
  id: idSchema,
  type: t.String(),
  state: t.Union([t.Literal("waiting"), t.Literal("delivered"), t.Literal("failed")]),
  attempts: t.Integer(),
  status: nullable(t.Integer()),
  error: t.String(),
  duration_ms: nullable(t.Number()),
  next_at: timestampSchema,
  sent_at: nullable(timestampSchema),
  created_at: timestampSchema,
};

/** The listing of a webhook's calls. */
export const deliveryListingSchema = listingSchema(t.Object(deliveryFields, { $id: "DeliveryListItem" }));

/** A call with its request and response. */
export const deliverySchema = t.Object(
  {
    ...deliveryFields,
    answer: t.String({ description: "The beginning of the response" }),
    request: t.Object({
      address: t.String(),
      name: t.String(),
      headers: nullable(t.Unsafe<Readonly<Record<string, string>>>(t.Record(t.String(), t.String()))),
      body: t.Unknown(),
    }),
  },
  { $id: "Delivery" },
);

/** A call that is waiting to be sent again. */
export const resentDeliverySchema = t.Object({ id: idSchema, state: t.String() }, { $id: "ResentDelivery" });

/** The types of events that webhooks can subscribe to. */
export const eventTypesSchema = t.Object(
  {
    events: t.Array(
      t.Object({
        type: t.String(),
        text: t.String(),
        section: t.Optional(t.String({ description: "Heading of its group, for types of plugins" })),
      }),
    ),
  },
  { $id: "EventTypes" },
);

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/webhooks": Static<typeof webhookAnswers.create>;
    "/api/webhooks": Static<typeof webhookAnswers.list>;
    "/api/webhooks/events": Static<typeof eventTypesSchema>;
    [webhook: `/api/webhooks/${number}`]: Static<typeof webhookAnswers.read>;
    [deliveries: `/api/webhooks/${number}/deliveries`]: Static<typeof deliveryListingSchema>;
    [delivery: `/api/webhooks/${number}/deliveries/${number}`]: Static<typeof deliverySchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    webhooks: WebhooksTable;
    webhook_events: WebhookEventsTable;
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

declare module "lectern/core" {
  interface Jobs {
    /** Makes the call of a delivery. */
    webhook_deliver: { readonly id: number };
    /** Hands out what is recorded. */
    webhook_hand_out: Record<string, never>;
  }
  interface Events {
    webhook_create: { draft: WebhookCreate; result: Webhook };
    webhook_update: { draft: { row: Webhook; draft: WebhookUpdate }; result: Webhook };
    webhook_delete: { draft: Webhook; result: Webhook };
    /** Before an event is delivered to webhooks: filters may change the payload (platform 10.4). */
    webhook_call: { draft: Payload; result: Payload };
    /** After that for each subscribed webhook: filters may change its payload. */
    webhook_call_before: { draft: WebhookCall; result: WebhookCall };
  }
}
