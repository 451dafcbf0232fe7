import { afterAll, beforeAll, expect, test } from "bun:test";
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

const DENIED = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const invalid = (validation: unknown) => ({ error: { message: "The given data was invalid.", validation, code: 422 } });

/** Makes a token by the API and returns it as a request sends it, with its id. */
async function made(owner: number, body: Record<string, unknown>, as = runtime.token) {
  const answer = await runtime.ask("POST", `/api/users/${owner}/tokens`, { as, body: { name: "made", ...body } });
  expect(answer.status).toBe(200);
  return { ...answer.body, token: `${answer.body.token_id}:${answer.body.secret}` };
}

test("a token is made for oneself, shown once, listed without its secret, renamed and revoked", async () => {
  const ann = await runtime.person("ann", ["access-api"]);
  events.length = 0;
  const answer = await runtime.ask("POST", `/api/users/${ann.id}/tokens`, { as: ann.token, body: { name: "Laptop" } });
  expect(answer.body).toEqual({
    id: expect.any(Number),
    name: "Laptop",
    token_id: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
    user_id: ann.id,
    user_name: "ann",
    expires_at: `${new Date().getUTCFullYear() + 100}${new Date().toISOString().slice(4, 10)}`,
    read_only: false,
    permissions: null,
    last_used_at: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    secret: expect.stringMatching(/^[A-Za-z0-9]{32}$/),
  });
  const { id, token_id, secret } = answer.body;
  const token = `${token_id}:${secret}`;
  const path = `/api/users/${ann.id}/tokens`;
  const list = await runtime.ask("GET", `${path}?sort=-id`, { as: token });
  expect([list.body.total, list.body.data[0].id, JSON.stringify(list.body).includes(secret)]).toEqual([2, id, false]);
  expect(list.body.data[0].last_used_at).toMatch(/Z$/);
  const renamed = await runtime.ask("PUT", `${path}/${id}`, {
    as: token,
    body: { name: "Desk", expires_at: "2031-02-03" },
  });
  expect([renamed.body.name, renamed.body.expires_at, renamed.body.secret]).toEqual(["Desk", "2031-02-03", undefined]);
  const reset = await runtime.ask("PUT", `${path}/${id}`, { as: ann.token, body: { expires_at: "" } });
  expect([reset.body.name, reset.body.expires_at]).toEqual(["Desk", answer.body.expires_at]);
  expect((await runtime.ask("PUT", `${path}/${id}`, { as: token, body: { expires_at: "2020-01-01" } })).status).toBe(
    200,
  );
  expect((await runtime.ask("GET", "/api/books", { as: token })).status).toBe(403);
  expect((await runtime.ask("DELETE", `${path}/${id}`, { as: ann.token })).status).toBe(204);
  expect((await runtime.ask("GET", "/api/books", { as: token })).status).toBe(401);
  expect((await runtime.ask("DELETE", `${path}/${id}`, { as: ann.token })).body.error.message).toBe("Token not found");
  expect(events).toEqual([
    "api_token_create",
    "api_token_update",
    "api_token_update",
    "api_token_update",
    "api_token_delete",
  ]);
});

test("other people's tokens are for who manages users", async () => {
  const ben = await runtime.person("ben", ["access-api"]);
  const carl = await runtime.person("carl", ["access-api"]);
  const dora = await runtime.person("dora", ["access-api", "users-manage"]);
  const { id } = await made(ben.id, {}, ben.token);
  const path = `/api/users/${ben.id}/tokens`;
  for (const [method, at] of [
    ["GET", path],
    ["POST", path],
    ["PUT", `${path}/${id}`],
    ["DELETE", `${path}/${id}`],
  ] as const)
    expect((await runtime.ask(method, at, { as: carl.token, body: { name: "x" } })).body).toEqual(DENIED);
  expect((await runtime.ask("GET", "/api/users/99999999/tokens", { as: carl.token })).status).toBe(403);
  expect((await runtime.ask("GET", "/api/users/99999999/tokens", { as: dora.token })).status).toBe(404);
  expect((await runtime.ask("DELETE", `/api/users/${carl.id}/tokens/${id}`, { as: dora.token })).status).toBe(404);
  expect((await runtime.ask("GET", path, { as: dora.token })).body.total).toBe(2);
  const forBen = await made(ben.id, { name: "By Dora" }, dora.token);
  expect((await runtime.ask("GET", "/api/users/me", { as: forBen.token })).body.id).toBe(ben.id);
  expect((await runtime.ask("DELETE", `${path}/${id}`, { as: dora.token })).status).toBe(204);
});

