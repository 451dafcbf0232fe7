/** What servers of a version without jobs for deliveries leave: waiting, begun and recorded calls are made after the upgrade. */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { openReceiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime } from "../support/harness/test_runtime.ts";
import { distinctCalls, webhooksIdle } from "../support/harness/webhook_queue.ts";

test("deliveries without jobs, of ended leases and events that nobody handed out are called once, and leased ones are left", async () => {
  const receiver = openReceiver();
  const runtime = await bootTestRuntime({ env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" } });
  const body = { name: "Old", endpoint: receiver.url, events: ["book_create"], timeout: 5 };
  const { id } = (await runtime.ask("POST", "/api/webhooks", { body })).body;
  const event = async (n: number, dispatched: boolean) => {
    const [made] = await rows<{ id: number }>(
      runtime.db,
      sql`insert into webhook_events (type, subject, payload, listeners, dispatched)
        values ('book_create', ${`book ${n}`}, ${JSON.stringify({ event: "book_create", n })}::text::jsonb, array[${id}::integer],
          ${dispatched}) returning id`,
    );
    return made?.id ?? 0;
  };
  const delivery = async (n: number, lease: string | null) =>
    rows(
      runtime.db,
      sql`insert into webhook_deliveries (webhook_id, event_id, type, subject, leased_until)
        values (${id}::integer, ${await event(n, true)}::bigint, 'book_create', ${`book ${n}`}, now() + ${lease}::interval)`,
    );
  await delivery(1, null);
  await delivery(2, "-1 second");
  await delivery(3, "1 hour");
  await event(4, false);
  // The schedule that takes back what others began is due.
  await rows(runtime.db, sql`update schedules set next_at = now() where name = 'webhooks:hand out'`);
  await rows(
    runtime.db,
    sql`insert into schedules (name, next_at) values ('webhooks:hand out', now()) on conflict do nothing`,
  );
  await runtime.runtime.start();
  await receiver.until(3);
  await webhooksIdle(runtime);
  expect(
    distinctCalls(receiver.received)
      .map(({ json }) => json.n)
      .sort(),
  ).toEqual([1, 2, 4]);
  expect(receiver.received).toHaveLength(3);
  await runtime.stop();
  await receiver.stop();
});

test("later calls about a thing wait for one that a former server has begun, until its lease ends", async () => {
  const receiver = openReceiver();
  const runtime = await bootTestRuntime({ env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" } });
  const body = { name: "Old", endpoint: receiver.url, events: ["book_create"], timeout: 5 };
  const { id } = (await runtime.ask("POST", "/api/webhooks", { body })).body;
  const event = sql<{
    id: number;
    dispatched: boolean;
  }>`insert into webhook_events (type, subject, payload, listeners, dispatched)
    select 'book_create', 'book 7', jsonb_build_object('event', 'book_create', 'n', n), array[${id}::integer], n <= 2
    from generate_series(1, 3) as n order by n returning id, dispatched`;
  const made = await rows(runtime.db, event);
  for (const [at, { id: eventId }] of made.filter(({ dispatched }) => dispatched).entries())
    await sql`insert into webhook_deliveries (webhook_id, event_id, type, subject, leased_until)
      values (${id}::integer, ${eventId}::bigint, 'book_create', 'book 7', ${at === 0 ? sql`now() + interval '3 seconds'` : null})`.execute(
      runtime.db,
    );
  await runtime.runtime.start();
  await receiver.until(3);
  expect(distinctCalls(receiver.received).map(({ json }) => json.n)).toEqual([1, 2, 3]);
  await runtime.stop();
  await receiver.stop();
});
