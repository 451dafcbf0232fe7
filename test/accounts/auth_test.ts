import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const failure = (code: number, message: string) => ({ error: { message, code } });
const NONE = failure(401, "No authorization token found on the request");
const ODD = failure(401, "An authorization token was found on the request but the format appeared incorrect");
const UNKNOWN = failure(401, "No matching API token was found for the provided authorization token");
const WRONG = failure(401, "The secret provided for the given used API token is incorrect");
const EXPIRED = failure(403, "The authorization token used has expired");
const NO_API = failure(403, "The owner of the used API token does not have permission to make API calls");

const knock = (authorization: string, method = "GET", path = "/api/users") =>
  runtime.ask(method, path, { as: null, headers: { authorization } });

test("every way not to be let in has its own answer", async () => {
  const cases: readonly [string, unknown][] = [
    ["", NONE],
    ["Token", ODD],
    ["Token abcdef", ODD],
    ["abc:def", ODD],
    ["Bearer abc:def", ODD],
    ["token adminid:adminsecret", ODD],
    ["Token :", UNKNOWN],
    ["Token nobody-has-this:secret", UNKNOWN],
    ["Token  adminid:adminsecret", UNKNOWN],
    [`Token ${"x".repeat(5000)}:secret`, UNKNOWN],
    ["Token \u00e4\u00f6:secret", UNKNOWN],
    ["Token adminid:", WRONG],
    ["Token adminid:Adminsecret", WRONG],
  ];
  for (const [header, body] of cases) {
    const answer = await knock(header);
    expect([header.slice(0, 40), answer.status, answer.body]).toEqual([header.slice(0, 40), 401, body]);
  }
  expect((await knock("Token adminid:adminsecret:more")).status).toBe(200);
});

test("credentials are asked for before fields and items", async () => {
  expect((await runtime.ask("POST", "/api/roles", { as: null, body: { display_name: 5 } })).body).toEqual(NONE);
  expect((await runtime.ask("GET", "/api/users/99999999", { as: null })).body).toEqual(NONE);
  expect((await knock("Token nobody:secret", "DELETE", "/api/users/1")).body).toEqual(UNKNOWN);
});

test("a token expires at the start of its day, and a wrong secret is reported first", async () => {
  const today = new Date().toISOString().slice(0, 10);
  const ann = await runtime.person("ann", ["access-api", "users-manage"]);
  const [tokenId] = ann.token.split(":");
  expect((await runtime.ask("GET", "/api/users", { as: ann.token })).status).toBe(200);
  const ben = await runtime.person("ben", ["access-api", "users-manage"]);
  await runtime.store
    .sql`update api_tokens set expires_at = ${today} where token_id = ${ben.token.split(":")[0] ?? ""}`;
  const late = await runtime.ask("GET", "/api/users", { as: ben.token });
  expect([late.status, late.body]).toEqual([403, EXPIRED]);
  expect((await knock(`Token ${ben.token.split(":")[0]}:wrong`)).body).toEqual(WRONG);
  expect((await knock(`Token ${tokenId}:wrong`)).body).toEqual(WRONG);
});

test("changes of roles and users are felt by the next request", async () => {
  const ann = await runtime.person("ann", ["access-api", "users-manage"]);
  const seen = async () => {
    const { status, body } = await runtime.ask("GET", "/api/users?count=1", { as: ann.token });
    return status === 200 ? 200 : body;
  };
  expect(await seen()).toBe(200);
  await runtime.ask("PUT", `/api/roles/${ann.role}`, { body: { permissions: ["users-manage"] } });
  expect(await seen()).toEqual(NO_API);
  await runtime.ask("PUT", `/api/roles/${ann.role}`, { body: { permissions: ["access-api", "users-manage"] } });
  expect(await seen()).toBe(200);
  await runtime.ask("PUT", `/api/users/${ann.id}`, { body: { roles: [] } });
  expect(await seen()).toEqual(NO_API);
  await runtime.ask("PUT", `/api/users/${ann.id}`, { body: { roles: [ann.role], password: "a new password" } });
  expect(await seen()).toBe(200);
  await runtime.ask("DELETE", `/api/roles/${ann.role}`);
  expect(await seen()).toEqual(NO_API);
  await runtime.ask("DELETE", `/api/users/${ann.id}`);
  expect(await seen()).toEqual(UNKNOWN);
});

test("one role with the right to use the API is enough", async () => {
  const ann = await runtime.person("ann", ["users-manage"]);
  const ben = await runtime.person("ben", ["access-api"]);
  expect((await runtime.ask("GET", "/api/users", { as: ann.token })).body).toEqual(NO_API);
  await runtime.ask("PUT", `/api/users/${ann.id}`, { body: { roles: [ann.role, ben.role] } });
  expect((await runtime.ask("GET", "/api/users", { as: ann.token })).status).toBe(200);
});

test("an account without a confirmed address is refused only where confirmation is asked for", async () => {
  const strict = await bootTestRuntime({ env: { REGISTRATION_CONFIRMATION: "true" } });
  try {
    const ann = await strict.person("ann", ["access-api", "users-manage"]);
    expect((await strict.ask("GET", "/api/users", { as: ann.token })).status).toBe(200);
    await strict.store.sql`update users set email_confirmed = false where id = ${ann.id}`;
    await strict.ask("PUT", `/api/users/${ann.id}`, { body: {} });
    const answer = await strict.ask("GET", "/api/users", { as: ann.token });
    expect([answer.status, answer.body]).toEqual([
      401,
      failure(401, "The email address for the account in use needs to be confirmed"),
    ]);
  } finally {
    await strict.stop();
  }
});
