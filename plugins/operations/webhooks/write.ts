import { ApiError, type EventTransaction, notFound, saveChanges, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Webhook, WebhookCreate, WebhookRow, WebhookUpdate } from "./contract.ts";
import { isSecret, newSecret } from "./sign.ts";

/** Whether a type of the log is one that webhooks may be told of. */
export type Known = (type: string) => boolean;

const DEFAULT_TIMEOUT_SECONDS = 3;

/** Stores a webhook. The secret is in the row and nowhere else. */
export async function insertWebhook(draft: WebhookCreate, { db }: EventTransaction, known: Known): Promise<WebhookRow> {
  const { name, endpoint, active = true, timeout = DEFAULT_TIMEOUT_SECONDS, secret = newSecret() } = draft;
  const [row] = await rows<WebhookRow>(
    db,
    sql`insert into webhooks (name, endpoint, events, active, timeout, secret)
      values (${name}, ${addressOf(endpoint)}, ${eventsOf(draft.events, known)}::text[], ${active}, ${timeout}::integer,
        ${secretOf(secret)})
      returning *`,
  );
  return row as WebhookRow;
}

/** Changes a webhook; who switches it on again begins anew. Throws 404 where it is gone. */
export async function changeWebhook(
  id: number,
  draft: WebhookUpdate,
  { db }: EventTransaction,
  known: Known,
): Promise<WebhookRow> {
  const [row] = await rows<WebhookRow>(db, sql`select * from webhooks where id = ${id}::integer for update`);
  if (!row) throw notFound("Webhook");
  const { events, endpoint, ...more } = draft;
  const saved = await saveChanges<WebhookRow>(db, "webhooks", row, {
    wanted: {
      ...more,
      ...(more.secret !== undefined && { secret: secretOf(more.secret) }),
      ...(endpoint !== undefined && { endpoint: addressOf(endpoint) }),
      ...(draft.active === true && { failures: 0, failing_since: null }),
    },
  });
  if (saved.active && !row.active)
    await rows(
      db,
      sql`update webhook_deliveries set next_at = now()
        where webhook_id = ${id}::integer and state = 'waiting' and next_at > now()`,
    );
  if (events === undefined) return saved;
  const [changed] = await rows<WebhookRow>(
    db,
    sql`update webhooks set events = ${eventsOf(events, known)}::text[], updated_at = clock_timestamp()
      where id = ${id}::integer returning *`,
  );
  return changed as WebhookRow;
}

/** Removes a webhook with its deliveries. */
export async function removeWebhook({ id }: Webhook, { db }: EventTransaction): Promise<void> {
  await rows(db, sql`delete from webhooks where id = ${id}::integer`);
}

/** A webhook without its secret. */
export function shown({ secret: _, ...webhook }: WebhookRow): Webhook {
  return webhook;
}

/** Types that are known, each once; "all" stands for the rest. Throws 422 where nothing is left (platform 10.1). */
function eventsOf(sent: unknown, known: Known): string[] {
  const names = [...new Set(Object.values(sent as object).map((one) => String(one).trim()))].filter(
    (name) => name === "all" || known(name),
  );
  if (names.length === 0) throw invalidField("events", "The events field is required.");
  return names.includes("all") ? ["all"] : names;
}

/** An address that can be called at all. Throws 422. */
function addressOf(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw invalidField(
      "endpoint",
      "The endpoint must be an address beginning with http:// or https://, without credentials.",
    );
  return endpoint;
}

/** A secret that receivers can use. Throws 422. */
function secretOf(secret: string): string {
  if (isSecret(secret)) return secret;
  throw invalidField(
    "secret",
    "The secret must be whsec_ and 24 to 64 bytes in Base64, or a text that begins otherwise.",
  );
}

function invalidField(field: string, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}
