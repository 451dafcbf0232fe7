/**
 * Further steps of sign-ins, by a small plugin with a code and a consent as steps, whose screens it brings along: before the last
 * step there is nothing of a session, whatever the method.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { PendingSignIn } from "lectern/contracts";
import { definePlugin, html } from "lectern/core";
import { isDerivedEvent } from "../support/harness/derived_events.ts";
import { browserOf, PASSWORD, sso } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const events: string[] = [];
const witness = definePlugin({
  name: "witness",
  setup: ({ on }) =>
    on.any({
      inTransaction: ({ name, draft }) => {
        if (!isDerivedEvent(name))
          events.push(name === "auth_login" ? `auth_login by ${(draft as { method: string }).method}` : name);
      },
    }),
});

/** Names of users who need a step, by step. */
const needing = { code: new Set<string>(), terms: new Set<string>(), broken: new Set<string>() };

const steps = definePlugin({
  name: "steps",
  grants: { auth: true },
  requires: ["sessions", "web"],
  setup({ contribute, app, contracts: { sessions, web } }) {
    contribute("sign_in_step", {
      name: "terms",
      path: "/login/terms",
      order: 90,
      isNeeded: ({ user }) => needing.terms.has(user.name),
    });
    contribute("sign_in_step", {
      name: "code",
      path: "/login/code",
      isNeeded({ user }) {
        if (needing.broken.has(user.name)) throw new Error("the codes cannot be read");
        return needing.code.has(user.name);
      },
    });
    web.screen(app.site, "/login/code", "public", async ({ request, goTo }) => {
      const pending = await sessions.pending(request);
      if (pending?.step !== "code") return goTo("/login");
      return { title: "Code", body: html`<p>Code of ${pending.user.name}</p>` };
    });
    web.form(app.site, "/login/code", "public", async (visit) => {
      const isRight = (_: PendingSignIn) => visit.text("code") === "123456";
      return (await sessions.complete("code", visit, isRight)).response();
    });
    web.form(app.site, "/login/terms", "public", async (visit) =>
      (await sessions.complete("terms", visit, () => visit.text("accepted") === "yes")).response(),
    );
  },
});

let runtime: TestRuntime;
const browser = (of = runtime) => browserOf(of);
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [witness, sso, steps], env: { SIGN_IN_STEP_ATTEMPTS: "3" } });
}, 120_000);
afterAll(() => runtime.stop());
beforeEach(async () => {
  events.length = 0;
  for (const names of Object.values(needing)) names.clear();
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

test("a further step comes before anything of a session, by password and by single sign-on", async () => {
  const { id, email, token } = await person("gil");
  needing.code.add("gil");
  for (const start of ["password", "sso"] as const) {
    events.length = 0;
    const visitor = browser();
    const first =
      start === "password" ? await visitor.signIn(email) : await visitor.go(`/sso/callback?user=${id}&next=/books`);
    expect([start, first.status, first.location]).toEqual([start, 303, "/login/code"]);
    expect([[...visitor.jar.keys()], events]).toEqual([["bookstack_session_pending"], []]);
    expect([await sessionsOf(id), await visitor.me()]).toEqual([start === "password" ? 0 : 1, 401]);
    expect((await visitor.go("/my-account")).location).toStartWith("/login");
    expect((await visitor.go("/login/code")).body).toContain("Code of gil");
    const wrong = await visitor.code("000000");
    expect([wrong.status, visitor.jar.has("bookstack_session")]).toEqual([422, false]);
    const right = await visitor.code("123456");
    expect([right.status, right.location]).toEqual([303, "/books"]);
    expect([[...visitor.jar.keys()], await visitor.me()]).toEqual([["bookstack_session"], 200]);
    expect(events).toEqual([start === "password" ? "auth_login by standard" : "auth_login by oidc"]);
  }
  expect((await runtime.ask("GET", "/api/users/me", { as: token })).status).toBe(200);
});

test("the API answers 202 with the step, and signs in those who need none as ever", async () => {
  const { id, email } = await person("hal");
  const knock = () => runtime.ask("POST", "/api/session", { as: null, body: { email, password: PASSWORD } });
  expect((await knock()).status).toBe(200);
  needing.code.add("hal");
  const answer = await knock();
  expect([answer.status, answer.body]).toEqual([202, { pending: { step: "code", path: "/login/code" } }]);
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^bookstack_session_pending=[A-Za-z0-9]{40}; /),
  ]);
  expect(await sessionsOf(id)).toBe(1);
});

