import { ApiError, type EventTransaction, notFound, saveChanges, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Webhook, WebhookCreate, WebhookRow, WebhooksContext, WebhookUpdate } from "./contract.ts";
import { generateSecret, isValidSecret } from "./signature.ts";

type IsKnownType = WebhooksContext["isKnownType"];

const DEFAULT_TIMEOUT_SECONDS = 3;

/** Stores a webhook. */
export async function insertWebhook(
  draft: WebhookCreate,
  { db }: EventTransaction,
  isKnownType: IsKnownType,
): Promise<WebhookRow> {
  const { name, endpoint, active = true, timeout = DEFAULT_TIMEOUT_SECONDS, secret = generateSecret() } = draft;
  const [row] = await rows<WebhookRow>(
    db,
    sql`insert into webhooks (name, endpoint, events, active, timeout, secret)
      values (${name}, ${addressOf(endpoint)}, ${eventsOf(draft.events, isKnownType)}::text[], ${active}, ${timeout}::integer,
        ${secretOf(secret)})
      returning *`,
  );
  return row as WebhookRow;
}

/** Updates a webhook. Switching it on resets its failures. Throws 404 if it was deleted. */
export async function changeWebhook(
  id: number,
  draft: WebhookUpdate,
  { db }: EventTransaction,
  isKnownType: IsKnownType,
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
    sql`update webhooks set events = ${eventsOf(events, isKnownType)}::text[], updated_at = clock_timestamp()
      where id = ${id}::integer returning *`,
  );
  return changed as WebhookRow;
}

/** Deletes a webhook with its deliveries. */
export async function removeWebhook({ id }: Webhook, { db }: EventTransaction): Promise<void> {
  await rows(db, sql`delete from webhooks where id = ${id}::integer`);
}

/** The known types without duplicates, or "all" alone. Throws 422 if there is none (platform 10.1). */
function eventsOf(sent: unknown, isKnownType: IsKnownType): string[] {
  const names = [...new Set(Object.values(sent as object).map((one) => String(one).trim()))].filter(
    (name) => name === "all" || isKnownType(name),
  );
  if (names.length === 0) throw invalidField("events", "The events field is required.");
  return names.includes("all") ? ["all"] : names;
}

/** An endpoint that can be called. Throws 422. */
function addressOf(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw invalidField(
      "endpoint",
      "The endpoint must be an address beginning with http:// or https://, without credentials.",
    );
  return endpoint;
}

/** A secret with which receivers can verify calls. Throws 422. */
function secretOf(secret: string): string {
  if (isValidSecret(secret)) return secret;
  throw invalidField(
    "secret",
    "The secret must be whsec_ and 24 to 64 bytes in Base64, or a text that begins otherwise.",
  );
}

function invalidField(field: string, message: string): ApiError {
  return new ApiError(422, "The given data was invalid.", { validation: { [field]: [message] } });
}
