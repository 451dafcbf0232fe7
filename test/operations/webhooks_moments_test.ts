/**
 * Which webhooks are called for an event and with what payload, while webhooks and filters change; and what is shown of it
 * afterwards. Calls are made at least once: repeated ones are counted once.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { openReceiver, type Received, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";
import { distinctCalls, webhooksIdle } from "../support/harness/webhook_queue.ts";

let runtime: TestRuntime;
let receiver: Receiver;
/** The filter of payloads while a test sets one. */
let answer: ((payload: Record<string, unknown>) => unknown) | undefined;
const filtering = definePlugin({
  name: "filtering",
  setup: ({ on }) => on("webhook_call", { filter: (draft) => answer?.(draft) as never }),
});

const ENV = { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" };

beforeAll(async () => {
  receiver = openReceiver();
  runtime = await bootTestRuntime({ extra: [filtering], env: ENV });
  await runtime.runtime.start();
});
afterAll(async () => {
  await runtime.stop();
  await receiver.stop();
});
beforeEach(() => {
  answer = undefined;
  receiver.received.length = 0;
});
afterEach(async () => {
  for (const { id } of (await runtime.ask("GET", "/api/webhooks?count=500")).body.data)
    await runtime.ask("DELETE", `/api/webhooks/${id}`);
});

const make = async (name: string, of = runtime) => (await of.ask("POST", "/api/books", { body: { name } })).body;
const hook = (name: string, more: object = {}, of = runtime) =>
  of.ask("POST", "/api/webhooks", {
    body: { name, endpoint: `${receiver.url}/${name}`, events: ["book_create"], timeout: 60, ...more },
  });
const change = (id: number, body: object, of = runtime) => of.ask("PUT", `/api/webhooks/${id}`, { body });
async function onlyDelivery(id: number): Promise<{ id: number; state: string }> {
  await webhooksIdle(runtime);
  const { data } = (await runtime.ask("GET", `/api/webhooks/${id}/deliveries`)).body;
  expect(data.map(({ state }: { state: string }) => state)).toEqual(["delivered"]);
  return data[0];
}
/** Calls in their order, each once though it may be made again. */
const called = <Seen>(seen: (call: Received) => Seen) => distinctCalls(receiver.received).map(seen);

test("webhooks that listened at the event are called, whatever is changed right after; later ones are not", async () => {
  // Calls begin with the start, so that no change comes too late.
  const own = await bootTestRuntime({ env: ENV });
  const { body: turned } = await hook("turned", {}, own);
  const { body: paused } = await hook("paused", {}, own);
  await make("Seen", own);
  await change(turned.id, { events: ["role_delete"] }, own);
  await change(paused.id, { active: false }, own);
  await hook("late", {}, own);
  const { body: woken } = await hook("woken", { active: false }, own);
  await change(woken.id, { active: true }, own);
  await own.runtime.start();
  await webhooksIdle(own);
  expect(called(({ path }) => path)).toEqual(["/turned"]);
  await change(paused.id, { active: true }, own);
  await webhooksIdle(own);
  expect(called(({ path }) => path)).toEqual(["/turned", "/paused"]);
  await own.stop();
});

test("the first webhook is called for its own creation and changes, and not for its deletion", async () => {
  const { body } = await hook("own", { events: ["all"] });
  await change(body.id, { name: "Own" });
  await webhooksIdle(runtime);
  await runtime.ask("DELETE", `/api/webhooks/${body.id}`);
  await webhooksIdle(runtime);
  expect(called(({ json }) => json.event)).toEqual(["webhook_create", "webhook_update"]);
});

test("a call shows what it was made with after its webhook has changed, and is not made again while that is off", async () => {
  const { body } = await hook("before");
  await make("Kept");
  const { id } = await onlyDelivery(body.id);
  await change(body.id, { name: "After", endpoint: `${receiver.url}/after`, active: false });
  const path = `/api/webhooks/${body.id}/deliveries/${id}`;
  const { request } = (await runtime.ask("GET", path)).body;
  expect(request).toMatchObject({
    address: `${receiver.url}/before`,
    name: "before",
    headers: { "content-type": "application/json", "webhook-id": String(id) },
    body: { event: "book_create", webhook_id: body.id, webhook_name: "before" },
  });
  expect(Object.keys(request.headers).filter((name) => name.includes("signature"))).toEqual([]);
  const again = await runtime.ask("POST", `${path}/resend`);
  expect([again.status, again.body.error.message]).toEqual([409, "The webhook is switched off; switch it on first."]);
  await change(body.id, { active: true });
  expect((await runtime.ask("POST", `${path}/resend`)).status).toBe(202);
  await webhooksIdle(runtime);
  expect(called(({ path: at }) => at)).toEqual(["/before", "/after"]);
});

test("unknown events are left out, and the switch may be a word", async () => {
  const { body } = await hook("picky", { events: ["book_create", "book_craete", "revision_delete"], active: "false" });
  expect([body.events, body.active]).toEqual([["book_create", "revision_delete"], false]);
  expect((await change(body.id, { active: "true" })).body.active).toBe(true);
  for (const events of [["book_craete"], ["constructor"]]) {
    const refused = await change(body.id, { events });
    expect([refused.status, refused.body.error?.validation]).toEqual([
      422,
      { events: ["The events field is required."] },
    ]);
  }
  expect((await hook("odd", { active: "maybe" })).status).toBe(422);
  expect((await hook("host", { events: ["host_create", "page_move"] })).body.events).toEqual([
    "host_create",
    "page_move",
  ]);
});

test.each<[string, (payload: Record<string, unknown>) => unknown, object]>([
  ["a text", () => "nonsense", { event: "book_create", text: 'Admin created book "Told"' }],
  ["a list", () => [1], { event: "book_create" }],
  [
    "a circle",
    (payload) => {
      const round: Record<string, unknown> = { ...payload };
      round.self = round;
      return round;
    },
    { event: "book_create" },
  ],
  ["a number without bounds", (payload) => ({ ...payload, big: 1n }), { event: "book_create" }],
  [
    "what no store holds",
    (payload) => ({ ...payload, text: "a\0b\ud800", "k\0ey\udfff": { deep: ["\0"] }, path: "C:\\u0000" }),
    { text: "ab\ufffd", key: { deep: [""] }, path: "C:\\u0000" },
  ],
])("a filter that returns %s does not fail the action", async (_, filter, wanted) => {
  await hook("calm");
  answer = filter;
  expect((await make("Told")).name).toBe("Told");
  await receiver.until(1);
  expect(receiver.received[0]?.json).toMatchObject(wanted);
});

test("the payload that a filter returns is sent as it is, with the webhook's id and name only where it kept them", async () => {
  await hook("plain");
  answer = () => ({ said: "this alone" });
  await make("Told");
  await receiver.until(1);
  expect(receiver.received[0]?.json).toEqual({ said: "this alone" });
});

test("no event is stored that no webhook listens to", async () => {
  await hook("few");
  const count = async () =>
    (await rows<{ n: number }>(runtime.db, sql`select count(*)::integer as n from webhook_events`))[0]?.n;
  const before = await count();
  await runtime.ask("POST", "/api/shelves", { body: { name: "Unheard" } });
  expect(await count()).toBe(before);
});

test("of a webhook that is switched off what waits about one thing waits without jobs, and is called in order once it is on", async () => {
  const { body: made } = await hook("ordered", { active: false });
  const delivery = async (n: number) => {
    const [event] = await rows<{ id: number }>(
      runtime.db,
      sql`insert into webhook_events (type, subject, payload, listeners, dispatched)
        values ('book_create', 'book 7', ${JSON.stringify({ event: "book_create", n })}::text::jsonb, array[${made.id}::integer], true)
        returning id`,
    );
    const [row] = await rows<{ id: number }>(
      runtime.db,
      sql`insert into webhook_deliveries (webhook_id, event_id, type, subject, leased_until)
        values (${made.id}::integer, ${event?.id ?? 0}::bigint, 'book_create', 'book 7', 'infinity') returning id`,
    );
    const place = { group: String(made.id), order: "book 7" };
    await runtime.runtime.jobs.enqueue(runtime.db, "webhook_deliver", { id: row?.id ?? 0 }, place);
  };
  for (const n of [1, 2, 3]) await delivery(n);
  const jobs = () => rows(runtime.db, sql`select from jobs where name = 'webhook_deliver'`);
  await until(async () => (await jobs()).length === 0);
  expect(receiver.received).toHaveLength(0);
  await change(made.id, { active: true });
  await receiver.until(3);
  expect(called(({ json }) => json.n)).toEqual([1, 2, 3]);
});

test("a store that fails again and again while results are recorded loses no call", async () => {
  const { body: made } = await hook("unrecorded");
  // Stands for a full disk: only results are refused.
  await sql`alter table webhook_deliveries add constraint unrecorded check (sent_at is null) not valid`.execute(
    runtime.db,
  );
  await make("Unrecorded");
  const [job] = await until(
    () =>
      rows<{ id: number; attempts: number }>(
        runtime.db,
        sql`select id, attempts from jobs where name = 'webhook_deliver'`,
      ),
    (found) => (found[0]?.attempts ?? 0) > 0,
  );
  // As after a day of such tries.
  await sql`update jobs set attempts = 100, run_at = now(), leased_until = null where id = ${job?.id}`.execute(
    runtime.db,
  );
  await sql`select pg_notify('lectern_jobs', '')`.execute(runtime.db);
  await until(
    () =>
      rows<{ attempts: number; last_error: string | null }>(
        runtime.db,
        sql`select attempts, last_error from jobs where id = ${job?.id}`,
      ),
    (found) => (found[0]?.attempts ?? 0) > 100 && found[0]?.last_error !== null,
  );
  await sql`alter table webhook_deliveries drop constraint unrecorded`.execute(runtime.db);
  await sql`update jobs set run_at = now(), leased_until = null where id = ${job?.id}`.execute(runtime.db);
  await sql`select pg_notify('lectern_jobs', '')`.execute(runtime.db);
  await onlyDelivery(made.id);
});

test("an event is handed out by a job, too, where its server ends before it does so itself", async () => {
  await hook("late");
  await make("Late");
  const [late] = await until(
    () =>
      rows<{ ms: number }>(
        runtime.db,
        sql`select extract(epoch from run_at - now()) * 1000 as ms from jobs where name = 'webhook_hand_out' order by id desc`,
      ),
    (found) => found.length > 0,
  );
  expect(Number(late?.ms)).toBeLessThan(30_000);
});
