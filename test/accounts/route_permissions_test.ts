/**
 * For every route of the runtime: a user one permission short is refused, and the store stays unchanged. Then the same request
 * by a user who has all of them succeeds, which proves that the refusal came from the missing permission alone. Routes come
 * from the runtime itself, so one that is not in the table fails.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { KEYED, PUBLIC } from "../support/data/open_routes.ts";
import { PERMITS, type PermitCase } from "../support/data/route_permits.ts";
import { fakeSmtp } from "../support/fakes/smtp.ts";
import { stagedRequests } from "../support/harness/staged_requests.ts";
import { storeHash } from "../support/harness/store_hash.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const smtp = fakeSmtp();
let runtime: TestRuntime;
let staged: ReturnType<typeof stagedRequests>;
beforeAll(async () => {
  const env = { MAIL_HOST: "127.0.0.1", MAIL_PORT: String(smtp.port), MAIL_FROM: "wiki@example.com" };
  runtime = await bootTestRuntime({ env });
  staged = stagedRequests(runtime);
});
afterAll(async () => {
  await runtime.stop();
  smtp.stop();
});

const make = async (path: string, body: unknown): Promise<number> =>
  (await runtime.ask("POST", path, { body })).body.id as number;

const shorts = new Map<string, Promise<string>>();

/** The token of a user with these permissions, one for all requests that they are refused, as these change nothing. */
function short(held: readonly string[]): Promise<string> {
  const key = held.toSorted().join();
  const token = shorts.get(key) ?? runtime.person("short", held).then(({ token }) => token);
  shorts.set(key, token);
  return token;
}

async function refused(method: string, row: PermitCase, missing: string): Promise<void> {
  const held = ["access-api", ...row.needs].filter((name) => name !== missing);
  const request = await staged(row);
  const token = await short(held);
  const before = await storeHash(runtime.store);
  const { status } = await runtime.ask(method, request.path, { as: token, ...request.sent });
  const told = `${method} ${row.path} without ${missing}: `;
  const others = row.refusedWith === undefined ? "40[34]" : `(40[34]|${row.refusedWith})`;
  expect(told + status).toMatch(missing === "access-api" ? /: 403$/ : new RegExp(`: ${others}$`));
  expect(told + (await storeHash(runtime.store))).toBe(told + before);
}

async function letIn(method: string, row: PermitCase): Promise<void> {
  const request = await staged(row);
  const { token } = await runtime.person("full", ["access-api", ...row.needs]);
  const { status } = await runtime.ask(method, request.path, { as: token, ...request.sent });
  const told = `${method} ${row.path} with everything: ${status}`;
  expect(told).toMatch(row.answered === undefined ? /: (20[0124]|302)$/ : new RegExp(`: ${row.answered}$`));
}

/** Screens call these routes as their reader; they have a test of their own. */
const served = () => runtime.runtime.http.routes().filter(({ detail }) => detail["x-screen"] === undefined);
const routes = () => served().map(({ method, path }) => `${method} ${path}`);

test("the table knows every route of the runtime, and no other", () => {
  expect(routes().filter((route) => !(route in PERMITS) && !(route in PUBLIC) && !(route in KEYED))).toEqual([]);
  const known = new Set(routes());
  expect([PERMITS, PUBLIC, KEYED].flatMap(Object.keys).filter((route) => !known.has(route))).toEqual([]);
});

test("routes without credentials are declared public, and no other is", () => {
  const open = served().filter(({ permit }) => permit === "public");
  expect(open.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(PUBLIC).sort());
});

test("routes with credentials of their own let in no user, not even the administrator", async () => {
  const before = await storeHash(runtime.store);
  for (const route of Object.keys(KEYED)) {
    const [method = "", path = ""] = route.split(" ");
    const { status } = await runtime.ask(method, path, method === "GET" ? {} : { body: {} });
    expect(`${route}: ${status}`).toBe(`${route}: 401`);
  }
  expect(await storeHash(runtime.store)).toBe(before);
});

for (const [route, rows] of Object.entries(PERMITS)) {
  test(`${route} lets in who may, and nobody a permission short`, async () => {
    const [method = ""] = route.split(" ");
    for (const row of rows) {
      for (const missing of ["access-api", ...row.needs]) await refused(method, row, missing);
      await letIn(method, row);
    }
  });
}

/** Requests by which a user who manages users and roles could take over an administrator's account, or delete it. */
const TAKEOVERS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ["POST", "/api/users/{boss}/tokens", { name: "Mine" }],
  ["PUT", "/api/users/{boss}/tokens/{token}", { expires_at: "2100-01-01" }],
  ["DELETE", "/api/users/{boss}/tokens/{token}"],
  ["DELETE", "/api/users/{boss}/sessions/{session}"],
  ["PUT", "/api/users/{boss}", { password: "chosen by me" }],
  ["PUT", "/api/users/{boss}", { email: "mine@example.com" }],
  ["PUT", "/api/users/{boss}", { external_auth_id: "mine" }],
  ["PUT", "/api/users/{boss}", { roles: [] }],
  ["PUT", "/api/users/{boss}", { roles: ["{clerk}"] }],
  ["PUT", "/api/users/{self}", { roles: ["{clerk}", 1] }],
  ["PUT", "/api/users/{self}", { roles: { "0": "1" } }],
  ["POST", "/api/users", { name: "Mine", email: "mine@example.com", roles: [1], password: "chosen by me" }],
  ["POST", "/api/users", { name: "Mine", email: "mine@example.com", roles: ["1"], send_invite: true }],
  ["DELETE", "/api/users/{boss}"],
  ["DELETE", "/api/users/{boss}", { migrate_ownership_id: "{self}" }],
  ["PUT", "/api/roles/1", { display_name: "Mine" }],
  ["PUT", "/api/roles/1", { permissions: [] }],
];

