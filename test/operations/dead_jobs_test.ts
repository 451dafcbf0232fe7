/** Failed jobs: listed, tried again and dropped by command and screen, by administrators alone, and never with their payload. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

declare module "lectern/core" {
  interface Jobs {
    test_letters: { address: string };
  }
}

const post = definePlugin({
  name: "post",
  setup({ jobs }) {
    jobs.handle("test_letters", async () => {
      throw new Error("never called");
    });
  },
});

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [post] });
});
afterEach(async () => {
  await sql`delete from jobs`.execute(runtime.db);
});
afterAll(() => runtime.stop());

async function dead(name: string): Promise<number> {
  const [row] = await rows<{ id: number }>(
    runtime.db,
    sql`insert into jobs (name, payload, dead, attempts, last_error)
      values (${name}, '{"address": "private street 7"}', true, 5, ${"It broke\u001b[31m\nbadly"}) returning id`,
  );
  return row?.id ?? 0;
}

const waiting = () => rows<{ id: number }>(runtime.db, sql`select id from jobs where not dead and attempts = 0`);

async function jobs(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const lines: { out: string[]; err: string[] } = { out: [], err: [] };
  const io = {
    out: (line: string) => void lines.out.push(line),
    err: (line: string) => void lines.err.push(line),
    ...{ env: {}, columns: 80, tty: false },
  };
  const [owner] = runtime.runtime.booted.filter(({ plugin }) => "jobs" in plugin.commands);
  const code = await owner?.plugin.commands.jobs?.run(args, io, runtime.contexts.get(owner.plugin.name));
  return { code: code ?? -1, out: lines.out.join("\n"), err: lines.err.join("\n") };
}

test("the command lists failed jobs with plugin and error, without payload and control characters", async () => {
  const [known, foreign] = [await dead("test_letters"), await dead("nobody_does_this")];
  const { code, out } = await jobs("list");
  expect(code).toBe(0);
  expect(out).toContain(`${known}  test_letters (post)  5 tries`);
  expect(out).toContain(`${foreign}  nobody_does_this (no plugin handles it)`);
  expect(out).toContain("It broke [31m badly");
  expect(out).toEndWith("2 failed jobs");
  expect(out).not.toContain("private street");
});

test("the command retries and drops jobs by id, or all of them", async () => {
  const [one, two, three] = [await dead("test_letters"), await dead("test_letters"), await dead("test_letters")];
  expect(await jobs("retry", String(one))).toEqual({ code: 0, out: "Queued again: 1 failed job", err: "" });
  expect(await waiting()).toEqual([{ id: one }]);
  expect(await jobs("drop", String(two))).toEqual({ code: 0, out: "Dropped: 1 failed job", err: "" });
  expect(await jobs("drop", String(one))).toEqual({ code: 1, out: "", err: 'Cannot run "jobs drop": Job not found' });
  expect((await jobs("retry", "--all")).out).toBe("Queued again: 1 failed job");
  expect((await waiting()).map(({ id }) => id).sort()).toEqual([one, three].sort());
});

test.each([
  [["retry"], 1, "Name failed jobs by their ids, or all of them by --all."],
  [["drop", "7", "--all"], 1, "Name failed jobs by their ids, or all of them by --all."],
  [["drop", "seven"], 1, '"seven" is no id of a job.'],
  [["drop", "99999999999"], 1, '"99999999999" is no id of a job.'],
  [["drop", "--everything"], 1, "--everything"],
  [["forget"], 2, "wanted list | retry ID…|--all | drop ID…|--all"],
])("the command refuses %j and drops nothing", async (args, code, text) => {
  await dead("test_letters");
  const refused = await jobs(...args);
  expect([refused.code, refused.out]).toEqual([code, ""]);
  expect(refused.err).toContain(text);
  expect((await jobs("list")).out).toEndWith("1 failed job");
});

async function signedIn(email: string, password: string): Promise<string> {
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body: { email, password } });
  return headers.get("set-cookie")?.split(";")[0] ?? "";
}

async function visit(cookie: string, path: string, form?: Record<string, string>) {
  const headers = { accept: "text/html", cookie, "sec-fetch-site": "same-origin" };
  const body = form && new URLSearchParams(form);
  const request = new Request(`http://localhost${path}`, {
    method: form ? "POST" : "GET",
    headers,
    ...(body && { body }),
  });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  return { status: response.status, text: await response.text() };
}

test("the screen retries and discards one job, and asks before it discards", async () => {
  const admin = await signedIn("admin@example.com", "correct horse battery");
  const [one, two] = [await dead("test_letters"), await dead("nobody_does_this")];
  const shown = await visit(admin, "/settings/maintenance");
  for (const text of ["test_letters", "post", "No plugin handles it.", "It broke", `jobs/delete?id=${two}`])
    expect(shown.text).toContain(text);
  expect(shown.text).not.toContain("private street");
  expect((await visit(admin, "/settings/maintenance/jobs/retry", { id: String(one) })).status).toBe(303);
  expect(await waiting()).toEqual([{ id: one }]);
  const question = await visit(admin, `/settings/maintenance/jobs/delete?id=${two}`);
  expect(question.text).toContain("Discard the failed job?");
  expect((await runtime.ask("GET", "/api/system/jobs")).body.total).toBe(1);
  expect((await visit(admin, "/settings/maintenance/jobs/delete", { id: String(two) })).status).toBe(303);
  expect((await runtime.ask("GET", "/api/system/jobs")).body.total).toBe(0);
  await dead("test_letters");
  const odd = await visit(admin, "/settings/maintenance/jobs/delete", { id: "x' or true" });
  expect(odd.status).toBe(303);
  expect((await runtime.ask("GET", "/api/system/jobs")).body.total).toBe(1);
});

test("who does not manage settings sees and changes no failed job", async () => {
  const id = await dead("test_letters");
  const reader = await runtime.person("reader", ["book-view-all"]);
  const account = { email: "jobs-reader@example.com", password: "long enough" };
  await runtime.ask("PUT", `/api/users/${reader.id}`, { body: account });
  const cookie = await signedIn(account.email, account.password);
  for (const path of ["/settings/maintenance", `/settings/maintenance/jobs/delete?id=${id}`])
    expect((await visit(cookie, path)).status).toBe(403);
  for (const path of ["/settings/maintenance/jobs/retry", "/settings/maintenance/jobs/delete"])
    expect((await visit(cookie, path, { id: String(id) })).status).toBe(403);
  expect((await runtime.ask("DELETE", "/api/system/jobs", { as: reader.token, body: { ids: [id] } })).status).toBe(403);
  const { data } = (await runtime.ask("GET", "/api/system/jobs")).body;
  expect(data).toMatchObject([{ id, name: "test_letters", plugin: "post", attempts: 5 }]);
});
