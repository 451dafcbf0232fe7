/**
 * Filters of payloads: the event `webhook_call` once per recorded event, then `webhook_call_before` for each subscribed
 * webhook, as BookStack's themes have them (platform 10.4). If the latter has handlers, each webhook gets a payload of its
 * own. An invalid result of a filter is ignored with a warning, so that it cannot make the recorded change fail.
 */
import type { Activity } from "lectern/contracts";
import { type EventTransaction, type Log, type RawBuilder, sql, storable } from "lectern/core";
import { rows } from "lectern/db";
import type { Payload, WebhookCall, WebhookRow } from "./contract.ts";
import { sentPayload, storedRequestId, withWebhook } from "./payload.ts";
import { presentWebhook } from "./presenter.ts";

/** An event to be recorded. */
export interface FilterOptions {
  readonly activity: Activity;
  /** Ids of the subscribed webhooks. */
  readonly listeners: readonly number[];
  /** Whether `webhook_call_before` has handlers. */
  readonly perEach: boolean;
  readonly log: Log;
}

interface RecordedEvent {
  readonly id: number;
  readonly payload: Payload;
}

/** Runs the statement that records an event, and replaces its payload by the result of the filters. */
export async function recordFiltered(
  insert: RawBuilder<unknown>,
  options: FilterOptions,
  tx: EventTransaction,
): Promise<void> {
  const { log, perEach } = options;
  const [event] = await rows<RecordedEvent>(tx.db, sql`${insert} returning id, payload`);
  if (!event) return;
  const payload = sentPayload(event.payload);
  const filtered = await tx.perform("webhook_call", payload, async (final) => final);
  const text = toText(filtered, payload, log);
  if (perEach) return splitByWebhook({ id: event.id, payload: JSON.parse(text) as Payload }, options, tx);
  await rows(
    tx.db,
    sql`update webhook_events set payload = ${text}::text::jsonb || ${idOf(tx)}::text::jsonb where id = ${event.id}::bigint`,
  );
}

/** Replaces the event for all webhooks by one for each webhook. */
async function splitByWebhook(
  event: RecordedEvent,
  { activity, listeners, log }: FilterOptions,
  tx: EventTransaction,
): Promise<void> {
  const { db, viewer, at } = tx;
  const { id, name, slug } = viewer;
  const hooks = await rows<WebhookRow>(
    db,
    sql`select * from webhooks where id = any(${[...listeners]}::integer[]) order by id`,
  );
  for (const hook of hooks) {
    const call: WebhookCall = {
      event: activity.type,
      webhook: presentWebhook(hook),
      detail: (event.payload.related_item as WebhookCall["detail"] | undefined) ?? activity.detail ?? "",
      initiator: { id, name, slug },
      time: Math.floor(Date.parse(at) / 1000),
      payload: withWebhook(event.payload, hook),
    };
    const { payload } = await tx.perform("webhook_call_before", call, async (final) => final);
    const text = toText(payload, call.payload, log);
    await rows(
      db,
      sql`insert into webhook_events (type, subject, payload, listeners)
        select type, subject, ${text}::text::jsonb || ${idOf(tx)}::text::jsonb, array[${hook.id}::integer] from webhook_events
        where id = ${event.id}::bigint`,
    );
  }
  await rows(db, sql`delete from webhook_events where id = ${event.id}::bigint`);
}

/** The id of the request, as JSON to be added to a payload. */
function idOf({ requestId }: EventTransaction): string {
  return JSON.stringify(storedRequestId(requestId));
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
