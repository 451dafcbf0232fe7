/**
 * Payloads that others change: `webhook_call` once for what happened, then `webhook_call_before` for each webhook that
 * shall hear of it, as the original asks its themes (platform 10.4). Where the latter is heeded, every webhook gets a
 * payload of its own. What is no payload is left out with a warning, since nobody's act may fail by it.
 */
import type { Activity } from "lectern/contracts";
import { type EventTransaction, type Log, type RawBuilder, sql, storable } from "lectern/core";
import { rows } from "lectern/db";
import type { Payload, WebhookCall, WebhookRow } from "./contract.ts";
import { shown } from "./write.ts";

/** What is kept, for whom, and who may change it. */
export interface FilterOptions {
  readonly activity: Activity;
  readonly listeners: readonly number[];
  /** Whether somebody may change the payloads of single webhooks. */
  readonly perEach: boolean;
  readonly log: Log;
}

interface Kept {
  readonly id: number;
  readonly payload: Payload;
}

/** Runs the statement that keeps an event, and replaces its payload by what others make of it. */
export async function keepFiltered(
  insert: RawBuilder<unknown>,
  filtering: FilterOptions,
  tx: EventTransaction,
): Promise<void> {
  const { log, perEach } = filtering;
  const [event] = await rows<Kept>(tx.db, sql`${insert} returning id, payload`);
  if (!event) return;
  const answer = await tx.perform("webhook_call", event.payload, async (final) => final);
  const text = textOf(answer, event.payload, log);
  if (perEach) return splitByWebhook({ id: event.id, payload: JSON.parse(text) as Payload }, filtering, tx);
  await rows(tx.db, sql`update webhook_events set payload = ${text}::text::jsonb where id = ${event.id}::bigint`);
}

/** Puts one event for each webhook in place of that for all. */
async function splitByWebhook(
  event: Kept,
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
      webhook: shown(hook),
      detail: (event.payload.related_item as WebhookCall["detail"] | undefined) ?? activity.detail ?? "",
      initiator: { id, name, slug },
      time: Math.floor(Date.parse(at) / 1000),
      payload: named(event.payload, hook),
    };
    const { payload } = await tx.perform("webhook_call_before", call, async (final) => final);
    const text = textOf(payload, call.payload, log);
    await rows(
      db,
      sql`insert into webhook_events (type, subject, payload, listeners)
        select type, subject, ${text}::text::jsonb, array[${hook.id}::integer] from webhook_events
        where id = ${event.id}::bigint`,
    );
  }
  await rows(db, sql`delete from webhook_events where id = ${event.id}::bigint`);
}

/** A payload with the id and name of the webhook where it has places for them. */
export function named(payload: Payload, { id, name }: Pick<WebhookRow, "id" | "name">): Payload {
  return {
    ...payload,
    ...("webhook_id" in payload && { webhook_id: id }),
    ...("webhook_name" in payload && { webhook_name: name }),
  };
}

/** A payload as the store can hold it; the former one, with a warning, instead of what is none. */
function textOf(payload: unknown, former: Payload, log: Log): string {
  const text =
    typeof payload === "object" && payload !== null && !Array.isArray(payload) ? written(payload) : undefined;
  if (text !== undefined) return text;
  log.warn("What a filter made of a payload for webhooks is no object and was left out", { event: former.event });
  return JSON.stringify(former);
}

function written(payload: object): string | undefined {
  try {
    const text = JSON.stringify(payload, (_, value: unknown) => (typeof value === "string" ? storable(value) : value));
    return storableKeys(text);
  } catch {
    // Circles and numbers without bounds.
    return undefined;
  }
}

/** Values are clean by now, so what is left stands in a key, and no key of a payload needs it. */
function storableKeys(text: string): string {
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, "$1");
}
