import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CommandIo } from "lectern/cli";
import { SYSTEM } from "lectern/core";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const DENIED = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const LAST_ADMIN =
  "This user is the only user assigned to the administrator role. " +
  "Assign the administrator role to another user before attempting to remove it here.";

const invalid = (validation: unknown) => ({ error: { message: "The given data was invalid.", validation, code: 422 } });
const post = (body: unknown) => runtime.ask("POST", "/api/users", { body });
const put = (id: number, body: unknown) => runtime.ask("PUT", `/api/users/${id}`, { body });
const remove = (id: number, body?: unknown) => runtime.ask("DELETE", `/api/users/${id}`, { body });

test("a fresh instance has an administrator and a guest", async () => {
  const { body } = await runtime.ask("GET", "/api/users");
  expect(body.data.slice(0, 2).map((user: Record<string, unknown>) => [user.id, user.name, user.email])).toEqual([
    [1, "Admin", "admin@example.com"],
    [2, "Guest", "guest@example.com"],
  ]);
  expect((await runtime.ask("GET", "/api/users/2")).body.roles).toEqual([{ id: 4, display_name: "Public" }]);
});

test("a user is shown in full and without secrets", async () => {
  const { status, body } = await post({
    name: "Rita Reed",
    email: "rita@example.com",
    password: "long enough",
    language: "fr",
    roles: [3],
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    id: expect.any(Number),
    name: "Rita Reed",
    email: "rita@example.com",
    created_at: expect.stringMatching(/\.\d{6}Z$/),
    updated_at: expect.any(String),
    external_auth_id: "",
    slug: "rita-reed",
    last_activity_at: null,
    profile_url: "http://localhost/user/rita-reed",
    edit_url: `http://localhost/settings/users/${body.id}`,
    avatar_url: "http://localhost/user_avatar.png",
    roles: [{ id: 3, display_name: "Viewer" }],
  });
  expect((await runtime.ask("GET", `/api/users/${body.id}`)).body).toEqual(body);
  const [row] = await runtime.store.sql`select password, language from users where id = ${body.id}`;
  expect(row?.password).toStartWith("$argon2id$");
  expect(row?.language).toBe("fr");
});

test("slugs follow names and stay unique", async () => {
  const one = (await post({ name: "Twin", email: "twin1@example.com" })).body;
  const two = (await post({ name: "Twin", email: "twin2@example.com" })).body;
  expect([one.slug, two.slug]).toEqual(["twin", expect.stringMatching(/^twin-[A-Za-z0-9]{3}$/)]);
  expect((await put(one.id, { name: "Zoë Ärmel" })).body.slug).toBe("zoe-armel");
  expect((await put(two.id, { name: "Twin" })).body.slug).toBe("twin");
  expect((await post({ name: "中文", email: "han@example.com" })).body.slug).toMatch(/^[0-9a-f]{5}$/);
});

test("an address belongs to one user, however it is written", async () => {
  const taken = invalid({ email: ["The email has already been taken."] });
  const first = (await post({ name: "First", email: "one@example.com" })).body;
  const second = (await post({ name: "Second", email: "two@example.com" })).body;
  for (const email of ["one@example.com", "ONE@Example.Com", " one@example.com "]) {
    expect((await post({ name: "Third", email })).body).toEqual(taken);
    expect((await put(second.id, { email })).body).toEqual(taken);
  }
  expect((await post({ email: "one@example.com" })).body).toEqual(
    invalid({
      name: ["The name field is required."],
      email: ["The email has already been taken."],
    }),
  );
  expect((await put(first.id, { email: "One@example.com" })).body.email).toBe("One@example.com");
});

