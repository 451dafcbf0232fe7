/**
 * Webhooks: addresses that are called for events of the audit log (platform 10). An event is recorded in its own transaction
 * and delivered after the commit by jobs that no request waits for, so a crash loses nothing. Calls are signed, go
 * only to public addresses unless the operator permits others (also after redirects), and are retried with growing pauses.
 * Payloads are not filtered by permissions: the administrator who creates a webhook decides who receives them.
 */
import { activityOf, descriptor } from "lectern/contracts";
import { DAY_MS, definePlugin, Gathered, logRetried, MINUTE_MS, SECOND_MS, SYSTEM, sql } from "lectern/core";
import { overAll } from "lectern/db";
import { changeWebhook } from "./changes.ts";
import type { Webhook, WebhooksContext } from "./contract.ts";
import { deliverer } from "./deliver.ts";
import { mountDeliveries } from "./delivery_routes.ts";
import { isKnownType, mountEventTypes } from "./event_types.ts";
import { handOutAll, handOutLeft } from "./hand_out.ts";
import { lateHandOuts } from "./late_hand_outs.ts";
import { migrations } from "./migrations.ts";
import { presentWebhook } from "./presenter.ts";
import { deliveriesMetric, readListeners } from "./queries.ts";
import { createEventRecorder } from "./recorder.ts";
import { mountWebhooks } from "./routes.ts";
import { settings } from "./settings.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";

/** Concurrent calls of one webhook. */
const MAX_CALLS_EACH = 4;
/** Concurrent calls of all webhooks: as many as the runtime permits. */
const MAX_CALLS = 256;
/** Time for which events are collected before they are handed out. */
const GATHER_MS = 100;
/** Between two hand-outs of what servers that were killed have left, of a version without jobs too. */
const HAND_OUT_REST_MS = 5 * MINUTE_MS;
/** Tries of a job. Those of a call are counted by its delivery; a store that fails, however long, must not end a job. */
const TRIES = 1_000_000;
/** Pauses after tries at which the store failed. */
const STORE_PAUSES = { first: SECOND_MS, factor: 2, max: MINUTE_MS };
/** Days that calls are kept for inspection: long enough to look after a holiday. */
const KEPT_DAYS = 14;
const SWITCHED_OFF = sql.lit("Switched off after too many failed calls: ");

export default definePlugin({
  name: "webhooks",
  requires: ["traces", "users"],
  grants: {
    write: ["webhooks", "webhook_events", "webhook_deliveries", "jobs"],
    read: ["users", "page_revisions", "pages", "chapters", "books", "bookshelves"],
    contentTables: ["read"],
    net: "any",
    system: true,
  },
  settings,
  migrations,
  events: ["webhook_create", "webhook_update", "webhook_delete", "webhook_call", "webhook_call_before"],
  setup(plugin) {
    const { contribute, fetch, jobs, log, onStart, onStop, visibilityRule } = plugin;
    const { patience, patienceMinutes, pauses, redirects } = plugin.settings;
    const db = overAll(plugin.db);
    const handOuts = new Gathered({
      ms: GATHER_MS,
      run: () => handOutAll(db),
      onFailure: (error) => logRetried(log, "Cannot deliver to webhooks", { error }),
    });
    const deliver = deliverer({
      db,
      calling: { fetch, maxRedirects: redirects, traces: plugin.contracts.traces },
      log,
      pausesMs: pauses === "" ? [] : pauses.split(",").map((text) => Number(text) * SECOND_MS),
      patience: { calls: patience, minutes: patienceMinutes },
      switchOff: ({ secret: _, ...webhook }) => switchOff(context, webhook),
    });
    const context: WebhooksContext = {
      ...plugin,
      isKnownType: (type) => isKnownType(plugin, type),
      handOutSoon: () => handOuts.soon(),
    };
    visibilityRule("webhooks", () => true);
    visibilityRule("webhook_deliveries", () => true);
    for (const event of ["webhook_create", "webhook_update", "webhook_delete"] as const)
      contribute(
        "activity",
        activityOf(event, ({ result }) => [
          { type: event, detail: descriptor(result), path: `/settings/webhooks/${result.id}` },
        ]),
      );
    contributeThemeHooks(context);
    contribute("metric", deliveriesMetric(db));
    recordActivities(context);
    jobs.handle("webhook_deliver", deliver, {
      limit: MAX_CALLS,
      perGroup: MAX_CALLS_EACH,
      tries: TRIES,
      pauseMs: STORE_PAUSES,
    });
    const handOutWhatIsLeft = async () => {
      const againMs = await handOutLeft(db);
      if (againMs !== undefined)
        await jobs.enqueue("webhook_hand_out", {}, { delayMs: Math.max(SECOND_MS, againMs), key: "left" });
    };
    jobs.handle("webhook_hand_out", handOutWhatIsLeft);
    onStart(async () => {
      handOuts.start();
      await jobs.enqueue("webhook_hand_out", {}, { key: "start" });
    });
    jobs.every("hand out", HAND_OUT_REST_MS, handOutWhatIsLeft);
    onStop(() => handOuts.stop());
    jobs.every("prune", DAY_MS, async () => {
      const end = sql<string>`now() - make_interval(days => ${KEPT_DAYS}::integer)`;
      await db.deleteFrom("webhook_deliveries").where("state", "<>", "waiting").where("created_at", "<", end).execute();
      await db
        .deleteFrom("webhook_events")
        .where(({ ref }) => ref("dispatched"))
        .where("created_at", "<", end)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("webhook_deliveries").whereRef("event_id", "=", "webhook_events.id"))),
        )
        .execute();
    });
    mountEventTypes(context);
    mountWebhooks(context);
    mountDeliveries(context);
  },
});

