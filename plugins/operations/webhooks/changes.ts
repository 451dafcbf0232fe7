/**
 * The writes of the events of webhooks. Endpoints, types of events and secrets are checked here, so that every way to
 * change a webhook has the same rules; what the rules of a body express is in contract.ts.
 */
import { type EventTransaction, invalidFields, notFound, saveChanges, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type { Webhook, WebhookCreate, WebhookRow, WebhooksContext, WebhookUpdate } from "./contract.ts";
import { makeDue } from "./hand_out.ts";
import { generateSecret, isValidSecret } from "./signature.ts";

type IsKnownType = WebhooksContext["isKnownType"];

const DEFAULT_TIMEOUT_SECONDS = 3;

type NewWebhook = Required<Pick<WebhookRow, "name" | "endpoint" | "events" | "active" | "timeout" | "secret">>;

const insert = prepared("webhooks.insert", (db, p: NewWebhook) =>
  db
    .insertInto("webhooks")
    .values({
      name: p.name,
      endpoint: p.endpoint,
      events: sql<string[]>`${p.events}::text[]`,
      active: p.active,
      timeout: p.timeout,
      secret: p.secret,
    })
    .returningAll(),
);

const lock = prepared("webhooks.lock", (db, p: { id: number }) =>
  db.selectFrom("webhooks").selectAll().where("id", "=", p.id).forUpdate(),
);

const subscribe = prepared("webhooks.subscribe", (db, p: { id: number; events: readonly string[] }) =>
  db
    .updateTable("webhooks")
    .set({ events: sql<string[]>`${p.events}::text[]`, updated_at: sql<string>`clock_timestamp()` })
    .where("id", "=", p.id)
    .returningAll(),
);

const remove = prepared("webhooks.remove", (db, p: { id: number }) => db.deleteFrom("webhooks").where("id", "=", p.id));

/** Stores a webhook. */
export async function insertWebhook(
  draft: WebhookCreate,
  { db }: EventTransaction,
  isKnownType: IsKnownType,
): Promise<WebhookRow> {
  const { name, endpoint, active = true, timeout = DEFAULT_TIMEOUT_SECONDS, secret = generateSecret() } = draft;
  const checked = {
    endpoint: addressOf(endpoint),
    events: eventsOf(draft.events, isKnownType),
    secret: secretOf(secret),
  };
  const row = await insert.executeTakeFirst(db, { name, active, timeout, ...checked });
  if (!row) throw new Error("Cannot store a webhook: the store returned no row");
  return row;
}

/** Updates a webhook. Switching it on resets its failures. Throws 404 if it was deleted. */
export async function changeWebhook(
  id: number,
  draft: WebhookUpdate,
  { db }: EventTransaction,
  isKnownType: IsKnownType,
): Promise<WebhookRow> {
  const row = await lock.executeTakeFirst(db, { id });
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
  if (saved.active && !row.active) await makeDue(db, { webhookId: id, id: null });
  if (events === undefined) return saved;
  const changed = await subscribe.executeTakeFirst(db, { id, events: eventsOf(events, isKnownType) });
  if (!changed) throw notFound("Webhook");
  return changed;
}

/** Deletes a webhook with its deliveries. */
export async function removeWebhook({ id }: Webhook, { db }: EventTransaction): Promise<void> {
  await remove.execute(db, { id });
}

/** The known types without duplicates, or "all" alone. Throws 422 if there is none (platform 10.1). */
function eventsOf(sent: unknown, isKnownType: IsKnownType): string[] {
  const names = [...new Set(Object.values(Object(sent)).map((one) => String(one).trim()))].filter(
    (name) => name === "all" || isKnownType(name),
  );
  if (names.length === 0) throw invalidFields({ events: "The events field is required." });
  return names.includes("all") ? ["all"] : names;
}

/** An endpoint that can be called. Throws 422. */
function addressOf(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw invalidFields({
      endpoint: "The endpoint must be an address beginning with http:// or https://, without credentials.",
    });
  return endpoint;
}

/** A secret with which receivers can verify calls. Throws 422. */
function secretOf(secret: string): string {
  if (isValidSecret(secret)) return secret;
  throw invalidFields({
    secret: "The secret must be whsec_ and 24 to 64 bytes in Base64, or a text that begins otherwise.",
  });
}
