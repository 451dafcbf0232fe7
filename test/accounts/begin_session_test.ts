/** Sessions that other plugins begin, by a small plugin for single sign-on as a stranger would write it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { isDerivedEvent } from "../support/harness/derived_events.ts";
import { browserOf, PASSWORD, sso } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const events: string[] = [];
const witness = definePlugin({
  name: "witness",
  setup: ({ on }) => {
    on.any({
      inTransaction: ({ name, draft }) => {
        if (!isDerivedEvent(name))
          events.push(name === "auth_login" ? `auth_login by ${(draft as { method: string }).method}` : name);
      },
    });
    on("auth_login", { veto: ({ user }) => (user.name === "blocked" ? "This account is blocked" : undefined) });
  },
});

let runtime: TestRuntime;
const browser = (of = runtime) => browserOf(of);
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [witness, sso] });
}, 120_000);
afterAll(() => runtime.stop());
beforeEach(async () => {
  events.length = 0;
  await runtime.store.sql`delete from throttles`;
});

async function person(name: string) {
  const { id, token } = await runtime.person(name, ["access-api"]);
  const { body } = await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  events.length = 0;
  return { id, token, email: body.email as string };
}

const sessionsOf = async (id: number) =>
  (await runtime.store.sql`select id from sessions where user_id = ${id}`).length;

test("a plugin signs in a user whom it has authenticated, with the method in the audit log", async () => {
  const { id } = await person("ann");
  const visitor = browser();
  const answer = await visitor.go(`/sso/callback?user=${id}&next=/books?page=2`, { "sec-fetch-site": "cross-site" });
  expect([answer.status, answer.location]).toEqual([303, "/books?page=2"]);
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^bookstack_session=[A-Za-z0-9]{40}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
  expect([events, await visitor.me()]).toEqual([["auth_login by oidc"], 200]);
  const { body } = await runtime.ask("GET", `/api/audit-log?filter[user_id]=${id}&filter[type]=auth_login`);
  expect(body.data[0].detail).toStartWith(`oidc; (${id})`);
});

test("the session of the browser ends with the next sign-in, and a planted cookie is worth nothing", async () => {
  const { id } = await person("bob");
  const visitor = browser();
  visitor.jar.set("bookstack_session", "p".repeat(40));
  await visitor.go(`/sso/callback?user=${id}`);
  const first = visitor.jar.get("bookstack_session");
  expect(first).not.toBe("p".repeat(40));
  await visitor.go(`/sso/callback?user=${id}`);
  expect([visitor.jar.get("bookstack_session") === first, await sessionsOf(id)]).toEqual([false, 1]);
});

test("a sign-in returns to a path of this instance alone", async () => {
  const { id } = await person("cid");
  for (const [next, path] of [
    ["//evil.test", "/"],
    ["https://evil.test/a", "/"],
    ["/\\evil.test", "/"],
    ["/books#x", "/books#x"],
  ] as const)
    expect((await browser().go(`/sso/callback?user=${id}&next=${encodeURIComponent(next)}`)).location).toBe(path);
});

test("a provider's answer by POST from its own site signs in, where the plugin has a scope for it", async () => {
  const { id } = await person("cyn");
  const sent = { user: String(id), RelayState: "/books" };
  const answer = await browser().send("POST", "/sso/consume", sent, { "sec-fetch-site": "cross-site" });
  expect([answer.status, answer.location, events]).toEqual([303, "/books", ["auth_login by saml"]]);
  expect((await browser().send("POST", "/login", sent, { "sec-fetch-site": "cross-site" })).status).toBe(403);
});

test("no session begins for nobody, for the guest, or against a veto", async () => {
  const { id: blocked } = await person("blocked");
  const cases: [user: string, status: number][] = [
    ["999999", 401],
    ["0", 401],
    ["1e300", 401],
    ["NaN", 401],
    ["2", 401],
    [String(blocked), 403],
  ];
  for (const [user, status] of cases) {
    const visitor = browser();
    const answer = await visitor.go(`/sso/callback?user=${user}`, { accept: "application/json" });
    expect([user, answer.status, visitor.jar.size]).toEqual([user, status, 0]);
  }
  expect([events, await sessionsOf(blocked)]).toEqual([[], 0]);
});

test("a method that the audit log could not show is an error of the plugin", async () => {
  const { id } = await person("dan");
  const bad = await browser().go(`/sso/callback?user=${id}&method=${encodeURIComponent("My SSO; (1) Admin")}`);
  expect([bad.status, await sessionsOf(id)]).toEqual([500, 0]);
});

test("where addresses have to be confirmed, no plugin signs in an account without", async () => {
  const strict = await bootTestRuntime({ extra: [sso], env: { REGISTRATION_CONFIRMATION: "true" } });
  try {
    const { id } = await strict.person("eva", []);
    await strict.store.sql`update users set email_confirmed = false where id = ${id}`;
    const refused = await browser(strict).go(`/sso/callback?user=${id}`, { accept: "application/json" });
    expect([refused.status, refused.body.error.message]).toEqual([
      401,
      "The email address for the account in use needs to be confirmed",
    ]);
    await strict.store.sql`update users set email_confirmed = true where id = ${id}`;
    expect((await browser(strict).go(`/sso/callback?user=${id}`)).status).toBe(303);
  } finally {
    await strict.stop();
  }
});

test("sign-ins of plugins are throttled by address and by user", async () => {
  const { id } = await person("fay");
  await browser().go(`/sso/callback?user=${id}`);
  await runtime.store.sql`update throttles set count = 1000`;
  const late = await browser().go(`/sso/callback?user=${id}`, { accept: "application/json" });
  expect([late.status, Number(late.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
});
