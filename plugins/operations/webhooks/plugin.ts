/**
 * Webhooks: addresses that are told of whatever the log tells (platform 10). What happened is kept in the transaction it
 * happened in, and told after the commit by a dispatcher that no request waits for; a crash loses nothing. Calls are
 * signed, go to public addresses only unless the operator opens others, wherever redirects lead, and are tried again with
 * growing pauses. Receivers may be told of what they could not see: whoever sets up a webhook decides who reads along.
 */
import { activityOf, descriptor } from "lectern/contracts";
import { definePlugin, type PluginContext, SYSTEM, sql, t } from "lectern/core";
import { type Db, rows } from "lectern/db";
import type {} from "./contract.ts";
import { Dispatcher } from "./dispatch.ts";
import { mountEvents } from "./events.ts";
import { migrations } from "./migrations.ts";
import { TYPES } from "./phrases.ts";
import { keeper } from "./record.ts";
import { mountWebhooks } from "./routes.ts";
import { changeWebhook, shown } from "./write.ts";

const POLL_MS = 2_000;
const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const CONTENT_VERBS = ["create", "update", "delete", "move"];

export default definePlugin({
  name: "webhooks",
  requires: ["users"],
  permissions: {
    write: ["webhooks", "webhook_events", "webhook_deliveries"],
    read: ["users", "page_revisions"],
    net: "any",
  },
  settings: t.Object({
    pauses: t.String({
      default: "60,600,3600",
      pattern: "^(\\d{1,6}(,\\d{1,6}){0,19})?$",
      env: "WEBHOOK_RETRY_PAUSES",
      description: "Seconds before a failed call is made again, one for each further attempt",
    }),
    patience: t.Integer({
      default: 10,
      minimum: 1,
      env: "WEBHOOK_PATIENCE",
      description: "Calls in a row that are given up before a webhook is switched off",
    }),
    patienceMinutes: t.Integer({
      default: 60,
      minimum: 0,
      env: "WEBHOOK_PATIENCE_MIN",
      description: "Minutes for which no call was taken before a webhook is switched off",
    }),
    redirects: t.Integer({
      default: 5,
      minimum: 0,
      maximum: 20,
      env: "WEBHOOK_REDIRECTS",
      description: "Redirects of a call that are followed",
    }),
    keepDays: t.Integer({
      default: 14,
      minimum: 1,
      env: "WEBHOOK_LOG_DAYS",
      description: "Days that calls are kept to be looked at",
    }),
  }),
  migrations,
  events: ["webhook_create", "webhook_update", "webhook_delete", "webhook_call", "webhook_call_before"],
  setup(context) {
    const {
      baseUrl,
      cached,
      contracts,
      contribute,
      every,
      fetch,
      runtime,
      log,
      visibilityRule,
      on,
      onStop,
      perform,
      settings,
      slot,
    } = context;
    const db = context.db as unknown as Db;
    // Every event asks who listens, so the answer is remembered until a webhook changes.
    const listening = cached("listening", () => listenersByType(db));
    const known = (type: string) =>
      TYPES.has(type) ||
      slot("activity").some(({ event, types = [event] }) => (types as readonly string[]).includes(type)) ||
      slot("content").some(({ kind }) => CONTENT_VERBS.some((verb) => type === `${kind}_${verb}`));
    const keep = keeper({
      kinds: () => slot("content"),
      users: contracts.users,
      baseUrl,
      log,
      hasHandlers: {
        all: () => runtime.hasHandlers("webhook_call"),
        each: () => runtime.hasHandlers("webhook_call_before"),
      },
    });
    const dispatcher = new Dispatcher({
      db,
      calling: { fetch, maxRedirects: settings.redirects },
      log,
      pausesMs: settings.pauses === "" ? [] : settings.pauses.split(",").map((text) => Number(text) * SECOND_MS),
      patience: { calls: settings.patience, minutes: settings.patienceMinutes },
      switchOff: async ({ secret: _, ...row }) => {
        await perform("webhook_update", SYSTEM, { row, draft: { active: false } }, async (final, tx) => {
          const saved = await changeWebhook(final.row.id, final.draft, tx, known);
          await rows(
            tx.db,
            sql`update webhooks set last_error = 'Switched off after too many failed calls: ' || last_error
              where id = ${saved.id}::integer`,
          );
          return shown(saved);
        });
      },
    });
    visibilityRule("webhooks", () => true);
    visibilityRule("webhook_deliveries", () => true);
    for (const event of ["webhook_create", "webhook_update", "webhook_delete"] as const) {
      on(event, { inTransaction: (_, tx) => listening.forget(tx) });
      contribute(
        "activity",
        activityOf(event, ({ result }) => [
          { type: event, detail: descriptor(result), path: `/settings/webhooks/${result.id}` },
        ]),
      );
    }
    on("activity_log", {
      async inTransaction(activity, tx) {
        // What is remembered is older than a change of webhooks that has not ended yet.
        const isOwn = activity.type.startsWith("webhook_");
        const byType = await (isOwn ? listenersByType(tx.db) : listening.get(""));
        const listeners = new Set([...(byType.get(activity.type) ?? []), ...(byType.get("all") ?? [])]);
        if (listeners.size === 0) return;
        await keep(activity, [...listeners], tx);
        tx.afterCommit(() => dispatcher.wake());
      },
    });
    runs(context, dispatcher);
    onStop(() => dispatcher.stop());
    every("prune", DAY_MS, async () => {
      const old = sql`created_at < now() - make_interval(days => ${settings.keepDays}::integer)`;
      await rows(db, sql`delete from webhook_deliveries where state <> 'waiting' and ${old}`);
      await rows(
        db,
        sql`delete from webhook_events where dispatched and ${old}
          and not exists (select from webhook_deliveries where event_id = webhook_events.id)`,
      );
    });
    mountEvents(context);
    mountWebhooks(context, { known, wake: () => dispatcher.wake() });
  },
});

/** The dispatcher works while the runtime does: it begins with the first look, and looks for what is due later. */
function runs({ onStart, onStop }: Pick<PluginContext, "onStart" | "onStop">, dispatcher: Dispatcher): void {
  let timer: Timer | undefined;
  onStart(() => {
    dispatcher.start();
    timer = setInterval(() => dispatcher.wake(), POLL_MS);
    timer.unref();
  });
  onStop(() => clearInterval(timer));
}

/** The numbers of the webhooks that listen, by what they listen to. */
async function listenersByType(db: Pick<Db, "executeQuery">): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = await rows<{ type: string; ids: number[] }>(
    db,
    sql`select type, array_agg(id) as ids from webhooks, unnest(events) as type where active group by type`,
  );
  return new Map(found.map(({ type, ids }) => [type, ids]));
}
