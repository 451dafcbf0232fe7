/**
 * What the plugin keeps and what passes between its parts: webhooks, what happened and is to be told, and each call about
 * it; the bodies of its routes; the events others may take part in. A webhook's secret is in its row and leaves it twice:
 * in the answer that makes it, and as the key of a signature.
 */
import type { Generated, Selectable } from "kysely";
import { type Input, rules } from "lectern/core";

/** Addresses that are told of what happens. */
export interface WebhooksTable {
  id: Generated<number>;
  name: string;
  endpoint: string;
  /** Types of the log (platform 6.2), or "all" alone. */
  events: string[];
  active: Generated<boolean>;
  /** Seconds that an answer may take. */
  timeout: number;
  /** What calls are signed with; must be kept as it is, and is told once. */
  secret: string;
  /** Calls in a row that were given up. */
  failures: Generated<number>;
  /** When the first call failed of those with none taken since; null where the last one was taken. */
  failing_since: string | null;
  last_called_at: string | null;
  last_errored_at: string | null;
  last_error: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
}

/** What happened, kept until it has been handed out to all who shall hear of it, and as long as a delivery needs it. */
export interface WebhookEventsTable {
  id: Generated<number>;
  type: string;
  /** What must be heard of in order, such as "page 7"; others are in no order. */
  subject: string;
  /** The payload, but for what names the webhook. */
  payload: unknown;
  /** The webhooks that listened when it happened. */
  listeners: number[];
  dispatched: Generated<boolean>;
  created_at: Generated<string>;
}

/** A call that is to be made, or was. */
export interface WebhookDeliveriesTable {
  id: Generated<number>;
  webhook_id: number;
  event_id: number;
  type: string;
  subject: string;
  state: "waiting" | "delivered" | "failed";
  attempts: Generated<number>;
  next_at: Generated<string>;
  leased_until: string | null;
  /** Of the last attempt; null where no answer came. */
  status: number | null;
  /** The beginning of the answer. */
  answer: string;
  error: string;
  /** How long the last attempt took. */
  duration_ms: number | null;
  sent_at: string | null;
  /** What the last attempt was made with; null before the first. */
  sent: Sent | null;
  created_at: Generated<string>;
}

/** What a call was made with, beside its body. */
export interface Sent {
  readonly address: string;
  /** The webhook's name at that time. */
  readonly name: string;
  /** But for the signatures. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A webhook as stored. */
export type WebhookRow = Selectable<WebhooksTable>;
/** A webhook as others may see it, and what comes of its events: without its secret. */
export type Webhook = Omit<WebhookRow, "secret">;
/** A delivery as stored. */
export type Delivery = Selectable<WebhookDeliveriesTable>;

const shared = {
  active: ["boolean"],
  timeout: ["integer", "min:1", "max:600"],
  secret: ["string", "min:16", "max:200"],
} as const;

/** The body of a create (platform 10.1; timeout and activity have defaults here). */
export const createRules = rules({
  name: ["required", "string", "max:150"],
  endpoint: ["required", "string", "max:500"],
  events: ["required", "array"],
  "events.*": ["string"],
  ...shared,
});

/** The body of an update. */
export const updateRules = rules({
  name: ["string", "min:1", "max:150"],
  endpoint: ["string", "min:1", "max:500"],
  events: ["array"],
  "events.*": ["string"],
  ...shared,
});

/** A new webhook as asked for. */
export type WebhookCreate = Input<typeof createRules>;
/** A change of a webhook as asked for. */
export type WebhookUpdate = Input<typeof updateRules>;

/**
 * The body of a call (platform 10.3). It is one for all webhooks: `webhook_id` and `webhook_name` hold their places, and
 * are filled in for each webhook; a payload without them is sent without them.
 */
export type Payload = Readonly<Record<string, unknown>> & { readonly event: string };

/** What one webhook is about to be told. */
export interface WebhookCall {
  /** The type of the log, such as "book_create". */
  readonly event: string;
  readonly webhook: Webhook;
  /** What it happened to, as lists show it; how the log tells of it where lists show nothing. */
  readonly detail: Readonly<Record<string, unknown>> | string;
  readonly initiator: { readonly id: number; readonly name: string; readonly slug: string };
  /** When it happened, in seconds since 1970. */
  readonly time: number;
  readonly payload: Payload;
}

declare module "lectern/db" {
  interface Tables {
    webhooks: WebhooksTable;
    webhook_events: WebhookEventsTable;
    webhook_deliveries: WebhookDeliveriesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    webhook_create: { draft: WebhookCreate; result: Webhook };
    webhook_update: { draft: { row: Webhook; draft: WebhookUpdate }; result: Webhook };
    webhook_delete: { draft: Webhook; result: Webhook };
    /** Before something is told to webhooks: a filter may change what they are told (platform 10.4). */
    webhook_call: { draft: Payload; result: Payload };
    /** The same for each webhook that shall hear of it, after that. */
    webhook_call_before: { draft: WebhookCall; result: WebhookCall };
  }
}
