/**
 * Filters of payloads: the event `webhook_call` once per recorded event, then `webhook_call_before` for each subscribed
 * webhook, as BookStack's themes have them (platform 10.4). If the latter has handlers, each webhook gets a payload of its
 * own. An invalid result of a filter is ignored with a warning, so that it cannot make the recorded change fail.
 */
import type { Activity } from "lectern/contracts";
import { type EventTransaction, type Log, SECOND_MS, sql, storable, type TraceHeaders } from "lectern/core";
import { prepared } from "lectern/db";
import type { Payload, WebhookCall } from "./contract.ts";
import { sentPayload, storedOrigin, withWebhook } from "./payload.ts";
import { presentWebhook } from "./presenter.ts";

/** An event to be recorded. */
export interface FilterOptions {
  readonly activity: Activity;
  /** Ids of the subscribed webhooks. */
  readonly listeners: readonly number[];
  /** Whether `webhook_call_before` has handlers. */
  readonly perEach: boolean;
  readonly log: Log;
  /** The headers that continue the current trace. */
  readonly trace: () => TraceHeaders;
}

interface RecordedEvent {
  readonly id: number;
  readonly payload: Payload;
}

const replacePayload = prepared(
  "webhooks.replacePayload",
  (db, p: { id: number; payload: string; requestId: string }) =>
    db
      .updateTable("webhook_events")
      .set({ payload: sql<Payload>`${p.payload}::text::jsonb || ${p.requestId}::text::jsonb` })
      .where("id", "=", p.id),
);

const findWebhooks = prepared("webhooks.findAll", (db, p: { ids: readonly number[] }) =>
  db.selectFrom("webhooks").selectAll().where("id", "=", sql<number>`any(${p.ids}::integer[])`).orderBy("id"),
);

/** Records an event again for a single webhook. */
const copyEvent = prepared(
  "webhooks.copyEvent",
  (db, p: { id: number; webhookId: number; payload: string; requestId: string }) =>
    db
      .insertInto("webhook_events")
      .columns(["type", "subject", "payload", "listeners"])
      .expression((eb) =>
        eb
          .selectFrom("webhook_events")
          .select([
            "type",
            "subject",
            sql<Payload>`${p.payload}::text::jsonb || ${p.requestId}::text::jsonb`.as("payload"),
            sql<number[]>`array[${p.webhookId}::integer]`.as("listeners"),
          ])
          .where("id", "=", p.id),
      ),
);

const removeEvent = prepared("webhooks.removeEvent", (db, p: { id: number }) =>
  db.deleteFrom("webhook_events").where("id", "=", p.id),
);

/** Replaces the payload of a recorded event by the result of the filters. */
export async function filterPayload(event: RecordedEvent, options: FilterOptions, tx: EventTransaction): Promise<void> {
  const { log, perEach } = options;
  const payload = sentPayload(event.payload);
  const filtered = await tx.perform("webhook_call", payload, async (final) => final);
  const text = toText(filtered, payload, log);
  if (perEach) return splitByWebhook({ id: event.id, payload: JSON.parse(text) as Payload }, options, tx);
  await replacePayload.execute(tx.db, { id: event.id, payload: text, requestId: originOf(tx, options) });
}

/** Replaces the event for all webhooks by one for each webhook. */
async function splitByWebhook(
  event: RecordedEvent,
  { activity, listeners, log, trace }: FilterOptions,
  tx: EventTransaction,
): Promise<void> {
  const { db, viewer, at } = tx;
  const { id, name, slug } = viewer;
  for (const hook of await findWebhooks.execute(db, { ids: [...listeners] })) {
    const call: WebhookCall = {
      event: activity.type,
      webhook: presentWebhook(hook),
      detail: (event.payload.related_item as WebhookCall["detail"] | undefined) ?? activity.detail ?? "",
      initiator: { id, name, slug },
      time: Math.floor(Date.parse(at) / SECOND_MS),
      payload: withWebhook(event.payload, hook),
    };
    const { payload } = await tx.perform("webhook_call_before", call, async (final) => final);
    const text = toText(payload, call.payload, log);
    await copyEvent.execute(db, {
      id: event.id,
      webhookId: hook.id,
      payload: text,
      requestId: originOf(tx, { trace }),
    });
  }
  await removeEvent.execute(db, { id: event.id });
}

/** The id and the trace of the request, as JSON to be added to a payload. */
function originOf({ requestId }: EventTransaction, { trace }: Pick<FilterOptions, "trace">): string {
  return JSON.stringify(storedOrigin(requestId, trace()));
}

/** The JSON of a filtered payload; if that is invalid, of the former one, with a warning. */
function toText(payload: unknown, former: Payload, log: Log): string {
  const text =
    typeof payload === "object" && payload !== null && !Array.isArray(payload) ? serialize(payload) : undefined;
  if (text !== undefined) return text;
  log.warn("The result of a filter of webhook payloads was ignored: it is not an object that can be serialized", {
    event: former.event,
  });
  return JSON.stringify(former);
}

/** The JSON of an object without texts that PostgreSQL cannot store; undefined if it cannot be serialized. */
function serialize(payload: object): string | undefined {
  try {
    const text = JSON.stringify(payload, (_, value: unknown) => (typeof value === "string" ? storable(value) : value));
    return storableKeys(text);
  } catch {
    // Circular references and BigInt.
    return undefined;
  }
}

/** Removes escapes of NUL and lone surrogates from keys; values contain none any more. */
function storableKeys(text: string): string {
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, "$1");
}