test("of two requests for one address at the same time, one succeeds", async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => post({ name: "Racer", email: "racer@example.com" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
  const names = await Promise.all(
    Array.from({ length: 6 }, (_, index) => post({ name: "Same Name", email: `same${index}@example.com` })),
  );
  expect(new Set(names.map(({ body }) => body.slug)).size).toBe(6);
});

test("absent fields stay, empty ones are refused, ignored or cleared", async () => {
  const { id } = (await post({ name: "Change", email: "change@example.com", external_auth_id: "ext", roles: [3] }))
    .body;
  expect((await put(id, {})).body.external_auth_id).toBe("ext");
  expect((await put(id, { name: "" })).body).toEqual(invalid({ name: ["The name must be at least 1 characters."] }));
  expect((await put(id, { language: "" })).status).toBe(200);
  expect((await put(id, { external_auth_id: "" })).body.external_auth_id).toBe("");
  expect(
    (await put(id, { roles: { first: "2", second: 4 } })).body.roles.map((role: { id: number }) => role.id),
  ).toEqual([2, 4]);
  expect((await put(id, { roles: [] })).body.roles).toEqual([]);
});

test("an empty password of a form is no wish for another one", async () => {
  const made = await runtime.ask("POST", "/api/users", {
    form: { name: "Formal", email: "formal@example.com", password: "" },
  });
  const changed = await runtime.ask("POST", `/api/users/${made.body.id}`, {
    form: { _method: "PUT", name: "More formal", password: "" },
  });
  expect([made.status, changed.status, changed.body.name]).toEqual([200, 200, "More formal"]);
});

test("malformed input is refused without a server error", async () => {
  const { id } = (await post({ name: "Odd", email: "odd@example.com" })).body;
  const bodies = [
    { name: null },
    { name: "n".repeat(101) },
    { name: ["x"] },
    { email: "nonsense" },
    { email: 5 },
    { email: "" },
    { password: "1234567" },
    { language: "en GB" },
    { language: "a".repeat(16) },
    { external_auth_id: 5 },
    { roles: "all" },
    { roles: ["one"] },
    { roles: [2.5] },
    { roles: [99999999] },
    { roles: [99999999999999] },
    { roles: [0] },
    { roles: [-1] },
    { roles: [[3]] },
    { roles: [null] },
  ];
  for (const body of bodies) expect([body, (await put(id, body)).status]).toEqual([body, 422]);
  expect((await put(id, { roles: [3, 99999999] })).body).toEqual(
    invalid({ "roles.1": ["The selected roles.1 is invalid."] }),
  );
  expect((await post({ name: "X", email: "x@example.com", send_invite: "perhaps" })).status).toBe(422);
  for (const path of ["0", "-1", "abc", "99999999999999999999", "%00"]) {
    expect([path, (await runtime.ask("GET", `/api/users/${path}`)).body]).toEqual([
      path,
      { error: { message: "User not found", code: 404 } },
    ]);
  }
  expect((await put(id, { name: "null\u0000byte" })).body.name).toBe("nullbyte");
  expect(
    (await runtime.ask("GET", "/api/users?filter[last_activity_at:gt]=2000-13-45&filter[id]=99999999999999999999"))
      .body,
  ).toEqual({ data: [], total: 0 });
});

test("listings filter and sort by every field", async () => {
  await post({ name: "Listed Bo", email: "bo@list.example", external_auth_id: "bo7" });
  await post({ name: "Listed Al", email: "al@list.example" });
  const names = async (query: string) =>
    (await runtime.ask("GET", `/api/users?${query}`)).body.data.map((user: { name: string }) => user.name);
  expect(await names("filter[email:like]=%25@list.example")).toEqual(["Listed Bo", "Listed Al"]);
  expect(await names("filter[email:like]=%25@list.example&sort=name")).toEqual(["Listed Al", "Listed Bo"]);
  expect(await names("filter[external_auth_id]=BO7")).toEqual(["Listed Bo"]);
  expect(await names("filter[last_activity_at:gt]=2000-01-01")).toEqual(["Admin"]);
  expect(await names("filter[last_activity_at:lt]=2000-01-01")).toEqual([]);
  for (const field of ["id", "slug", "created_at", "updated_at", "last_activity_at"])
    expect(await names(`sort=-${field}&count=1`)).toHaveLength(1);
});

test("the guest and the only administrator stay", async () => {
  const refusal = (message: string) => ({ error: { message, code: 500 } });
  const guest = await remove(2);
  expect([guest.status, guest.body]).toEqual([500, refusal("You cannot delete the guest user")]);
  expect((await remove(1)).body).toEqual(refusal("You cannot delete the only admin"));
  expect((await put(1, { roles: [3] })).body).toEqual(refusal(LAST_ADMIN));
  expect((await put(1, { roles: [1, 3] })).body.roles).toHaveLength(2);
  const { id } = (await post({ name: "Second admin", email: "second-admin@example.com", roles: [1] })).body;
  // Called as the system, so that both are permitted whichever comes first.
  const users = runtime.contexts.get("users");
  const strip = async (of: number) => {
    const answer = await users?.callAs(SYSTEM, "PUT", `/api/users/${of}`, { input: { roles: [] } });
    return { status: answer?.status ?? 0 };
  };
  const both = await Promise.all([strip(1), strip(id)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 500]);
  await runtime.store.sql`insert into role_user (user_id, role_id) values (1, 1) on conflict do nothing`;
  await runtime.ask("PUT", "/api/roles/1", { body: {} });
  expect((await remove(id)).status).toBe(204);
});

test("what a deleted user owned goes to the heir or to nobody", async () => {
  const ada = await runtime.person("ada", ["access-api", "book-create-all", "book-view-all"]);
  const heir = (await post({ name: "Heir", email: "heir@example.com" })).body;
  const faulty = (id: unknown, text: string) => [id, invalid({ migrate_ownership_id: [text] })];
  for (const id of [99999999, 2147483647, ada.id, -1]) {
    const { body } = await remove(ada.id, { migrate_ownership_id: id });
    expect([id, body]).toEqual(faulty(id, "The selected migrate ownership id is invalid."));
  }
  expect((await remove(ada.id, { migrate_ownership_id: "heir" })).body).toEqual(
    invalid({
      migrate_ownership_id: ["The migrate ownership id must be an integer."],
    }),
  );
  const book = (await runtime.ask("POST", "/api/books", { as: ada.token, body: { name: "Legacy" } })).body;
  expect((await remove(ada.id, { migrate_ownership_id: heir.id })).status).toBe(204);
  const kept = (await runtime.ask("GET", `/api/books/${book.id}`)).body;
  expect([kept.owned_by?.id, kept.created_by, kept.updated_by]).toEqual([heir.id, null, null]);
  await remove(heir.id);
  expect((await runtime.ask("GET", `/api/books/${book.id}`)).body.owned_by).toBeNull();
});

test("nobody without the right learns anything about users", async () => {
  const ann = await runtime.person("ann", ["access-api", "user-roles-manage", "settings-manage"]);
  const calls: readonly [string, string, unknown?][] = [
    ["GET", "/api/users"],
    ["POST", "/api/users", {}],
    ["GET", "/api/users/1"],
    ["GET", "/api/users/99999999"],
    ["PUT", "/api/users/1", { name: 5 }],
    ["DELETE", "/api/users/1"],
  ];
  for (const [method, path, body] of calls) {
    const answer = await runtime.ask(method, path, { as: ann.token, body });
    expect([method, path, answer.status, answer.body]).toEqual([method, path, 403, DENIED]);
  }
});

test("in a demo nobody manages users, and roles are managed still", async () => {
  const demo = await bootTestRuntime({ env: { APP_ENV: "demo" } });
  try {
    for (const [method, path] of [
      ["GET", "/api/users"],
      ["POST", "/api/users"],
      ["GET", "/api/users/1"],
      ["DELETE", "/api/users/2"],
    ] as const) {
      expect((await demo.ask(method, path)).body).toEqual(DENIED);
    }
    expect((await demo.ask("GET", "/api/roles")).status).toBe(200);
  } finally {
    await demo.stop();
  }
});

test("an invitation is stored hashed, for two weeks", async () => {
  for (const send_invite of [true, 1, "1"]) {
    const { id } = (
      await post({ name: "Guest of honour", email: `invited-${typeof send_invite}@example.com`, send_invite })
    ).body;
    const [invite] = await runtime.store
      .sql`select hash, expires_at - now() > '335 hours' and expires_at - now() <= '336 hours' as fits
      from user_invites where user_id = ${id}`;
    expect([invite?.hash.length, invite?.fits]).toEqual([64, true]);
  }
});

test("commands create and list users and set passwords", async () => {
  const run = async (...args: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const io: CommandIo = {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
      env: {},
      columns: 80,
      tty: false,
    };
    const plugin = runtime.runtime.booted.find(({ plugin: { name } }) => name === "users")?.plugin;
    const code = await plugin?.commands.user?.run(args, io, runtime.contexts.get("users"));
    return { code, out: out.join("\n"), err: err.join("\n") };
  };
  expect(
    await run("create", "--email", "root@example.com", "--name", "Root", "--admin", "--password", "long enough"),
  ).toMatchObject({ code: 0 });
  expect((await run("list")).out).toContain("root@example.com");
  expect((await run("list")).out).toMatch(/Root {2}Admin/);
  const changed = await run("password", "--email", "ROOT@example.com");
  expect([changed.code, changed.out]).toEqual([0, expect.stringMatching(/password: [A-Za-z0-9]{20}$/)]);
  expect((await run("create", "--email", "root@example.com", "--name", "Again")).err).toContain("already been taken");
  expect((await run("password", "--email", "nobody@example.com")).code).toBe(1);
  expect((await run("password", "--email", "root@example.com", "--password", "short")).code).toBe(1);
  for (const [email, name] of [
    ["bad@ address", "y"],
    ["a@example.com", "n".repeat(101)],
    ["", "Nobody"],
  ] as const)
    expect((await run("create", "--email", email, "--name", name)).code).toBe(1);
  expect((await run("create", "--nonsense")).code).toBe(1);
  expect((await run("dance")).code).toBe(2);
});