test("bad input is refused by field", async () => {
  const post = (body: unknown) => runtime.ask("POST", "/api/users/1/tokens", { body });
  expect((await post({})).body).toEqual(invalid({ name: ["The name field is required."] }));
  expect((await post({ name: "x".repeat(251) })).status).toBe(422);
  expect((await post({ name: "x", expires_at: "2031-02-30" })).body).toEqual(
    invalid({ expires_at: ["The expires at must be a day of the form YYYY-MM-DD."] }),
  );
  expect((await post({ name: "x", permissions: ["page-view-all", "page-fly-all"] })).body).toEqual(
    invalid({ "permissions.1": ["The selected permissions.1 is invalid."] }),
  );
  for (const body of [{ name: "x", read_only: "perhaps" }, { name: "x", permissions: "all" }, { name: ["x"] }])
    expect((await post(body)).status).toBe(422);
  const { id } = await made(1, {});
  for (const body of [{ name: "x".repeat(251) }, { expires_at: "tomorrow" }])
    expect((await runtime.ask("PUT", `/api/users/1/tokens/${id}`, { body })).status).toBe(422);
  for (const wrong of ["0", "abc", "99999999999"])
    expect((await runtime.ask("DELETE", `/api/users/1/tokens/${wrong}`)).status).toBe(404);
});

test("a read-only token reads and does nothing else", async () => {
  const { token, id } = await made(1, { read_only: true });
  expect((await runtime.ask("GET", "/api/books", { as: token })).status).toBe(200);
  expect((await runtime.ask("HEAD", "/api/books", { as: token })).status).toBe(200);
  const refused = {
    error: { message: "The API token used is read-only: it allows the methods GET and HEAD alone", code: 403 },
  };
  for (const [method, path] of [
    ["POST", "/api/books"],
    ["PUT", `/api/users/1/tokens/${id}`],
    ["DELETE", "/api/users/2"],
    ["POST", "/api/books?_method=GET"],
    ["POST", "/api/users/1/tokens"],
  ] as const)
    expect((await runtime.ask(method, path, { as: token, body: { name: "x" } })).body).toEqual(refused);
});

test("a narrower token may use what it names, as far as its owner may", async () => {
  const eve = await runtime.person("eve", ["access-api", "book-create-all", "book-view-all", "book-update-all"]);
  const { token } = await made(
    eve.id,
    { permissions: ["book-view-all", "book-create-all", "users-manage"] },
    eve.token,
  );
  const me = await runtime.ask("GET", "/api/users/me", { as: token });
  expect(me.body.permissions).toEqual(["access-api", "book-create-all", "book-view-all"]);
  const book = await runtime.ask("POST", "/api/books", { as: token, body: { name: "Narrow" } });
  expect(book.status).toBe(200);
  expect((await runtime.ask("PUT", `/api/books/${book.body.id}`, { as: token, body: { name: "Wide" } })).status).toBe(
    403,
  );
  expect(
    (await runtime.ask("PUT", `/api/books/${book.body.id}`, { as: eve.token, body: { name: "Wide" } })).status,
  ).toBe(200);
  expect((await runtime.ask("GET", "/api/users", { as: token })).status).toBe(403);
  await runtime.ask("PUT", `/api/roles/${eve.role}`, { body: { permissions: ["access-api", "book-view-all"] } });
  expect((await runtime.ask("POST", "/api/books", { as: token, body: { name: "Later" } })).status).toBe(403);
  expect((await runtime.ask("GET", `/api/books/${book.body.id}`, { as: token })).status).toBe(200);
});

test("an administrator's narrower token is no administrator's", async () => {
  const book = (await runtime.ask("POST", "/api/books", { body: { name: "Of the admin" } })).body.id;
  const { token } = await made(1, { permissions: ["page-view-all"] });
  expect((await runtime.ask("GET", `/api/books/${book}`, { as: token })).status).toBe(404);
  expect((await runtime.ask("GET", "/api/books", { as: token })).body.total).toBe(0);
  expect((await runtime.ask("PUT", `/api/books/${book}`, { as: token, body: { name: "x" } })).status).toBe(404);
  const none = await made(1, { permissions: [] });
  expect((await runtime.ask("GET", "/api/users/me", { as: none.token })).body.permissions).toEqual(["access-api"]);
});

test("a narrower token makes no wider one", async () => {
  const visibilityRule = await made(1, { permissions: ["book-view-all"] });
  for (const method of ["GET", "POST"])
    expect(
      (await runtime.ask(method, "/api/users/1/tokens", { as: visibilityRule.token, body: { name: "x" } })).status,
    ).toBe(403);
  expect((await runtime.ask("GET", "/api/users/1/sessions", { as: visibilityRule.token })).status).toBe(403);
  const manager = await made(1, { permissions: ["users-manage", "book-view-all"] });
  const heir = await made(1, {}, manager.token);
  expect(heir.permissions).toEqual(["book-view-all", "users-manage"]);
  const cut = await made(1, { permissions: ["book-view-all", "settings-manage"] }, manager.token);
  expect(cut.permissions).toEqual(["book-view-all"]);
});

test("in a demo nobody manages tokens", async () => {
  const demo = await bootTestRuntime({ env: { APP_ENV: "demo" } });
  try {
    expect((await demo.ask("GET", "/api/users/1/tokens")).body).toEqual(DENIED);
    expect((await demo.ask("POST", "/api/users/1/tokens", { body: { name: "x" } })).body).toEqual(DENIED);
    expect((await demo.ask("GET", "/api/users/me")).status).toBe(200);
  } finally {
    await demo.stop();
  }
});
