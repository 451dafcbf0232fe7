/** The audit log: which events leave rows, their addresses, and what is kept about deleted items. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { activityOf } from "lectern/contracts";
import { definePlugin, GUEST, SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { SOURCES } from "../../plugins/operations/audit_log/activities.ts";
import { migrations } from "../../plugins/operations/audit_log/migrations.ts";
import auditLog from "../../plugins/operations/audit_log/plugin.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** What the contract lists (platform 6.2). */
const TYPES = new Set(
  `page_create page_update page_delete page_restore page_move chapter_create chapter_update chapter_delete chapter_move
  book_create book_create_from_chapter book_update book_delete book_sort bookshelf_create bookshelf_create_from_book
  bookshelf_update bookshelf_delete commented_on comment_create comment_update comment_delete permissions_update
  revision_restore revision_delete settings_update maintenance_action_run recycle_bin_empty recycle_bin_restore
  recycle_bin_destroy user_create user_update user_delete user_mfa_reset api_token_create api_token_update
  api_token_delete role_create role_update role_delete auth_password_reset_request auth_password_reset_update auth_login
  auth_register mfa_setup_method mfa_remove_method webhook_create webhook_update webhook_delete import_create import_run
  import_delete sort_rule_create sort_rule_update sort_rule_delete`.split(/\s+/),
);

let runtime: TestRuntime;
const events: string[] = [];
beforeAll(async () => {
  const stranger = definePlugin({
    name: "stranger",
    setup({ contribute, on }) {
      on("book_update", {
        inTransaction({ name }) {
          events.push(name);
          if (name === "Refused") throw new Error("Refused by the test");
        },
      });
      contribute(
        "activity",
        activityOf("book_create", ({ result }) => [
          { type: "book_admired", detail: `Oh, ${result.name}`, item: { kind: "admiration", id: result.id } },
        ]),
      );
    },
  });
  runtime = await bootTestRuntime({ extra: [stranger], env: { IP_ADDRESS_PRECISION: "2" } });
});
afterAll(() => runtime.stop());

interface Row {
  type: string;
  detail: string;
  ip: string;
  user_id: number;
  user: { id: number } | null;
  loggable_type: string | null;
  loggable_id: number | null;
}
const log = async (query = ""): Promise<Row[]> =>
  (await runtime.ask("GET", `/api/audit-log?sort=-id&count=500${query}`)).body.data;
const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;

test("a row has who did what to what, from where as far as is kept, also for a plugin's own kinds", async () => {
  const book = await make("books", { name: "Logged" });
  const [admired, created] = await log();
  expect(created).toMatchObject({
    type: "book_create",
    detail: `(${book.id}) Logged`,
    ip: "127.0.x.x",
    user_id: 1,
    user: { id: 1, name: "Admin", slug: "admin" },
    loggable_type: "book",
    loggable_id: book.id,
  });
  expect(admired).toMatchObject({ type: "book_admired", detail: "Oh, Logged", loggable_type: null, loggable_id: null });
});

test("every event of the contract's list that somebody performs leaves rows", () => {
  const context = runtime.contexts.get("audit_log");
  const recorded = new Set<string>([...SOURCES, ...(context?.slot("activity") ?? [])].map(({ event }) => event));
  for (const { kind } of context?.slot("content") ?? [])
    for (const verb of ["create", "update", "delete", "move"]) recorded.add(`${kind}_${verb}`);
  const performed = runtime.runtime.booted.flatMap(({ plugin }) => plugin.events);
  expect(performed.length).toBeGreaterThan(30);
  expect(performed.filter((event) => TYPES.has(event) && !recorded.has(event))).toEqual([]);
});

test("what was refused or failed leaves no row", async () => {
  const book = await make("books", { name: "Steady" });
  const before = (await log()).length;
  expect((await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: "Refused" } })).status).toBe(500);
  expect((await runtime.ask("PUT", `/api/books/${book.id}`, { body: { name: 7 } })).status).toBe(422);
  expect((await runtime.ask("PUT", `/api/books/${book.id}`, { as: null, body: { name: "x" } })).status).toBe(401);
  expect(events).toContain("Refused");
  expect(await log()).toHaveLength(before);
});

test("signing in leaves a row with its method, and no secret", async () => {
  await runtime.ask("POST", "/api/session", {
    as: null,
    body: { email: "admin@example.com", password: "correct horse battery" },
  });
  expect((await log())[0]).toMatchObject({ type: "auth_login", detail: "standard; (1) Admin", user_id: 1 });
  await make("users", { name: "Eve", email: "eve@example.com", password: "her secret word" });
  const token = await make("users/1/tokens", { name: "Laptop" });
  const all = JSON.stringify(await log());
  for (const secret of ["correct horse", "her secret word", token.secret]) expect(all).not.toContain(secret);
  expect((await log())[0]?.detail).toBe(`(${token.id}) Laptop; User: (1) Admin`);
});

test("who asks for a new password without an account is the guest", async () => {
  const users = runtime.contexts.get("users");
  await users?.perform("auth_password_reset_request", GUEST, { email: "lost@example.com" }, async (draft) => draft);
  expect((await log())[0]).toMatchObject({
    type: "auth_password_reset_request",
    detail: "lost@example.com",
    user: { name: "Guest" },
  });
});

test("a demo keeps the addresses of its visitors to itself", async () => {
  const demo = await bootTestRuntime({ env: { APP_ENV: "demo", APP_PROXIES: "*" } });
  const headers = { "x-forwarded-for": "192.0.2.7" };
  await demo.ask("POST", "/api/books", { headers, body: { name: "Shown" } });
  const [row] = (await demo.ask("GET", "/api/audit-log?sort=-id")).body.data;
  expect(row).toMatchObject({ type: "book_create", ip: "127.0.0.1" });
  await demo.stop();
});

