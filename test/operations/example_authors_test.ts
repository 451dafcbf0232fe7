/** The examples of the handbook, booted together beside the plugins that ship, and used over the API and by screens. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import checklists from "../fixtures/plugins/checklists/plugin.ts";
import jsonRpc from "../fixtures/plugins/json_rpc/plugin.ts";
import pageReview from "../fixtures/plugins/page_review/plugin.ts";
import reachable from "../fixtures/plugins/reachable/plugin.ts";
import readingTime from "../fixtures/plugins/reading_time/plugin.ts";
import { codeOf, intervalAt } from "../fixtures/plugins/second_step/codes.ts";
import secondStep from "../fixtures/plugins/second_step/plugin.ts";
import { browserOf, PASSWORD } from "../support/harness/sign_ins.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

const METRICS_TOKEN = "a-secret";
const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("tea", { status: 418 }) });
let server: TestRuntime;
let bookId: number;

beforeAll(async () => {
  server = await bootTestRuntime({
    extra: [readingTime, pageReview, secondStep, checklists, reachable, jsonRpc],
    env: { METRICS_TOKEN, REACHABLE_ADDRESS: String(other.url), ALLOW_PRIVATE_HOSTS: "127.0.0.1" },
  });
  bookId = (await server.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
});
afterAll(async () => {
  await server.stop();
  await other.stop(true);
});

async function makePage(name: string, markdown = "Call the DBA"): Promise<{ id: number }> {
  const made = await server.ask("POST", "/api/pages", { body: { book_id: bookId, name, markdown } });
  expect(made.status).toBe(200);
  return made.body;
}

/** A person with a password; `browser` has sent it, and was led to `next`. */
async function personWith(name: string, permissions: readonly string[], next = "/books") {
  const person = await server.person(name, ["access-api", ...permissions]);
  const { email } = (await server.ask("PUT", `/api/users/${person.id}`, { body: { password: PASSWORD } })).body;
  const signIn = async () => {
    const browser = browserOf(server);
    expect((await browser.signIn(email)).location).toEndWith(next);
    return browser;
  };
  return { ...person, signIn };
}

async function figures(): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await server.ask("GET", "/metrics", { as: null, headers })).body;
}

test("a page says how long it takes to read, and again after its text has changed", async () => {
  const { id } = await makePage("Long", "word ".repeat(401));
  const read = async () => (await server.ask("GET", `/api/pages/${id}`)).body.reading_minutes;
  expect(await read()).toBe(3);
  await server.ask("PUT", `/api/pages/${id}`, { body: { markdown: "Short" } });
  expect(await read()).toBe(1);
});

test("a page changes after a review alone, once", async () => {
  const { id } = await makePage("Reviewed");
  const writer = await personWith("writer", ["page-view-all", "book-view-all", "page-update-all"]);
  const change = async (markdown: string) =>
    (await server.ask("PUT", `/api/pages/${id}`, { as: writer.token, body: { markdown } })).status;
  expect(await change("First")).toBe(403);

  const author = await writer.signIn();
  expect((await author.go(`/link/${id}`)).location).toContain("/page/");
  expect((await author.send("POST", `/reviews/of/${id}`, {})).status).toBe(303);
  expect((await author.go("/reviews")).status).toBe(403);

  const reviewer = await (await personWith("reviewer", ["page-view-all", "book-view-all", "review-approve"])).signIn();
  expect((await reviewer.go("/reviews")).body).toContain("Reviewed");
  expect((await reviewer.send("POST", `/reviews/${id}`, {})).location).toBe("/reviews");
  expect((await reviewer.go("/reviews")).body).not.toContain("Reviewed");

  expect(await change("Second")).toBe(200);
  expect(await change("Third")).toBe(403);
});

