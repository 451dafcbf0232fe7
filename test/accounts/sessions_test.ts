import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { definePlugin } from "lectern/core";
import { isDerivedEvent } from "../support/harness/derived_events.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const events: string[] = [];
const witness = definePlugin({
  name: "witness",
  setup: ({ on }) => on.any({ inTransaction: ({ name }) => void (isDerivedEvent(name) || events.push(name)) }),
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [witness] });
});
afterAll(() => runtime.stop());

const failure = (code: number, message: string) => ({ error: { message, code } });
const NO_API = failure(403, "The owner of the used API token does not have permission to make API calls");
const ONLY_GET = failure(403, "Only GET requests are allowed when using the API with cookie-based authentication");
const NO_MATCH = failure(401, "These credentials do not match our records.");
const PASSWORD = "long enough";

const by = (cookie: string, method = "GET", path = "/api/users/me", headers: Record<string, string> = {}) =>
  runtime.ask(method, path, { as: null, headers: { cookie, ...headers } });
const knock = (email: string, password: string, headers: Record<string, string> = {}) =>
  runtime.ask("POST", "/api/session", { as: null, body: { email, password }, headers });

/** A user with these permissions and the password above. */
async function person(name: string, permissions: readonly string[] = ["access-api"]) {
  const { id, token } = await runtime.person(name, permissions);
  const { body } = await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  return { id, token, email: body.email as string };
}

async function signedIn(email: string, headers: Record<string, string> = {}): Promise<string> {
  const { headers: sent } = await knock(email, PASSWORD, headers);
  return sent.get("set-cookie")?.split(";")[0] ?? "";
}

test("signing in sets a cookie that names the user, and only its hash is kept", async () => {
  const { id, email } = await person("ann");
  events.length = 0;
  const answer = await knock(email.toUpperCase(), PASSWORD, { "user-agent": "A browser" });
  expect([answer.status, answer.body.user]).toEqual([200, { id, name: "ann", slug: expect.any(String), email }]);
  expect([answer.body.permissions, events]).toEqual([["access-api"], ["auth_login"]]);
  const cookie = answer.headers.get("set-cookie") ?? "";
  expect(cookie).toMatch(/^bookstack_session=[A-Za-z0-9]{40}; Path=\/; HttpOnly; SameSite=Lax$/);
  const value = cookie.slice("bookstack_session=".length, "bookstack_session=".length + 40);
  const [row] = await runtime.store.sql`select hash, agent, address from sessions where user_id = ${id}`;
  expect(row).toEqual({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), agent: "A browser", address: "127.0.0.1" });
  expect(row?.hash).not.toContain(value);
  const me = await by(`bookstack_session=${value}`);
  expect([me.status, me.body.id, me.body.via, me.body.permissions]).toEqual([200, id, "session", ["access-api"]]);
  expect((await by(`bookstack_session=${value}`, "GET", "/api/session")).body.session.id).toBe(answer.body.session.id);
});

test("the API takes a cookie for GET alone, and a token before a cookie", async () => {
  const { id, email, token } = await person("ben", ["access-api", "book-create-all"]);
  const cookie = await signedIn(email);
  for (const [method, path] of [
    ["POST", "/api/books"],
    ["HEAD", "/api/books"],
    ["DELETE", `/api/users/${id}`],
  ] as const)
    expect([method, (await by(cookie, method, path)).status]).toEqual([method, 403]);
  const disguised = await by(cookie, "POST", "/api/books?_method=GET");
  expect([disguised.status, disguised.body]).toEqual([403, ONLY_GET]);
  const made = await runtime.ask("POST", "/api/books", { as: token, headers: { cookie }, body: { name: "By token" } });
  expect([made.status, made.body.created_by]).toEqual([200, id]);
  expect((await runtime.ask("GET", "/api/books", { as: "no:body", headers: { cookie } })).status).toBe(401);
});