test("several steps come in their order, none can be left out or done twice", async () => {
  const { id, email } = await person("ida");
  needing.code.add("ida");
  needing.terms.add("ida");
  const visitor = browser();
  await visitor.signIn(email);
  expect((await visitor.send("POST", "/login/terms", { accepted: "yes" })).location).toBe("/login");
  expect((await visitor.code("123456")).location).toBe("/login/terms");
  expect([(await visitor.code("123456")).status, await sessionsOf(id)]).toEqual([401, 0]);
  expect((await visitor.go("/login/code")).location).toBe("/login");
  const done = await visitor.send("POST", "/login/terms", { accepted: "yes" });
  expect([done.location, await sessionsOf(id)]).toEqual(["/books", 1]);
});

test("a pending sign-in is of one browser, is used once, and two at a time make one session", async () => {
  const { id, email } = await person("jan");
  needing.code.add("jan");
  const visitor = browser();
  await visitor.signIn(email);
  expect((await browser().code("123456")).status).toBe(401);
  const other = browser();
  for (const [name, value] of visitor.jar) other.jar.set(name, value);
  const answers = await Promise.all([visitor.code("123456"), other.code("123456")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
  expect(await sessionsOf(id)).toBe(1);
  const again = browser();
  await again.signIn(email);
  const old = again.jar.get("bookstack_session_pending") ?? "";
  await again.signIn(email);
  again.jar.set("bookstack_session_pending", old);
  expect((await again.code("123456")).status).toBe(401);
});

test("a pending sign-in ends with its time, with a new password, and with signing out", async () => {
  const { id, email } = await person("kim");
  needing.code.add("kim");
  const late = browser();
  await late.signIn(email);
  await runtime.store.sql`update pending_sign_ins set expires_at = now() where user_id = ${id}`;
  expect((await late.code("123456")).status).toBe(401);
  const changed = browser();
  await changed.signIn(email);
  await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  expect((await changed.code("123456")).status).toBe(401);
  const left = browser();
  await left.signIn(email);
  const kept = left.jar.get("bookstack_session_pending") ?? "";
  await left.send("POST", "/logout", {});
  expect([...left.jar.keys()]).not.toContain("bookstack_session_pending");
  left.jar.set("bookstack_session_pending", kept);
  expect([(await left.code("123456")).status, await sessionsOf(id)]).toEqual([401, 0]);
});

test("codes cannot be guessed: attempts at a step are counted by user, and success forgets", async () => {
  const { email } = await person("lea");
  needing.code.add("lea");
  const visitor = browser();
  await visitor.signIn(email);
  for (let turn = 0; turn < 3; turn++) expect((await visitor.code("000000")).status).toBe(422);
  await visitor.signIn(email);
  expect((await visitor.code("123456")).status).toBe(429);
  await runtime.store.sql`delete from throttles`;
  expect((await visitor.code("123456")).status).toBe(303);
});

test("a step that fails refuses the sign-in and lets nobody through", async () => {
  const { id, email } = await person("max");
  needing.broken.add("max");
  const visitor = browser();
  expect([(await visitor.signIn(email)).status, visitor.jar.size, await sessionsOf(id)]).toEqual([500, 0, 0]);
});

test("a user who changes the password passes the step again", async () => {
  const { email } = await person("ned");
  const visitor = browser();
  await visitor.signIn(email);
  needing.code.add("ned");
  const form = { current_password: PASSWORD, password: "another long one", repeated: "another long one" };
  const changed = await visitor.send("POST", "/my-account/auth", form);
  expect([changed.location, await visitor.me()]).toEqual(["/login/code", 403]);
  expect((await visitor.code("123456")).location).toBe("/my-account/auth");
});

test("two steps of one name, and a step without a screen, stop the boot", async () => {
  const step = (name: string, path: string) =>
    definePlugin({
      name: `${name}${path}`.replaceAll(/\W/g, "_"),
      setup: ({ contribute }) => contribute("sign_in_step", { name, path, isNeeded: () => false }),
    });
  await expect(bootTestRuntime({ extra: [step("code", "/a"), step("code", "/b")] })).rejects.toThrow(
    'Two sign-in steps are named "code"',
  );
  await expect(bootTestRuntime({ extra: [step("code", "https://evil.test")] })).rejects.toThrow("https://evil.test");
});