test("users who manage users take over no administrator, and create none", async () => {
  const boss = await make("/api/users", { name: "Boss", email: "boss@example.com", roles: [1] });
  const token = await make(`/api/users/${boss}/tokens`, { name: "Theirs" });
  const [row] = await runtime.store.sql`insert into sessions (user_id, hash, address, agent)
    values (${boss}, 'hash of the boss', '', '') returning id`;
  const clerk = await runtime.person("clerk", ["access-api", "users-manage", "user-roles-manage"]);
  const names = { boss, token, session: row?.id, clerk: clerk.role, self: clerk.id } as Record<string, number>;
  const fill = (value: unknown) =>
    JSON.parse(JSON.stringify(value ?? null).replace(/"?\{(\w+)\}"?/g, (_, name: string) => String(names[name])));
  const before = await storeHash(runtime.store);
  for (const [method, path, body] of TAKEOVERS) {
    const where = path.replace(/\{(\w+)\}/g, (_, name: string) => String(names[name]));
    const sent = body === undefined ? {} : { body: fill(body) };
    const { status, body: said } = await runtime.ask(method, where, { as: clerk.token, ...sent });
    expect([method, path, body, status, said.error?.message]).toEqual([
      method,
      path,
      body,
      403,
      expect.stringContaining("Only an administrator"),
    ]);
  }
  expect(await storeHash(runtime.store)).toBe(before);

  // What the contract allows to users who manage users stays: names, the same address sent again, other users, other roles.
  const as = clerk.token;
  const same = { name: "The boss", email: "boss@example.com", external_auth_id: "", roles: [1] };
  expect((await runtime.ask("PUT", `/api/users/${boss}`, { as, body: same })).body.name).toBe("The boss");
  const more = await runtime.ask("PUT", `/api/users/${boss}`, { as, body: { roles: [1, clerk.role] } });
  expect(more.body.roles.map(({ id }: { id: number }) => id)).toEqual([1, clerk.role]);
  const other = await runtime.ask("POST", "/api/users", { as, body: { name: "Other", email: "other@example.com" } });
  for (const body of [{ password: "chosen by me" }, { email: "another@example.com" }, { roles: [clerk.role] }])
    expect((await runtime.ask("PUT", `/api/users/${other.body.id}`, { as, body })).status).toBe(200);
  expect((await runtime.ask("POST", `/api/users/${other.body.id}/tokens`, { as, body: { name: "x" } })).status).toBe(
    200,
  );
  expect((await runtime.ask("DELETE", `/api/users/${other.body.id}`, { as })).status).toBe(204);
});

test("administrators manage each other, and each their own account", async () => {
  const boss = await make("/api/users", { name: "Chief", email: "chief@example.com", roles: [1] });
  const { body: own } = await runtime.ask("POST", `/api/users/${boss}/tokens`, { body: { name: "Theirs" } });
  const as = `${own.token_id}:${own.secret}`;
  const { body: visibilityRule } = await runtime.ask("POST", `/api/users/${boss}/tokens`, {
    as,
    body: { name: "Narrow", permissions: ["users-manage"] },
  });
  const scoped = `${visibilityRule.token_id}:${visibilityRule.secret}`;
  // A narrower token is no administrator, but may manage its own user's tokens within its scope.
  const asScoped = (method: string, path: string, body?: unknown) =>
    runtime.ask(method, path, { as: scoped, ...(body === undefined ? {} : { body }) });
  expect((await asScoped("POST", `/api/users/${boss}/tokens`, { name: "Narrower" })).body.permissions).toEqual([
    "users-manage",
  ]);
  expect((await asScoped("POST", "/api/users/1/tokens", { name: "Wider" })).status).toBe(403);
  expect((await asScoped("DELETE", `/api/users/${boss}`)).status).toBe(403);
  expect((await asScoped("PUT", `/api/users/${boss}`, { roles: [] })).status).toBe(403);
  expect((await runtime.ask("PUT", `/api/users/${boss}`, { body: { password: "chosen by another" } })).status).toBe(
    200,
  );
  expect((await runtime.ask("PUT", `/api/users/${boss}`, { body: { roles: [] } })).body.roles).toEqual([]);
  expect((await runtime.ask("DELETE", `/api/users/${boss}`)).status).toBe(204);
});

test("the hash of the store changes with its content", async () => {
  const before = await storeHash(runtime.store);
  await runtime.store.sql`update users set language = 'fr' where id = 1`;
  expect(await storeHash(runtime.store)).not.toBe(before);
});