test("a user who may not use the API can sign in and out, and use nothing", async () => {
  const { id, email } = await person("carl", []);
  const cookie = await signedIn(email);
  expect((await by(cookie)).body).toEqual(NO_API);
  expect((await by(cookie, "POST", "/api/books")).body).toEqual(NO_API);
  expect((await by(cookie, "GET", "/api/session")).body.user.id).toBe(id);
  const out = await by(cookie, "DELETE", "/api/session");
  expect([out.status, out.body]).toEqual([204, ""]);
  expect(out.headers.get("set-cookie")).toStartWith("bookstack_session=; ");
  expect((await by(cookie, "GET", "/api/session")).status).toBe(401);
});

test("a cookie without a living session is a visitor's, who is kept out", async () => {
  const long = "x".repeat(40);
  for (const cookie of ["bookstack_session=", "bookstack_session=planted", `bookstack_session=${long}`])
    expect((await by(cookie)).body).toEqual(NO_API);
  expect((await by("other=1")).status).toBe(401);
});

test("where the instance is public, a visitor is the guest", async () => {
  const open = await bootTestRuntime({ env: { APP_PUBLIC: "true" } });
  try {
    const visit = (path: string, method = "GET") =>
      open.ask(method, path, { as: null, headers: { cookie: "bookstack_session=anonymous" } });
    expect((await visit("/api/books")).body).toEqual(NO_API);
    const { body } = await open.ask("GET", "/api/roles/4");
    await open.ask("PUT", "/api/roles/4", { body: { permissions: [...body.permissions, "access-api"] } });
    const me = (await visit("/api/users/me")).body;
    expect([me.id, me.name, me.via]).toEqual([2, "Guest", "guest"]);
    expect((await visit("/api/books", "POST")).body).toEqual(ONLY_GET);
    expect((await visit("/api/users/2/tokens")).status).toBe(403);
    expect((await visit("/api/users/2/sessions")).status).toBe(403);
    expect((await open.ask("GET", "/api/books", { as: null })).status).toBe(401);
  } finally {
    await open.stop();
  }
});

test("a wrong password and an unknown address get the same answer", async () => {
  const { email } = await person("dora");
  expect((await knock(email, "long enougH")).body).toEqual(NO_MATCH);
  expect((await knock("nobody@example.com", PASSWORD)).body).toEqual(NO_MATCH);
  expect((await knock("guest@example.com", "")).status).toBe(422);
  expect((await knock("a\u0000b@example.com", PASSWORD)).body).toEqual(NO_MATCH);
  await runtime.ask("PUT", "/api/users/2", { body: { password: PASSWORD } });
  expect((await knock("guest@example.com", PASSWORD)).body).toEqual(NO_MATCH);
  const plain = await runtime.ask("POST", "/api/users", { body: { name: "No password", email: "none@example.com" } });
  expect(plain.status).toBe(200);
  expect((await knock("none@example.com", "anything at all")).body).toEqual(NO_MATCH);
});

test("an unknown address costs as much as a wrong password", async () => {
  const { email } = await person("emma");
  const time = async (address: string) => {
    const started = performance.now();
    await knock(address, "not the password");
    return performance.now() - started;
  };
  await time(email);
  let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // In turn, so that what else the machine does slows down both.
  for (let n = 0; n < 8; n++) {
    known = Math.min(known, await time(email));
    unknown = Math.min(unknown, await time(`n${n}@example.com`));
  }
  expect(unknown).toBeGreaterThan(known / 3);
});

test("a bcrypt password from elsewhere is accepted and replaced", async () => {
  const { id, email } = await person("fay");
  const long = "ä".repeat(50);
  const bcrypt = (await Bun.password.hash(Buffer.from(long).subarray(0, 72), { algorithm: "bcrypt", cost: 4 })).replace(
    "$2b$",
    "$2y$",
  );
  await runtime.store.sql`update users set password = ${bcrypt} where id = ${id}`;
  expect((await knock(email, "not it at all")).status).toBe(401);
  expect((await knock(email, long)).status).toBe(200);
  const [row] = await runtime.store.sql`select password from users where id = ${id}`;
  expect(row?.password).toStartWith("$argon2id$");
  expect((await knock(email, long)).status).toBe(200);
  await runtime.store.sql`update users set password = '$argon2id$cut' where id = ${id}`;
  expect((await knock(email, long)).status).toBe(401);
});

