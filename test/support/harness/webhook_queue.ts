/** The queue of webhooks in a test: waiting until it is empty, and calls without their repetitions. */
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Received } from "../fakes/webhook_receiver.ts";
import type { TestRuntime } from "./test_runtime.ts";
import { until } from "./until.ts";

/** Resolves when every event has been handed out and every call that is due has been made and recorded. */
export async function webhooksIdle({ db }: TestRuntime): Promise<void> {
  await until(async () => {
    const [found] = await rows<{ busy: boolean }>(
      db,
      sql`select exists (select from webhook_events where not dispatched)
        or exists (select from jobs where name = 'webhook_deliver' and not dead and run_at <= now())
        or exists (select from webhook_deliveries as delivery join webhooks on webhooks.id = delivery.webhook_id
          where webhooks.active and delivery.state = 'waiting' and delivery.leased_until is null) as busy`,
    );
    return found?.busy === false;
  });
}

/** Calls without those that were made again: a delivery is made at least once, under one id. */
export function distinctCalls(received: readonly Received[]): Received[] {
  const seen = new Set<string>();
  return received.filter(({ path, headers }) => {
    const call = `${path} ${headers.get("webhook-id")}`;
    return !seen.has(call) && seen.add(call);
  });
}
