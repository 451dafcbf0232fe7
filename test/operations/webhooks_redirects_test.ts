/** Redirects of calls: followed as a POST, never to where a first call might not go, and not without end. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { webhooksIdle } from "../support/harness/webhook_queue.ts";

let runtime: TestRuntime;
let receiver: Receiver;
let other: Receiver;
beforeAll(async () => {
  receiver = openReceiver();
  other = openReceiver();
  runtime = await bootTestRuntime({
    env: { ALLOW_PRIVATE_HOSTS: "127.0.0.1/32" },
    constants: { webhooks: { redirects: 3 } },
  });
  await runtime.runtime.start();
});
afterAll(async () => {
  await runtime.stop();
  await receiver.stop();
  await other.stop();
});
afterEach(async () => {
  const { data } = (await runtime.ask("GET", "/api/webhooks?count=500")).body;
  for (const { id } of data) await runtime.ask("DELETE", `/api/webhooks/${id}`);
  receiver.received.length = 0;
  other.received.length = 0;
});

/** Redirects calls to /in, and accepts all others. */
const redirect = (status: number, location: string) => {
  receiver.answer = ({ path }) =>
    path === "/in" ? new Response(null, { status, headers: { location } }) : new Response("thanks");
};
/** A webhook that was called once, and its delivery. */
async function called() {
  const body = { name: "Test", endpoint: `${receiver.url}/in`, events: ["book_create"] };
  const hook = (await runtime.ask("POST", "/api/webhooks", { body })).body;
  await runtime.ask("POST", "/api/books", { body: { name: "A book" } });
  await webhooksIdle(runtime);
  const [last] = (await runtime.ask("GET", `/api/webhooks/${hook.id}/deliveries`)).body.data;
  expect(last.sent_at).not.toBeNull();
  return { secret: hook.secret as string, last };
}

test.each([301, 302, 307, 308])(
  "after a %d within an origin the call stays a POST, with its proofs",
  async (status) => {
    redirect(status, "/moved?x=1");
    const { secret, last } = await called();
    expect(last).toMatchObject({ state: "delivered", status: 200, error: "" });
    const [, moved] = receiver.received;
    expect(moved).toMatchObject({ method: "POST", path: "/moved", json: { event: "book_create" } });
    const headers = Object.fromEntries(moved?.headers ?? []);
    expect(new Webhook(secret).verify(moved?.body ?? "", headers)).toEqual(moved?.json);
  },
);

test("another origin gets the call without what proves to be us", async () => {
  redirect(307, `${other.url}/moved`);
  expect((await called()).last.state).toBe("delivered");
  const [moved] = other.received;
  expect(moved).toMatchObject({ method: "POST", json: { event: "book_create" } });
  expect(moved?.headers.get("content-type")).toBe("application/json");
  expect(moved?.headers.get("webhook-id")).toBe(receiver.received[0]?.headers.get("webhook-id") ?? "");
  for (const name of ["webhook-signature", "x-webhook-signature-256", "authorization"])
    expect([name, moved?.headers.get(name)]).toEqual([name, null]);
});

test("after a 303 the answer is fetched, without the body", async () => {
  redirect(303, "/result");
  expect((await called()).last.state).toBe("delivered");
  expect(receiver.received[1]).toMatchObject({ method: "GET", path: "/result", body: "" });
});

test.each([
  ["http://127.0.0.2:1/", "127.0.0.2:1"],
  ["http://10.0.0.1/in", "10.0.0.1"],
  ["http://169.254.169.254/latest/meta-data", "169.254.169.254"],
  ["http://[::1]/", "[::1]"],
  ["file:///etc/passwd", "http and https"],
  ["http://", "no address"],
])("a redirect to %s leads nowhere, and is not tried again", async (location, told) => {
  redirect(302, location);
  const { last } = await called();
  expect(last).toMatchObject({ state: "failed", attempts: 1, status: null, error: expect.stringContaining(told) });
  expect(receiver.received).toHaveLength(1);
});

test("so many redirects are followed and no more", async () => {
  receiver.answer = () => new Response(null, { status: 308, headers: { location: "/round" } });
  expect((await called()).last).toMatchObject({ state: "failed", error: "The endpoint redirects more than 3 times" });
  expect(receiver.received).toHaveLength(4);
});