/** Records the rows of the audit log for the webhooks that subscribe to their types. */
function recordActivities(context: WebhooksContext): void {
  const { baseUrl, cache, contracts, handOutSoon, log, on, runtime, slot } = context;
  const db = overAll(context.db);
  // Every event needs the subscriptions, so they are cached until a webhook changes.
  const listeners = cache.values("listening", () => readListeners(db));
  for (const event of ["webhook_create", "webhook_update", "webhook_delete"] as const)
    on(event, {
      async inTransaction(_, tx) {
        await listeners.forget(tx);
        // Of a webhook that is switched on, deliveries that came to their turn meanwhile wait without a job.
        tx.afterCommit(handOutSoon);
      },
    });
  const handOutLate = lateHandOuts();
  const record = createEventRecorder({
    kinds: () => slot("content"),
    sources: () => slot("activity"),
    users: contracts.users,
    baseUrl,
    log,
    trace: () => contracts.traces.headers(),
    hasHandlers: {
      all: () => runtime.hasHandlers("webhook_call"),
      each: () => runtime.hasHandlers("webhook_call_before"),
    },
  });
  on("activity_log", {
    async inTransaction(activity, tx) {
      // The cache does not have the changes of webhooks that this transaction has made.
      const isWebhookEvent = activity.type.startsWith("webhook_");
      const byType = await (isWebhookEvent ? readListeners(tx.db) : listeners.get(""));
      const ids = new Set([...(byType.get(activity.type) ?? []), ...(byType.get("all") ?? [])]);
      if (ids.size === 0) return;
      await record(activity, [...ids], tx);
      await handOutLate(tx);
      tx.afterCommit(handOutSoon);
    },
  });
}

/** Switches off a webhook whose calls failed for too long. */
async function switchOff({ isKnownType, perform }: WebhooksContext, row: Webhook): Promise<void> {
  await perform("webhook_update", SYSTEM, { row, draft: { active: false } }, async (final, tx) => {
    const saved = await changeWebhook(final.row.id, final.draft, tx, isKnownType);
    await tx.db
      .updateTable("webhooks")
      .set(({ ref }) => ({ last_error: sql<string>`${SWITCHED_OFF} || ${ref("last_error")}` }))
      .where("id", "=", saved.id)
      .execute();
    return presentWebhook(saved);
  });
}