test("every sign-in makes a new session and ends the one it came with", async () => {
  const { id, email } = await person("gil");
  const planted = await knock(email, PASSWORD, { cookie: `bookstack_session=${"p".repeat(40)}` });
  expect(planted.headers.get("set-cookie")).not.toContain("pppp");
  const first = await signedIn(email);
  const second = await signedIn(email, { cookie: first });
  expect(second).not.toBe(first);
  expect([(await by(first)).status, (await by(second)).status]).toEqual([403, 200]);
  const [count] = await runtime.store.sql`select count(*)::integer as n from sessions where user_id = ${id}`;
  expect(count?.n).toBe(2);
});

test("no other site's form signs anybody in or out", async () => {
  const { email } = await person("hal");
  const cookie = await signedIn(email);
  for (const foreign of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "http://evil.localhost", host: "localhost" },
  ] as Record<string, string>[]) {
    expect([foreign, (await knock(email, PASSWORD, foreign)).status]).toEqual([foreign, 403]);
    expect([foreign, (await by(cookie, "DELETE", "/api/session", foreign)).status]).toEqual([foreign, 403]);
  }
  for (const own of [{ "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, { origin: runtime.baseUrl }])
    expect([own, (await knock(email, PASSWORD, own as Record<string, string>)).status]).toEqual([own, 200]);
  expect((await by(cookie)).status).toBe(200);
});

test("a new password and deletion end sessions, other changes do not", async () => {
  const { id, email } = await person("ida");
  const [one, two] = [await signedIn(email), await signedIn(email)];
  await runtime.ask("PUT", `/api/users/${id}`, { body: { name: "Ida" } });
  expect((await by(one)).body.name).toBe("Ida");
  await runtime.ask("PUT", `/api/users/${id}`, { body: { password: PASSWORD } });
  expect([(await by(one)).status, (await by(two)).status]).toEqual([403, 403]);
  const three = await signedIn(email);
  expect((await by(three)).status).toBe(200);
  await runtime.ask("DELETE", `/api/users/${id}`);
  expect((await by(three)).status).toBe(403);
});

test("sessions are listed and ended by their user and by who manages users", async () => {
  const jan = await person("jan");
  const kim = await person("kim");
  const here = await signedIn(jan.email, { "user-agent": "Here" });
  const there = await signedIn(jan.email, { "user-agent": "There" });
  const list = await by(here, "GET", `/api/users/${jan.id}/sessions?sort=agent`);
  expect(list.body.total).toBe(2);
  expect(list.body.data.map((row: Record<string, unknown>) => [row.agent, row.current])).toEqual([
    ["Here", true],
    ["There", false],
  ]);
  expect(Object.keys(list.body.data[0])).not.toContain("hash");
  const [, other] = list.body.data;
  const path = `/api/users/${jan.id}/sessions/${other.id}`;
  expect((await runtime.ask("GET", `/api/users/${jan.id}/sessions`, { as: kim.token })).status).toBe(403);
  expect((await runtime.ask("DELETE", path, { as: kim.token })).status).toBe(403);
  expect((await runtime.ask("DELETE", `/api/users/${kim.id}/sessions/${other.id}`, { as: kim.token })).status).toBe(
    404,
  );
  expect((await runtime.ask("DELETE", path, { as: jan.token })).status).toBe(204);
  expect([(await by(there)).status, (await by(here)).status]).toEqual([403, 200]);
  expect((await runtime.ask("DELETE", path, { as: jan.token })).status).toBe(404);
  expect((await runtime.ask("GET", "/api/users/99999999/sessions")).status).toBe(404);
  expect((await runtime.ask("GET", `/api/users/${jan.id}/sessions`)).body.total).toBe(1);
});

test("a session slides with requests without a write for each, and ends when none come", async () => {
  const { id, email } = await person("lea");
  const cookie = await signedIn(email);
  expect((await by(cookie)).status).toBe(200);
  await runtime.store.sql`alter table sessions rename to sessions_away`;
  try {
    expect((await by(cookie)).status).toBe(200);
  } finally {
    await runtime.store.sql`alter table sessions_away rename to sessions`;
  }
  const short = await signedIn(email);
  await runtime.store.sql`update sessions set last_seen_at = now() - interval '121 minutes' where user_id = ${id}`;
  expect((await by(short)).status).toBe(403);
  expect((await by(cookie)).status).toBe(200);
});

test("guessing is slowed down by account, in the store, and success forgets", async () => {
  const { email } = await person("max");
  for (let turn = 0; turn < 10; turn++) expect((await knock(email, "wrong guess")).status).toBe(401);
  const late = await knock(email, PASSWORD);
  expect([late.status, late.body]).toEqual([429, failure(429, "Too Many Attempts.")]);
  expect(Number(late.headers.get("retry-after"))).toBeWithin(1, 301);
  const [kept] = await runtime.store.sql`select count(*)::integer as n from throttles where count >= 10`;
  expect(kept?.n).toBeGreaterThan(0);
  await runtime.store.sql`update throttles set ends_at = now()`;
  expect((await knock(email, PASSWORD)).status).toBe(200);
  for (let turn = 0; turn < 10; turn++) expect((await knock(email, "wrong guess")).status).toBe(401);
});

test("who guesses elsewhere keeps nobody out, unless by far too many", async () => {
  const { email } = await person("eve");
  const from = async (address: string, password: string) => {
    const body = JSON.stringify({ email, password });
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/api/session", { method: "POST", headers, body });
    return (await runtime.runtime.http.handle(request, address)).status;
  };
  for (let turn = 0; turn < 10; turn++) expect(await from("192.0.2.7", "wrong guess")).toBe(401);
  expect(await from("192.0.2.7", PASSWORD)).toBe(429);
  expect(await from("198.51.100.7", PASSWORD)).toBe(200);
  await runtime.store.sql`delete from throttles`;
});

test("another scheme's header, such as a proxy's, leaves a session as it is", async () => {
  const { email } = await person("ivy");
  const cookie = (await knock(email, PASSWORD)).headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (headers: Record<string, string>) => runtime.ask("GET", "/api/users/me", { as: null, headers });
  expect((await ask({ cookie, authorization: "Basic dXNlcjpwYXNz" })).status).toBe((await ask({ cookie })).status);
  expect((await ask({ cookie, authorization: "Token nonsense" })).status).toBe(401);
  expect((await ask({ authorization: "Basic dXNlcjpwYXNz" })).status).toBe(401);
});

test("password guessing is throttled by address, whichever account it is for", async () => {
  await runtime.store.sql`update throttles set count = 1000`;
  expect((await knock("somebody-new@example.com", PASSWORD)).status).toBe(429);
  await runtime.store.sql`delete from throttles`;
});

test("a refused sign-in leaves a line with the address and the account, and never the password", async () => {
  const lines: string[] = [];
  const writes = spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const talkative = await bootTestRuntime({ env: { LOG_LEVEL: "info", SIGN_IN_ATTEMPTS: "2" } });
  const guess = (email: string) =>
    talkative.ask("POST", "/api/session", { as: null, body: { email, password: "hunter2hunter2" } });
  const odd = `${"\u0007\u202emallory\n@example.com".repeat(40)}`;
  for (const email of ["admin@example.com", "admin@example.com", "admin@example.com", odd]) await guess(email);
  await talkative.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "" },
  });
  await talkative.stop();
  writes.mockRestore();
  const refused = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "A sign-in was refused");
  const known = { level: "info", address: "127.0.0.1", email: "admin@example.com" };
  expect(refused).toMatchObject([{ ...known, status: 401 }, { ...known, status: 401 }, { ...known, status: 429 }, {}]);
  expect(refused).toHaveLength(4);
  expect(refused[3].email).toMatch(/^mallory@example\.commallory/);
  expect(refused[3].email.length).toBeLessThanOrEqual(254);
  expect(lines.join("")).not.toContain("hunter2");
});