test("a move is logged before the update it is part of", async () => {
  const [one, two] = [await make("books", { name: "From" }), await make("books", { name: "To" })];
  const page = await make("pages", { name: "Mover", book_id: one.id, html: "<p>x</p>" });
  await runtime.ask("PUT", `/api/pages/${page.id}`, { body: { book_id: two.id } });
  expect((await log()).slice(0, 2).map(({ type }) => type)).toEqual(["page_update", "page_move"]);
});

test("rows of an item that is gone for good keep its name and let go of it", async () => {
  const book = await make("books", { name: "Doomed" });
  await runtime.ask("DELETE", `/api/books/${book.id}`);
  const [entry] = (await runtime.ask("GET", `/api/recycle-bin?filter[deletable_id]=${book.id}`)).body.data;
  await runtime.ask("DELETE", `/api/recycle-bin/${entry.id}`);
  const kept = await log("&filter[detail]=Doomed");
  expect(kept.map(({ type, loggable_id }) => [type, loggable_id])).toEqual([
    ["book_delete", null],
    ["book_create", null],
  ]);
  const [destroyed] = await log("&filter[type]=recycle_bin_destroy");
  expect(destroyed?.detail).toBe(`Deletion (${entry.id}) for book (${book.id}) Doomed`);
});

test("rows outlive their user, and a user shows when they last did something", async () => {
  const clerk = await runtime.person("clerk", ["access-api", "book-create-all"]);
  const read = async () => (await runtime.ask("GET", `/api/users/${clerk.id}`)).body.last_activity_at;
  expect(await read()).toBeNull();
  await runtime.ask("POST", "/api/books", { as: clerk.token, body: { name: "By the clerk" } });
  const [row] = await rows<{ created_at: string }>(
    runtime.db,
    sql`select created_at from activities where user_id = ${clerk.id}::integer order by id desc limit 1`,
  );
  expect(await read()).toBe(row?.created_at);
  const me = await runtime.ask("GET", "/api/users/me", { as: clerk.token });
  expect(me.body.last_activity_at).toBe(row?.created_at);
  const updated = await runtime.ask("PUT", `/api/users/${clerk.id}`, { body: { external_auth_id: "c" } });
  expect(updated.body.last_activity_at).toBe(row?.created_at);
  const own = await runtime.ask("PUT", "/api/users/me", { as: clerk.token, body: { language: "de" } });
  expect([own.body.last_activity_at > (row?.created_at ?? ""), own.body.last_activity_at]).toEqual([
    true,
    await read(),
  ]);
  const sorted = await runtime.ask("GET", "/api/users?sort=-last_activity_at&count=2");
  expect(sorted.body.data.map(({ id }: { id: number }) => id)).toContain(clerk.id);
  await runtime.ask("DELETE", `/api/users/${clerk.id}`);
  expect((await log(`&filter[user_id]=${clerk.id}`)).at(-1)).toMatchObject({ type: "book_create", user: null });
});

test("what commands and jobs do names the guest, also in rows of earlier versions, which had no user", async () => {
  const guest = { user: { name: "Guest" } };
  const users = runtime.contexts.get("users");
  await users?.perform("auth_password_reset_request", SYSTEM, { email: "job@example.com" }, async (draft) => draft);
  expect((await log())[0]).toMatchObject({ detail: "job@example.com", ...guest });
  await rows(
    runtime.db,
    sql`insert into activities (type, detail, user_id, ip) values ('book_create', 'early', 0, '')`,
  );
  expect((await log())[0]).toMatchObject({ detail: "early", user: null });
  await migrations["0004_guest"]?.(runtime.db as never);
  expect((await log())[0]).toMatchObject({ detail: "early", ...guest });
  const found = await runtime.ask("GET", "/api/users?filter[name]=Guest");
  expect(found.body.data).toMatchObject([{ name: "Guest", last_activity_at: null }]);
});

test("a command removes old rows, and nothing else does", async () => {
  await rows(runtime.db, sql`update activities set created_at = now() - interval '40 days' where type = 'page_move'`);
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const io = { out: (line: string) => lines.push(line), err: (line: string) => lines.push(line) };
    const code = await auditLog.commands.audit?.run(args, io as never, runtime.contexts.get("audit_log"));
    return { code, text: lines.join("\n") };
  };
  expect((await run("prune", "--older-than", "soon")).code).toBe(2);
  expect((await run("burn")).code).toBe(2);
  expect((await run("prune", "--older-than", "9999999")).code).toBe(2);
  expect((await run("prune", "--older-than", "50")).text).toBe("Removed 0 rows older than 50 days");
  expect((await run("prune", "--older-than", "30")).text).toBe("Removed 1 row older than 30 days");
  expect(await log("&filter[type]=page_move")).toEqual([]);
});

test("what is older than the setting goes by itself, in as many steps as it takes", async () => {
  const own = await bootTestRuntime({ env: { AUDIT_LOG_DAYS: "30" } });
  await own.ask("POST", "/api/books", { body: { name: "Recent" } });
  await rows(
    own.db,
    sql`insert into activities (type, detail, user_id, ip, created_at)
      select 'old', '', 1, '', now() - interval '31 days' from generate_series(1, 10001)`,
  );
  await rows(own.db, sql`insert into schedules (name, next_at) values ('audit_log:prune', now())`);
  await own.runtime.start();
  await own.runtime.jobs.drain();
  const total = async () => (await own.ask("GET", "/api/audit-log")).body.total;
  expect(await total()).toBe(1);
  await own.stop();
}, 120_000);
