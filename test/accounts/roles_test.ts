import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, SYSTEM } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const DENIED = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const ADMIN_KEEPS = [
  "restrictions-manage-all",
  "restrictions-manage-own",
  "settings-manage",
  "user-roles-manage",
  "users-manage",
];

async function role(body: Record<string, unknown>): Promise<number> {
  return (await runtime.ask("POST", "/api/roles", { body })).body.id;
}

test("a fresh instance has four roles, and the administrator's holds every name", async () => {
  const { body } = await runtime.ask("GET", "/api/roles?sort=id&count=4");
  const shown = body.data.map((row: Record<string, unknown>) => [
    row.id,
    row.display_name,
    row.system_name,
    row.permissions_count,
  ]);
  expect(shown).toEqual([
    [1, "Admin", "admin", 62],
    [2, "Editor", "", 40],
    [3, "Viewer", "", 10],
    [4, "Public", "public", 10],
  ]);
  const admin = await runtime.ask("GET", "/api/roles/1");
  expect(admin.body.users).toEqual([{ id: 1, name: "Admin", slug: "admin" }]);
});

test("a role is shown in full whatever was sent", async () => {
  const { status, body } = await runtime.ask("POST", "/api/roles", { body: { display_name: "  Scribes  " } });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(Number),
    display_name: "Scribes",
    description: null,
    created_at: expect.stringMatching(/\.\d{6}Z$/),
    updated_at: expect.any(String),
    system_name: "",
    external_auth_id: "",
    mfa_enforced: false,
    permissions: [],
    users: [],
  });
});

test("permissions are replaced as a whole, and unknown ones dropped", async () => {
  const id = await role({
    display_name: "Names",
    permissions: ["page-view-all", "page-fly-all", "", "page-view-all", "access-api"],
  });
  const put = async (body: unknown) => (await runtime.ask("PUT", `/api/roles/${id}`, { body })).body.permissions;
  expect(await put({})).toEqual(["access-api", "page-view-all"]);
  expect(await put({ permissions: { 0: "content-import", x: "book-view-own" } })).toEqual([
    "book-view-own",
    "content-import",
  ]);
  expect(await put({ permissions: [] })).toEqual([]);
});

test("the built-in roles stay, and so does what an administrator needs", async () => {
  const text = "This role is a system role and cannot be deleted";
  for (const id of [1, 4]) {
    const { status, body } = await runtime.ask("DELETE", `/api/roles/${id}`);
    expect([status, body]).toEqual([500, { error: { message: text, code: 500 } }]);
  }
  const all = (await runtime.ask("GET", "/api/roles/1")).body.permissions;
  expect(
    (await runtime.ask("PUT", "/api/roles/1", { body: { permissions: ["access-api"] } })).body.permissions,
  ).toEqual(["access-api", ...ADMIN_KEEPS]);
  expect(
    (await runtime.ask("PUT", "/api/roles/1", { body: { permissions: all, system_name: "x" } })).body.system_name,
  ).toBe("admin");
});

test("the role that registering gives cannot be deleted", async () => {
  const other = await bootTestRuntime({ env: { REGISTRATION_ROLE: "3" } });
  try {
    const { status, body } = await other.ask("DELETE", "/api/roles/3");
    expect([status, body.error.message]).toEqual([
      500,
      "This role cannot be deleted while set as the default registration role",
    ]);
    expect((await other.ask("DELETE", "/api/roles/2")).status).toBe(204);
  } finally {
    await other.stop();
  }
});

test("listings filter and sort by what is counted, too", async () => {
  const id = await role({
    display_name: "Counted",
    description: "hay",
    permissions: ["page-view-all", "book-view-all", "access-api"],
  });
  await runtime.ask("POST", "/api/users", { body: { name: "Member", email: "member@example.com", roles: [id] } });
  const found = async (query: string) =>
    (await runtime.ask("GET", `/api/roles?${query}`)).body.data.map((row: { id: number }) => row.id);
  expect(await found("filter[permissions_count]=3")).toEqual([id]);
  expect(await found("filter[users_count:gte]=1&filter[system_name]=&filter[display_name]=counted")).toEqual([id]);
  expect((await found("sort=-permissions_count"))[0]).toBe(1);
  expect(await found("filter[description:like]=%25ha%25&sort=description")).toContain(id);
  expect(await found("filter[users_count]=many")).toEqual([]);
});

test("nobody without the right learns anything about roles", async () => {
  const ann = await runtime.person("ann", ["access-api", "users-manage", "settings-manage"]);
  const calls: readonly [string, string, unknown?][] = [
    ["GET", "/api/roles"],
    ["POST", "/api/roles", {}],
    ["GET", "/api/roles/1"],
    ["GET", "/api/roles/99999999"],
    ["GET", "/api/roles/abc"],
    ["PUT", "/api/roles/1", { display_name: "" }],
    ["DELETE", "/api/roles/1"],
  ];
  for (const [method, path, body] of calls) {
    const answer = await runtime.ask(method, path, { as: ann.token, body });
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, DENIED]);
  }
});