test("a sign-in by password needs the code of the authenticator, and no code works twice", async () => {
  const careful = await personWith("careful", [], "/login/authenticator");
  const { secret } = (await server.ask("POST", "/api/second-step", { as: careful.token })).body;
  const code = codeOf(secret, intervalAt(Date.now()));
  const form = { code };
  const browser = await careful.signIn();
  expect(await browser.me()).toBe(401);
  expect((await browser.go("/login/authenticator")).body).toContain("one-time-code");
  expect((await browser.send("POST", "/login/authenticator", { code: "no code" })).status).toBe(422);
  expect((await browser.send("POST", "/login/authenticator", form)).status).toBe(303);
  expect(await browser.me()).toBe(200);
  const thief = await careful.signIn();
  expect((await thief.send("POST", "/login/authenticator", form)).status).toBe(422);
});

test("a checklist is searched, exported, and restored from the recycle bin", async () => {
  const list = { name: "Before a release", steps: "Freeze\nTag\nAnnounce" };
  const { id } = (await server.ask("POST", "/api/checklists", { body: list })).body;
  const path = `/api/checklists/${id}`;
  const found = await server.ask("GET", "/api/search?query=announce");
  expect(found.body.data).toMatchObject([{ type: "checklist", id }]);
  const exported = async (format: string) => (await server.ask("GET", `${path}/export/${format}`)).body;
  expect(await exported("markdown")).toContain("- [ ] Freeze");
  expect(await exported("html")).toContain("<li>Announce</li>");
  expect((await server.ask("DELETE", path)).status).toBe(204);
  expect((await server.ask("GET", `${path}/export/html`)).status).toBe(404);
  const [deletion] = (await server.ask("GET", "/api/recycle-bin")).body.data;
  expect(deletion.deletable).toMatchObject({ id, name: list.name });
  expect((await server.ask("PUT", `/api/recycle-bin/${deletion.id}`)).status).toBe(200);
  expect((await server.ask("GET", path)).body).toMatchObject(list);
});

test("a metric has the status of a server that a job has called", async () => {
  expect(await figures()).not.toContain("lectern_reachable_status{");
  expect((await server.ask("POST", "/api/reachable")).status).toBe(200);
  await server.runtime.jobs.drain();
  expect(await figures()).toContain(`lectern_reachable_status{server="${other.url.host}"} 418`);
});

test("JSON-RPC calls methods as the viewer, and streams the changes that the viewer sees", async () => {
  const { id } = await makePage("Watched");
  const ask = async (method: string, params: object, as?: string) =>
    (await server.ask("POST", "/api/rpc", { ...(as ? { as } : {}), body: { jsonrpc: "2.0", id: 7, method, params } }))
      .body;
  expect(await ask("page.read", { id })).toMatchObject({ jsonrpc: "2.0", id: 7, result: { name: "Watched" } });
  expect(await ask("page.burn", { id })).toMatchObject({ error: { code: -32_601 } });
  const stranger = await server.person("stranger", ["access-api"]);
  expect(await ask("page.read", { id }, stranger.token)).toMatchObject({ error: { code: -32_000 } });

  using port = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => server.runtime.http.handle(request, "127.0.0.1"),
  });
  const events = async (token: string) => {
    const stop = new AbortController();
    const headers = { authorization: `Token ${token}` };
    const answer = await fetch(`${port.url}api/rpc/events`, { headers, signal: stop.signal });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).toBe(`data: ${JSON.stringify({ jsonrpc: "2.0", method: "ping" })}\n\n`);
    return { next, end: () => stop.abort() };
  };
  const seen = await events(server.token);
  const unseen = await events(stranger.token);
  expect(await figures()).toContain("lectern_rpc_streams 2\n");
  const hidden = unseen.next();
  await server.ask("PUT", `/api/pages/${id}`, { body: { name: "Seen" } });
  const notification = { jsonrpc: "2.0", method: "page.changed", params: { id, name: "Seen" } };
  expect(await seen.next()).toBe(`data: ${JSON.stringify(notification)}\n\n`);
  seen.end();
  unseen.end();
  await expect(hidden).rejects.toThrow("abort");
  await until(async () => (await figures()).includes("lectern_rpc_streams 0\n"));
});
