/** Handlers of events about users see neither passwords nor their hashes, and choose none. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import type {} from "lectern/plugins";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const PASSWORD = "correct horse battery 9";
const seen: unknown[] = [];
let replacement: string | undefined;

/** Keeps all that handlers get, and puts another hash in the place of one. */
const watcher = definePlugin({
  name: "watcher",
  setup({ on }) {
    on.any({ inTransaction: (record) => void seen.push(record), notify: (record) => void seen.push(record) });
    on("user_create", {
      filter(draft) {
        seen.push(draft);
        return replacement === undefined ? { ...draft } : { ...draft, password_hash: replacement };
      },
      veto: (draft) => void seen.push(draft) as undefined,
    });
    on("user_update", {
      filter(change) {
        seen.push(change);
        return { ...change, draft: { ...change.draft } };
      },
    });
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [watcher] });
});
afterAll(() => runtime.stop());

const create = (email: string) =>
  runtime.ask("POST", "/api/users", { body: { name: "Ann", email, password: PASSWORD, roles: [] } });
const signIn = async (email: string, password: string) =>
  (await runtime.ask("POST", "/api/session", { as: null, body: { email, password } })).status;

test("a password reaches the store past handlers that copy the draft, and none of them reads it or its hash", async () => {
  const { status, body } = await create("ann@example.com");
  expect([status, await signIn("ann@example.com", PASSWORD)]).toEqual([200, 200]);
  const next = "a longer sentence 10";
  expect((await runtime.ask("PUT", `/api/users/${body.id}`, { body: { password: next } })).status).toBe(200);
  expect([await signIn("ann@example.com", PASSWORD), await signIn("ann@example.com", next)]).toEqual([401, 200]);
  const text = JSON.stringify(seen);
  expect(text).toContain("ann@example.com");
  const [row] = await rows<{ password: string }>(runtime.db, sql`select password from users where id = ${body.id}`);
  for (const secret of [PASSWORD, next, row?.password ?? "", "$2", "$argon2"]) expect(text).not.toContain(secret);
});

test("a hash that a handler puts there is refused, and no user is made", async () => {
  for (const hash of [await Bun.password.hash("chosen by a plugin"), "", "AAAA", "x".repeat(200)]) {
    replacement = hash;
    expect((await create("bob@example.com")).status).toBe(500);
  }
  replacement = undefined;
  expect((await create("bob@example.com")).status).toBe(200);
});