test("the body of a change is validated before its role is looked up", async () => {
  const put = async (body: unknown) => (await runtime.ask("PUT", "/api/roles/99999999", { body })).status;
  expect([await put({ display_name: "ab" }), await put({ display_name: "Fine" })]).toEqual([422, 404]);
});

test("malformed input is refused without a server error", async () => {
  const id = await role({ display_name: "Odd" });
  const bodies = [
    { display_name: "ab" },
    { display_name: "" },
    { display_name: null },
    { display_name: ["x"] },
    { display_name: "x".repeat(181) },
    { description: 5 },
    { mfa_enforced: 2 },
    { mfa_enforced: "yes" },
    { external_auth_id: {} },
    { permissions: "all" },
    { permissions: [7] },
    { permissions: [["deep"]] },
    { permissions: null },
  ];
  for (const body of bodies)
    expect([body, (await runtime.ask("PUT", `/api/roles/${id}`, { body })).status]).toEqual([body, 422]);
  for (const path of ["0", "-1", "1.5", "abc", "99999999999999999999", "2147483648", "%00"]) {
    expect([path, (await runtime.ask("GET", `/api/roles/${path}`)).status]).toEqual([path, 404]);
  }
  const cut = await runtime.ask("PUT", `/api/roles/${id}`, {
    body: { display_name: "null\u0000byte", permissions: ["page-view-all\u0000"] },
  });
  expect([cut.status, cut.body.display_name, cut.body.permissions]).toEqual([200, "nullbyte", ["page-view-all"]]);
  expect((await runtime.ask("GET", "/api/roles?filter[display_name]=%00&sort=nonsense&count=x")).body.total).toBe(0);
});

test("members lose a role that is deleted", async () => {
  const ann = await runtime.person("ann", ["access-api"]);
  expect((await runtime.ask("DELETE", `/api/roles/${ann.role}`)).status).toBe(204);
  expect((await runtime.ask("GET", `/api/users/${ann.id}`)).body.roles).toEqual([]);
  expect((await runtime.ask("GET", `/api/roles/${ann.role}`)).body).toEqual({
    error: { message: "Role not found", code: 404 },
  });
});

test("names that a plugin adds go to the administrator and may be granted", async () => {
  const flying = definePlugin({ name: "flying", permissions: ["page-fly-all" as never], setup() {} });
  const other = await bootTestRuntime({ extra: [flying] });
  try {
    expect((await other.ask("GET", "/api/roles/1")).body.permissions).toContain("page-fly-all");
    const made = await other.ask("POST", "/api/roles", {
      body: { display_name: "Pilots", permissions: ["page-fly-all"] },
    });
    expect(made.body.permissions).toEqual(["page-fly-all"]);
    // A permission that an operator removed stays removed when the runtime boots again.
    await other.ask("PUT", "/api/roles/1", { body: { permissions: ["access-api"] } });
    await other.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
    expect((await other.ask("GET", "/api/roles/1")).body.permissions).toHaveLength(6);
  } finally {
    await other.stop();
  }
});

test("the command deletes a role and moves its members to another role", async () => {
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const io = { out: (line: string) => void lines.push(line), err: (line: string) => void lines.push(line) };
    const plugin = runtime.runtime.booted.find(({ plugin: { name } }) => name === "roles")?.plugin;
    const more = { env: {}, columns: 80, tty: false };
    const code = await plugin?.commands.role?.run(args, { ...io, ...more }, runtime.contexts.get("roles"));
    return { code, said: lines.join("\n") };
  };
  const one = await runtime.person("leaver", ["access-api", "user-roles-manage"]);
  const two = await runtime.person("stayer", ["access-api"]);
  expect((await run("list")).said).toMatch(/1 {2}Admin {2}1 members/);
  expect(await run("delete", String(one.role), "--migrate-to", String(two.role))).toMatchObject({ code: 0 });
  expect((await runtime.ask("GET", "/api/roles", { as: one.token })).status).toBe(403);
  const { body } = await runtime.ask("GET", `/api/roles/${two.role}`);
  expect(body.users.map(({ id }: { id: number }) => id).sort()).toEqual([one.id, two.id].sort());
  const refused: readonly [args: string[], code: number, text: string][] = [
    [["delete", "1"], 1, "This role is a system role"],
    [["delete", "99999"], 1, 'there is no role "99999"'],
    [["delete", String(two.role), "--migrate-to", String(two.role)], 1, "cannot be moved"],
    [["delete", "1", "--nonsense"], 1, "nonsense"],
    [["dance"], 2, "list | delete ID"],
  ];
  for (const [args, code, text] of refused) {
    const answer = await run(...args);
    expect([args, answer.code]).toEqual([args, code]);
    expect(answer.said).toContain(text);
  }
});
