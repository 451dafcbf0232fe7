/**
 * Webhooks: payloads, signatures that another library accepts, retries, giving up and switching off; in order where it matters,
 * and without delaying others.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { Webhook } from "standardwebhooks";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";
import { distinctCalls, webhooksIdle } from "../support/harness/webhook_queue.ts";

let runtime: TestRuntime;
let receiver: Receiver;
beforeAll(async () => {
  receiver = openReceiver();
  runtime = await bootTestRuntime({
    env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" },
    constants: { webhooks: { pauses: "0,0", patience: 2, patienceMinutes: 0 } },
  });
  await runtime.runtime.start();
});
afterAll(async () => {
  await runtime.stop();
  await receiver.stop();
});
afterEach(async () => {
  await runtime.store.sql`delete from webhooks`;
  // The cache of webhooks is cleared by a change over the API alone.
  const { body } = await hook({ events: ["role_delete"] });
  await runtime.ask("DELETE", `/api/webhooks/${body.id}`);
  receiver.received.length = 0;
  receiver.answer = () => new Response("thanks");
});

const hook = (more: object = {}) =>
  runtime.ask("POST", "/api/webhooks", {
    body: { name: "Test", endpoint: `${receiver.url}/in`, events: ["all"], timeout: 60, ...more },
  });
const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;
const deliveries = async (id: number, query = "") =>
  (await runtime.ask("GET", `/api/webhooks/${id}/deliveries?sort=id&count=500${query}`)).body;
async function settled(
  id: number,
  count: number,
): Promise<{ state: string; attempts: number; status: number; error: string; type: string }[]> {
  await webhooksIdle(runtime);
  const { data } = await deliveries(id);
  expect(data.length).toBeGreaterThanOrEqual(count);
  expect(data.filter(({ state }: { state: string }) => state === "waiting")).toEqual([]);
  return data;
}

test("a call has the payload of the original, signed so that another library can verify it", async () => {
  const { body } = await hook({ events: ["page_create", "page_delete"] });
  expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const book = await make("books", { name: "Runbooks" });
  const page = await make("pages", { book_id: book.id, name: "Failover", html: "<p>x</p>" });
  await runtime.ask("DELETE", `/api/pages/${page.id}`);
  await receiver.until(2);
  const [created, deleted] = receiver.received;
  expect(created?.json).toMatchObject({
    event: "page_create",
    text: 'Admin created page "Failover"',
    triggered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000000Z$/),
    triggered_by: { id: 1, name: "Admin", slug: "admin" },
    triggered_by_profile_url: "http://localhost/user/admin",
    webhook_id: body.id,
    webhook_name: "Test",
    url: "http://localhost/books/runbooks/page/failover",
    related_item: {
      id: page.id,
      name: "Failover",
      created_by: { id: 1, name: "Admin", slug: "admin" },
      current_revision: { page_id: page.id, type: "version", summary: "Initial publish", revision_number: 1 },
    },
  });
  expect(deleted?.json).toMatchObject({ event: "page_delete", related_item: { id: page.id, name: "Failover" } });
  expect(created?.json).not.toHaveProperty("lectern:request_id");
  expect(created?.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(deleted?.headers.get("x-request-id")).not.toBe(created?.headers.get("x-request-id") ?? "");
  const headers = Object.fromEntries(created?.headers ?? []);
  expect(new Webhook(body.secret).verify(created?.body ?? "", headers)).toEqual(created?.json);
  expect(() => new Webhook(body.secret).verify(`${created?.body} `, headers)).toThrow();
  const mac = new Bun.CryptoHasher("sha256", body.secret).update(created?.body ?? "").digest("hex");
  expect(created?.headers.get("x-webhook-signature-256")).toBe(`sha256=${mac}`);
});

test("a payload has an item as listings show it, by any writer or owner, and no more", async () => {
  await hook({ events: ["page_create", "page_update", "page_move", "permissions_update"] });
  const book = await make("books", { name: "Shared" });
  const page = await make("pages", { book_id: book.id, name: "Ours", html: "<p>x</p>" });
  const ada = await runtime.person("ada", ["page-view-all", "page-update-all", "book-view-all", "access-api"]);
  const write = { as: ada.token, body: { html: "<p>theirs</p>" } };
  expect((await runtime.ask("PUT", `/api/pages/${page.id}`, write)).status).toBe(200);
  const listed = async () => (await runtime.ask("GET", `/api/pages?filter[id]=${page.id}`)).body.data[0];
  const shown = await listed();
  await runtime.ask("PUT", `/api/content-permissions/page/${page.id}`, { body: { owner_id: ada.id } });
  const given = await listed();
  await receiver.until(3);
  const items = distinctCalls(receiver.received).map(({ json }) => json.related_item);
  expect(items[1]).toMatchObject({ created_by: { name: "Admin" }, updated_by: { id: ada.id } });
  const person = (id: number) => expect.objectContaining({ id });
  for (const [at, row] of [
    [1, shown],
    [2, given],
  ] as const) {
    const { book_slug: _, created_by, updated_by, owned_by, ...fields } = row;
    const people = { created_by: person(created_by), updated_by: person(updated_by), owned_by: person(owned_by) };
    expect(items[at]).toMatchObject({ ...fields, ...people });
    expect(Object.keys(items[at]).sort()).toEqual(
      [...Object.keys(items[0])].filter((name) => at === 1 || name !== "current_revision").sort(),
    );
  }
  expect(JSON.stringify(items)).not.toContain("theirs");
});

test("the secret is answered once, and is in no other answer, log row or payload", async () => {
  const { body } = await hook({ secret: "a secret of my own choosing" });
  expect(body.secret).toBe("a secret of my own choosing");
  const changed = await runtime.ask("PUT", `/api/webhooks/${body.id}`, {
    body: { name: "Renamed", secret: "another secret, as long" },
  });
  await receiver.until(1);
  const everything = JSON.stringify([
    changed.body,
    (await runtime.ask("GET", "/api/webhooks")).body,
    (await runtime.ask("GET", `/api/webhooks/${body.id}`)).body,
    (await runtime.ask("GET", "/api/audit-log?count=500")).body,
    receiver.received.map(({ body: text }) => text),
    await rows(runtime.db, sql`select payload from webhook_events`),
  ]);
  expect(everything).toContain("Renamed");
  expect(everything).not.toMatch(/secret of my own|another secret/);
});

test("no call is made for a refused or failed request, nor for an event that the webhook does not list", async () => {
  await hook({ events: ["book_create"] });
  await hook({ events: ["all"], active: false });
  await runtime.ask("POST", "/api/books", { body: { name: 7 } });
  await make("shelves", { name: "Not asked for" });
  await make("books", { name: "Asked for" });
  await webhooksIdle(runtime);
  expect(receiver.received.map(({ json }) => json.related_item.name)).toEqual(["Asked for"]);
});

test("what is about one item comes in order, though the first call is tried again", async () => {
  const { body } = await hook({ events: ["book_create", "book_update"] });
  let refusals = 0;
  receiver.answer = ({ json }) =>
    json.event === "book_create" && refusals++ < 2 ? new Response("later", { status: 503 }) : new Response();
  const book = await make("books", { name: "Ordered" });
  for (const name of ["One", "Two", "Three"]) await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name } });
  const done = await settled(body.id, 4);
  expect(done.map(({ state, attempts }) => [state, attempts])).toEqual([
    ["delivered", 3],
    ["delivered", 1],
    ["delivered", 1],
    ["delivered", 1],
  ]);
  expect(receiver.received.map(({ json }) => json.related_item.name)).toEqual([
    "Ordered",
    "Ordered",
    "Ordered",
    "One",
    "Two",
    "Three",
  ]);
  const ids = receiver.received.slice(0, 3).map(({ headers }) => headers.get("webhook-id"));
  expect(new Set(ids).size).toBe(1);
});

test("a slow receiver keeps nobody else waiting, and no request", async () => {
  await hook({ name: "Slow", endpoint: `${receiver.url}/slow`, timeout: 60 });
  await hook({ name: "Quick", endpoint: `${receiver.url}/quick`, timeout: 60 });
  await webhooksIdle(runtime);
  receiver.received.length = 0;
  const released = Promise.withResolvers<void>();
  receiver.answer = async ({ path }) => {
    if (path === "/slow") await released.promise;
    return new Response();
  };
  for (let at = 0; at < 20; at++) await make("books", { name: `Book ${at}` });
  // The slow one answers only after all calls of the quick one have come.
  await receiver.until((calls) => calls.filter(({ path }) => path === "/quick").length >= 20);
  released.resolve();
});

test("404 and 410 are final, and long answers are cut", async () => {
  const { body } = await hook({ events: ["book_create"] });
  const cases: [() => Response, string, number, number][] = [
    [() => new Response("no", { status: 404 }), "Response status from endpoint was 404", 1, 404],
    [() => new Response("gone", { status: 410 }), "Response status from endpoint was 410", 1, 410],
  ];
  for (const [at, [answer, error, attempts, status]] of cases.entries()) {
    receiver.answer = answer;
    await make("books", { name: "x" });
    const last = (await settled(body.id, at + 1)).at(-1);
    expect(last).toMatchObject({ state: "failed", error, attempts, status });
    await runtime.ask("PUT", `/api/webhooks/${body.id}`, { body: { active: true } });
  }
  receiver.answer = () => new Response("z".repeat(100_000));
  await make("books", { name: "x" });
  await settled(body.id, 3);
  const { data } = await deliveries(body.id);
  const full = (await runtime.ask("GET", `/api/webhooks/${body.id}/deliveries/${data[2].id}`)).body;
  expect([full.answer.length, full.request.body.event, full.request.address]).toEqual([
    4096,
    "book_create",
    `${receiver.url}/in`,
  ]);
});

test("a webhook that fails for too long is switched off and says why; switched on, it goes on", async () => {
  const { body } = await hook({ events: ["book_create"] });
  receiver.answer = () => new Response("broken", { status: 500 });
  for (const name of ["a", "b"]) await make("books", { name });
  await settled(body.id, 2);
  const path = `/api/webhooks/${body.id}`;
  await until(async () => !(await runtime.ask("GET", path)).body.active);
  expect((await runtime.ask("GET", path)).body).toMatchObject({
    active: false,
    failures: 2,
    last_error: "Switched off after too many failed calls: Response status from endpoint was 500",
  });
  await make("books", { name: "unheard" });
  receiver.answer = () => new Response();
  expect((await runtime.ask("PUT", path, { body: { active: true } })).body).toMatchObject({
    active: true,
    failures: 0,
  });
  const [first] = (await deliveries(body.id)).data;
  expect((await runtime.ask("POST", `${path}/deliveries/${first.id}/resend`)).status).toBe(202);
  await settled(body.id, 2);
  expect((await deliveries(body.id, `&filter[id]=${first.id}`)).data[0]).toMatchObject({
    state: "delivered",
    attempts: 1,
  });
});

test("private addresses are refused unless allowed, and not tried again", async () => {
  const { body } = await hook({ endpoint: "http://10.1.2.3/in", events: ["book_create"] });
  await make("books", { name: "x" });
  const [one] = await settled(body.id, 1);
  expect(one).toMatchObject({
    state: "failed",
    attempts: 1,
    error: expect.stringContaining("private or reserved address"),
  });
});

test("bad input is refused by field", async () => {
  for (const [more, validation] of [
    [{ name: "" }, { name: ["The name field is required."] }],
    [{ endpoint: "ftp://x" }, { endpoint: [expect.stringContaining("http://")] }],
    [{ endpoint: "https://user:pass@example.com" }, { endpoint: [expect.stringContaining("without credentials")] }],
    [{ endpoint: "nonsense" }, { endpoint: [expect.stringContaining("http://")] }],
    [{ events: [] }, { events: ["The events field is required."] }],
    [{ events: ["Bad Name"] }, { events: ["The events field is required."] }],
    [{ timeout: 0 }, { timeout: ["The timeout must be at least 1."] }],
    [{ timeout: 601 }, { timeout: ["The timeout may not be greater than 600."] }],
    [{ secret: "short" }, { secret: ["The secret must be at least 16 characters."] }],
  ] as const) {
    const { status, body } = await hook(more);
    expect([more, status, body.error.validation]).toEqual([more, 422, validation]);
  }
  expect((await hook({ events: ["page_create", "all"] })).body.events).toEqual(["all"]);
});
