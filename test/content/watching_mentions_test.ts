/** Mentions over the API: who can be mentioned, and who is told of it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const READER = ["access-api", "book-view-all", "chapter-view-all", "page-view-all", "receive-notifications"];

let runtime: TestRuntime;
let page: number;
let writer: { token: string; id: number };
const ask = (method: string, path: string, as?: string | null, body?: object) =>
  runtime.ask(method, path, { ...(as === undefined ? {} : { as }), ...(body && { body }) });
const made = async (path: string, body: object, as?: string) => (await ask("POST", path, as, body)).body.id as number;
const told = () => runtime.runtime.jobs.drain();
/** What somebody is told, the newest first: what, why, and of which page. */
const newsOf = async (as: string) =>
  (await ask("GET", "/api/notifications", as)).body.data.map(
    (one: { type: string; reason: string; item: { name: string } }) => [one.type, one.reason, one.item.name],
  );
const slugOf = async (id: number) => (await ask("GET", `/api/users/${id}`)).body.slug as string;

beforeAll(async () => {
  runtime = await bootTestRuntime();
  const book_id = await made("/api/books", { name: "Runbooks" });
  page = await made("/api/pages", { book_id, name: "Failover", html: "<p>Call.</p>" });
  writer = await runtime.person("Wim", [...READER, "comment-create-all", "comment-update-all"]);
  await told();
});
afterAll(() => runtime.stop());

test("those alone can be mentioned who see the item, and are told only then", async () => {
  const [kim, kit] = [await runtime.person("Kim", READER), await runtime.person("Kit", ["access-api"])];
  await ask("PUT", `/api/users/${kim.id}`, undefined, { name: "Kim Lee" });
  const names = async (query: string, as = writer.token) => {
    const { status, body } = await ask("GET", `/api/mentions/page/${page}?query=${query}`, as);
    return status === 200 ? body.data.map(({ name }: { name: string }) => name) : status;
  };
  expect(await names("ki")).toEqual(["Kim Lee"]);
  expect(await names("LEE")).toEqual(["Kim Lee"]);
  expect([await names("%25"), await names("guest")]).toEqual([[], []]);
  expect(await names("ki", kit.token)).toBe(404);
  const slugs = [await slugOf(kim.id), await slugOf(kit.id)];
  await made("/api/comments", { page_id: page, html: `<p>@${slugs.join(" and @")}</p>` }, writer.token);
  await told();
  expect(await newsOf(kim.token)).toEqual([["comment_create", "mention", "Failover"]]);
  const [kept] = await rows<{ n: number }>(
    runtime.db,
    sql`select count(*)::integer as n from user_notifications where user_id = ${kit.id}`,
  );
  expect(kept?.n).toBe(0);
});

test("a mention that a comment gains by a change is told once, one in code is none, and the visitor is told nothing", async () => {
  const lea = await runtime.person("Lea", READER);
  const slug = await slugOf(lea.id);
  const id = await made("/api/comments", { page_id: page, html: `<p>Like <code>@${slug}</code>.</p>` });
  await ask("PUT", `/api/pages/${page}`, undefined, { html: `<pre>@${slug}</pre><p>Call <code>@${slug}</code></p>` });
  await told();
  expect(await newsOf(lea.token)).toEqual([]);
  const change = async (html: string, as = writer.token) => {
    await ask("PUT", `/api/comments/${id}`, as, { html });
    await told();
  };
  await change(`<p>Like <code>@Override</code>, @${slug}.</p>`);
  await change(`<p>Like <code>@Override</code>, dear @${slug}.</p>`);
  await change(`<p>It was me: @wim, dear @${slug}.</p>`, lea.token);
  expect(await newsOf(lea.token)).toEqual([["comment_create", "mention", "Failover"]]);
  // What all visitors share is nobody's list of news, whatever the role of visitors permits.
  const { data } = (await ask("GET", "/api/roles?count=100")).body;
  const open = data.find((role: { display_name: string }) => role.display_name === "Public");
  await ask("PUT", `/api/roles/${open.id}`, undefined, { permissions: READER });
  await made("/api/comments", { page_id: page, html: `<p>Welcome, @guest.</p>` });
  await told();
  const kept = await rows(
    runtime.db,
    sql`select from user_notifications join users on users.id = user_id where system_name <> ''`,
  );
  expect(kept).toEqual([]);
});
