/**
 * Privilege escalation: a token that outlives its scope or creates an account with more permissions, overrides that widen a
 * scope, a guest with permissions, an instance that locks its own administrators out.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let page = 0;
let book = 0;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Book" } })).body.id;
  page = (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Page", html: "<p>x</p>" } })).body.id;
});
afterAll(() => runtime.stop());

async function scoped(owner: number, body: object, as = runtime.token): Promise<{ id: number; token: string }> {
  const made = (await runtime.ask("POST", `/api/users/${owner}/tokens`, { as, body: { name: "t", ...body } })).body;
  return { id: made.id, token: `${made.token_id}:${made.secret}` };
}

test("a token neither extends itself nor makes one that ends later", async () => {
  const ann = await runtime.person("ann", ["access-api"]);
  const path = `/api/users/${ann.id}/tokens`;
  const short = await scoped(ann.id, { expires_at: "2031-05-05" });
  const ask = (method: string, address: string, body: object) =>
    runtime.ask(method, address, { as: short.token, body });
  expect((await ask("PUT", `${path}/${short.id}`, { expires_at: "" })).body.expires_at).toBe("2031-05-05");
  const late = await ask("PUT", `${path}/${short.id}`, { expires_at: "2031-05-06" });
  expect([late.status, late.body.error.validation]).toEqual([
    422,
    { expires_at: ["The expires at must not be after 2031-05-05, when the token in use ends."] },
  ]);
  expect((await ask("POST", path, { name: "x" })).body.expires_at).toBe("2031-05-05");
  expect((await ask("POST", path, { name: "x", expires_at: "2099-01-01" })).status).toBe(422);
  expect((await ask("POST", path, { name: "x", expires_at: "2030-01-01" })).body.expires_at).toBe("2030-01-01");
});

test("a token that manages users takes over no account and makes none that may more", async () => {
  const { token } = await scoped(1, { permissions: ["users-manage"] });
  const bob = await runtime.person("bob", ["access-api"]);
  const ask = (method: string, path: string, body: object) => runtime.ask(method, path, { as: token, body });
  const account = { name: "back", email: "back@example.com", password: "back door 1" };
  expect((await ask("POST", "/api/users", { ...account, roles: [1] })).status).toBe(403);
  expect((await ask("POST", "/api/users", { ...account, roles: [2] })).status).toBe(403);
  expect((await ask("PUT", `/api/users/${bob.id}`, { roles: [1] })).status).toBe(403);
  expect((await ask("PUT", "/api/users/1", { password: "taken over" })).status).toBe(403);
  expect((await ask("PUT", "/api/users/1", { email: "mine@example.com" })).status).toBe(403);
  const weak = (
    await runtime.ask("POST", "/api/roles", { body: { display_name: "Clerks", permissions: ["users-manage"] } })
  ).body;
  expect((await ask("POST", "/api/users", { ...account, roles: [weak.id] })).status).toBe(200);
  expect((await ask("PUT", `/api/users/${bob.id}`, { name: "Robert", roles: [bob.role, weak.id] })).status).toBe(200);
});

test("a token that manages roles gives them nothing beyond its scope", async () => {
  const { token } = await scoped(1, { permissions: ["user-roles-manage"] });
  const role = (
    await runtime.ask("POST", "/api/roles", { body: { display_name: "Wide", permissions: ["page-view-all"] } })
  ).body;
  const ask = (method: string, path: string, body: object) => runtime.ask(method, path, { as: token, body });
  expect((await ask("POST", "/api/roles", { display_name: "New", permissions: ["settings-manage"] })).status).toBe(403);
  expect((await ask("PUT", `/api/roles/${role.id}`, { permissions: ["page-view-all", "users-manage"] })).status).toBe(
    403,
  );
  expect(
    (await ask("PUT", `/api/roles/${role.id}`, { permissions: ["page-view-all", "user-roles-manage"] })).status,
  ).toBe(200);
  expect((await ask("PUT", `/api/roles/${role.id}`, { permissions: [] })).status).toBe(200);
});

test("an override opens nothing that a token does not name", async () => {
  const cat = await runtime.person("cat", ["access-api", "page-view-all", "attachment-create-all"]);
  await runtime.ask("PUT", `/api/content-permissions/page/${page}`, {
    body: { role_permissions: [{ role_id: cat.role, view: true, create: true, update: true, delete: true }] },
  });
  const link = { name: "n", uploaded_to: page, link: "https://example.com" };
  expect((await runtime.ask("POST", "/api/attachments", { as: cat.token, body: link })).status).toBe(200);
  const { token } = await scoped(cat.id, { permissions: ["page-view-all", "attachment-create-all"] }, cat.token);
  expect((await runtime.ask("POST", "/api/attachments", { as: token, body: link })).status).toBe(403);
  expect((await runtime.ask("PUT", `/api/pages/${page}`, { as: token, body: { name: "x" } })).status).toBe(403);
});

test("a token for own items sees own items, whatever roles and overrides open", async () => {
  const dan = await runtime.person("dan", [
    "access-api",
    "book-view-all",
    "page-view-all",
    "page-create-all",
    "page-update-all",
  ]);
  await runtime.ask("PUT", `/api/content-permissions/page/${page}`, {
    body: { role_permissions: [{ role_id: dan.role, view: true, create: true, update: true, delete: true }] },
  });
  const own = (
    await runtime.ask("POST", "/api/pages", { as: dan.token, body: { book_id: book, name: "Own", html: "<p>x</p>" } })
  ).body.id;
  const { token } = await scoped(dan.id, { permissions: ["page-view-own", "page-update-own"] }, dan.token);
  const list = await runtime.ask("GET", "/api/pages", { as: token });
  expect([list.body.total, list.body.data.map(({ id }: { id: number }) => id)]).toEqual([1, [own]]);
  const filtered = await runtime.ask("GET", "/api/pages?filter[name:like]=%25", { as: token });
  expect([filtered.body.total, filtered.body.data.length]).toEqual([1, 1]);
  expect((await runtime.ask("GET", `/api/pages/${page}`, { as: token })).status).toBe(404);
  expect((await runtime.ask("PUT", `/api/pages/${own}`, { as: token, body: { name: "Mine" } })).status).toBe(200);
});

test("the guest gets no other roles and no password, and is no last administrator", async () => {
  const roles = await runtime.ask("PUT", "/api/users/2", { body: { roles: [1] } });
  expect([roles.status, roles.body.error.validation]).toEqual([
    422,
    { roles: ["The roles of the guest user cannot be changed."] },
  ]);
  expect((await runtime.ask("PUT", "/api/users/2", { body: { password: "long enough" } })).status).toBe(422);
  expect((await runtime.ask("PUT", "/api/users/2", { body: { name: "Visitor", roles: [4] } })).status).toBe(200);
  // An older version may have written this.
  await runtime.store.sql`insert into role_user (user_id, role_id) values (2, 1)`;
  expect((await runtime.ask("PUT", "/api/users/1", { body: { roles: [2] } })).status).toBe(500);
  await runtime.store.sql`delete from role_user where user_id = 2 and role_id = 1`;
});

test("administrators reach the API whatever their role has lost", async () => {
  const emptied = await runtime.ask("PUT", "/api/roles/1", { body: { permissions: [] } });
  expect(emptied.body.permissions).toHaveLength(5);
  expect((await runtime.ask("GET", "/api/users")).status).toBe(200);
  expect((await runtime.ask("GET", "/api/books")).body.total).toBe(1);
});

test("a user who is deleted while a token is made for them leaves no error behind", async () => {
  for (let round = 0; round < 4; round++) {
    const { id } = (
      await runtime.ask("POST", "/api/users", { body: { name: "gone", email: `gone${round}@example.com` } })
    ).body;
    const [, made] = await Promise.all([
      runtime.ask("DELETE", `/api/users/${id}`),
      runtime.ask("POST", `/api/users/${id}/tokens`, { body: { name: "late" } }),
    ]);
    expect([200, 404]).toContain(made.status);
  }
});
