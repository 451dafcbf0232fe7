/**
 * Receivers that are slow, dead, inactive or hostile, and many waiting deliveries: they delay nobody else, and the order of the
 * rest holds.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { Webhook } from "standardwebhooks";
import { handOutBatch } from "../../plugins/operations/webhooks/hand_out.ts";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";
import { distinctCalls } from "../support/harness/webhook_queue.ts";

const OPTIONS = { env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" }, constants: { webhooks: { pauses: "3600" } } };

let runtime: TestRuntime;
let receiver: Receiver;
beforeAll(async () => {
  receiver = openReceiver();
  runtime = await bootTestRuntime({ ...OPTIONS });
  await runtime.runtime.start();
});
afterAll(async () => {
  await runtime.stop();
  await receiver.stop();
});
afterEach(async () => {
  const { data } = (await runtime.ask("GET", "/api/webhooks?count=500")).body;
  for (const { id } of data) await runtime.ask("DELETE", `/api/webhooks/${id}`);
  receiver.received.length = 0;
  receiver.answer = () => new Response("thanks");
});

const hook = async (more: object = {}, of = runtime): Promise<{ id: number; secret: string }> => {
  const body = { name: "Test", endpoint: `${receiver.url}/in`, events: ["book_create"], timeout: 60, ...more };
  return (await of.ask("POST", "/api/webhooks", { body })).body;
};
const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;
const events = () => distinctCalls(receiver.received).map(({ json }) => json.event);
const change = (id: number, body: object) => runtime.ask("PUT", `/api/webhooks/${id}`, { body });
const last = async (id: number) => (await runtime.ask("GET", `/api/webhooks/${id}/deliveries?sort=-id`)).body.data[0];

test("an inactive webhook is not called, and gets the waiting deliveries once it is active again", async () => {
  const { id } = await hook();
  receiver.answer = () => new Response("later", { status: 503 });
  await make("books", { name: "Waiting" });
  await until(async () => (await last(id))?.attempts === 1);
  await change(id, { active: false });
  await runtime.ask("POST", `/api/webhooks/${id}/deliveries/${(await last(id)).id}/resend`);
  await make("books", { name: "Meanwhile" });
  const quick = await hook({ endpoint: `${receiver.url}/quick` });
  await make("books", { name: "Later" });
  await until(async () => (await last(quick.id))?.attempts === 1);
  expect(receiver.received.filter(({ path }) => path === "/in")).toHaveLength(1);
  receiver.answer = () => new Response();
  await change(id, { active: true });
  await until(async () => (await last(id)).state === "delivered");
  const sent = receiver.received.filter(({ path }) => path === "/in").map(({ json }) => json.related_item.name);
  expect(sent).toEqual(["Waiting", "Waiting"]);
});

test("256 receivers that hang, as many as there are places, do not delay a live one", async () => {
  const dead = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: () => new Promise<Response>(() => {}),
  });
  const { id: first } = await hook({ endpoint: `http://127.0.0.1:${dead.port}/`, timeout: 30 });
  const copies = await rows<{ id: number }>(
    runtime.db,
    sql`insert into webhooks (name, endpoint, events, timeout, secret)
      select name, endpoint, events, timeout, secret from webhooks, generate_series(2, 256) where id = ${first} returning id`,
  );
  const ids = [first, ...copies.map(({ id }) => id)];
  // A change of a webhook tells who listens.
  await change(first, { name: "Dead" });
  for (let at = 0; at < 4; at++) await make("books", { name: `Book ${at}` });
  await until(() => dead.pendingRequests >= 190);
  await hook({ events: ["bookshelf_create"] });
  const started = performance.now();
  await make("shelves", { name: "Shelf" });
  await receiver.until(1);
  expect(performance.now() - started).toBeLessThan(scaled(5_000));
  await rows(runtime.db, sql`delete from webhooks where id = any(${ids}::integer[])`);
  await dead.stop(true);
});

test("calls about one item come in order, content or not", async () => {
  const { id } = await hook({ events: ["all"] });
  const book = await make("books", { name: "Book" });
  // Accepted calls raise the webhook's concurrency, so that unordered calls could overtake each other.
  for (let at = 0; at < 4; at++) await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: `Book ${at}` } });
  const page = await make("pages", { book_id: book.id, name: "Page", html: "<p>x</p>" });
  await receiver.until(6);
  receiver.received.length = 0;
  receiver.answer = async ({ json }) => {
    if (json.event.endsWith("_create")) await Bun.sleep(100);
    return new Response();
  };
  const comment = await make("comments", { page_id: page.id, html: "<p>x</p>" });
  await runtime.ask("PUT", `/api/comments/${comment.id}`, { body: { html: "<p>y</p>" } });
  await runtime.ask("DELETE", `/api/comments/${comment.id}`);
  const user = await make("users", { name: "Ada", email: "ada@example.com" });
  await runtime.ask("DELETE", `/api/users/${user.id}`);
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  const [binned] = (await runtime.ask("GET", "/api/recycle-bin")).body.data;
  await runtime.ask("PUT", `/api/recycle-bin/${binned.id}`);
  await until(async () => (await last(id)).type === "recycle_bin_restore" && (await last(id)).state === "delivered");
  await until(() => events().includes("user_delete") && events().includes("comment_delete"));
  for (const order of [
    ["comment_create", "comment_update", "comment_delete"],
    ["user_create", "user_delete"],
    ["commented_on", "page_delete", "recycle_bin_restore"],
  ])
    expect(events().filter((event) => order.includes(event))).toEqual(order);
});

test("payloads about other kinds have an address or the item, and no private fields", async () => {
  await hook({ events: ["user_create", "api_token_create", "role_create", "webhook_create", "auth_login"] });
  const user = await make("users", { name: "Grace", email: "grace@example.com" });
  const token = await make(`users/${user.id}/tokens`, { name: "Script" });
  const role = await make("roles", { display_name: "Readers" });
  const other = await hook();
  // It is called for its own creation, and for everything after.
  await receiver.until(5);
  const sent = (event: string) => {
    const found = receiver.received.findLast(({ json }) => json.event === event)?.json;
    const { text, url, related_item, detail } = found;
    return { text, url, related_item, detail };
  };
  expect(sent("user_create")).toEqual({
    text: "Admin created user",
    related_item: { id: user.id, name: "Grace", slug: "grace" },
  } as never);
  expect(sent("api_token_create")).toEqual({
    text: "Admin created API token",
    url: `http://localhost/api-tokens/${user.id}/${token.id}`,
  } as never);
  expect(sent("webhook_create")).toEqual({
    text: "Admin created webhook",
    url: `http://localhost/settings/webhooks/${other.id}`,
  } as never);
  expect(sent("role_create").related_item).toMatchObject({ id: role.id, display_name: "Readers" });
});

test("secrets that look like ours must be whole; others are the key itself", async () => {
  const refused = await runtime.ask("POST", "/api/webhooks", {
    body: { name: "x", endpoint: receiver.url, events: ["all"], secret: "whsec_not-Base64-at-all!" },
  });
  expect([refused.status, refused.body.error.validation]).toEqual([
    422,
    { secret: [expect.stringContaining("24 to 64 bytes")] },
  ]);
  const secret = "a text of my own choosing";
  await hook({ secret });
  await make("books", { name: "x" });
  await receiver.until(1);
  const [one] = receiver.received;
  const headers = Object.fromEntries(one?.headers ?? []);
  expect(new Webhook(secret, { format: "raw" }).verify(one?.body ?? "", headers)).toEqual(one?.json);
});

test("a few quick refusals do not switch a webhook off", async () => {
  const { id } = await hook();
  receiver.answer = () => new Response("no", { status: 404 });
  for (let at = 0; at < 12; at++) await make("books", { name: `Book ${at}` });
  await until(async () => (await runtime.ask("GET", `/api/webhooks/${id}`)).body.failures === 12);
  const { active, failing_since } = (await runtime.ask("GET", `/api/webhooks/${id}`)).body;
  expect([active, failing_since]).toEqual([true, expect.any(String)]);
  await rows(runtime.db, sql`update webhooks set failing_since = now() - interval '61 minutes' where id = ${id}`);
  await make("books", { name: "The last straw" });
  await until(async () => !(await runtime.ask("GET", `/api/webhooks/${id}`)).body.active);
});

test("answers without end or packed many times smaller are cut and cost nothing", async () => {
  const { id } = await hook({ timeout: 60 });
  receiver.answer = () =>
    new Response(
      new ReadableStream({
        pull: async (controller) => {
          await Bun.sleep(1);
          controller.enqueue(new Uint8Array(8192).fill(97));
        },
      }),
    );
  await make("books", { name: "Endless" });
  await until(async () => (await last(id))?.state === "delivered");
  expect((await last(id)).duration_ms).toBeLessThan(scaled(4_000));
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  receiver.answer = () => new Response(bomb, { headers: { "content-encoding": "gzip" } });
  await make("books", { name: "Bomb" });
  await until(async () => (await last(id)).type === "book_create" && receiver.received.length === 2);
  await until(async () => (await last(id)).state === "delivered");
  const full = (await runtime.ask("GET", `/api/webhooks/${id}/deliveries/${(await last(id)).id}`)).body;
  expect(full.answer.length).toBeLessThanOrEqual(4096);
});

test("deliveries created by several processes at once keep the order of an item's events", async () => {
  const { id } = await hook({ active: false });
  await rows(runtime.db, sql`update webhooks set active = true, events = array['of_a_test'] where id = ${id}::integer`);
  const [{ last: before } = { last: 0 }] = await rows<{ last: number }>(
    runtime.db,
    sql`select coalesce(max(id), 0) as last from webhook_events`,
  );
  await rows(
    runtime.db,
    sql`insert into webhook_events (type, subject, payload, listeners)
      select 'of_a_test', 'thing ' || n % 7, '{"event": "of_a_test"}', array[${id}::integer] from generate_series(1, 1500) as n order by n`,
  );
  for (;;) {
    const handed = await Promise.all([1, 2, 3, 4].map(() => handOutBatch(runtime.db)));
    if (handed.every((count) => count === 0)) break;
  }
  const [{ made, wrong } = { made: 0, wrong: -1 }] = await rows<{ made: number; wrong: number }>(
    runtime.db,
    sql`select count(*) as made, count(*) filter (where event_id < earlier) as wrong from (
      select event_id, max(event_id) over (partition by subject order by id) as earlier
      from webhook_deliveries where webhook_id = ${id}::integer and event_id > ${before}::bigint) as in_order`,
  );
  expect([made, wrong]).toEqual([1500, 0]);
});
