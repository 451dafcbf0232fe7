/**
 * Comments over the API: threads and their numbers, the archive, who sees and changes what, and what happens when their page,
 * their parent or their author is deleted.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SYSTEM, sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book = 0;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Debates" } })).body.id;
});
afterAll(() => runtime.stop());

async function newPage(): Promise<number> {
  return (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Topic", html: "<p>x</p>" } })).body
    .id;
}
const say = async (page: number, html: string, more: object = {}, as = runtime.token) =>
  (await runtime.ask("POST", "/api/comments", { as, body: { page_id: page, html, ...more } })).body;
interface Node {
  comment: { html: string };
  depth: number;
  children: Node[];
}
/** A tree of comments as nested lists of texts. */
const outline = (nodes: Node[]): unknown[] =>
  nodes.map(({ comment, children }) => {
    const text = comment.html.replace(/<\/?p>/g, "");
    return children.length > 0 ? [text, outline(children)] : text;
  });
async function treeOf(page: number): Promise<{ active: unknown[]; archived: unknown[] }> {
  const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
  return { active: outline(comments.active), archived: outline(comments.archived) };
}

test("threads nest as deep as people argue, and each goes where its root is", async () => {
  const page = await newPage();
  expect((await runtime.ask("GET", `/api/pages/${page}`)).body.comments).toEqual({ active: [], archived: [] });
  const root = await say(page, "<p>root</p>");
  const reply = await say(page, "<p>reply</p>", { reply_to: root.local_id });
  await say(page, "<p>deep</p>", { reply_to: reply.local_id });
  const other = await say(page, "<p>other</p>");
  await say(page, "<p>second reply</p>", { reply_to: root.local_id });
  expect(await treeOf(page)).toEqual({
    active: [["root", [["reply", ["deep"]], "second reply"]], "other"],
    archived: [],
  });
  await runtime.ask("PUT", `/api/comments/${root.id}`, { body: { archived: true } });
  expect(await treeOf(page)).toEqual({
    active: ["other"],
    archived: [["root", [["reply", ["deep"]], "second reply"]]],
  });
  await runtime.ask("DELETE", `/api/comments/${root.id}`);
  expect(await treeOf(page)).toEqual({ active: [["reply", ["deep"]], "other", "second reply"], archived: [] });
  const read = (await runtime.ask("GET", `/api/comments/${reply.id}`)).body;
  expect(read).toMatchObject({ parent_id: 1, created_by: { id: 1, slug: "admin" }, updated_by: { id: 1 } });
  expect(read.replies).toMatchObject([{ html: "<p>deep</p>", created_by: 1, archived: false }]);
  expect(other.local_id).toBe(4);
});

test("a thread of a thousand replies can be read", async () => {
  const page = await newPage();
  const root = await say(page, "<p>0</p>");
  await rows(
    runtime.db,
    sql`insert into comments (page_id, local_id, parent_id, html, content_ref)
      select ${page}::integer, n, n - 1, '<p>' || n || '</p>', '' from generate_series(2, 1000) n`,
  );
  const { status, body } = await runtime.ask("GET", `/api/pages/${page}`);
  const count = (nodes: Node[]): number => nodes.reduce((sum, { children }) => sum + 1 + count(children), 0);
  expect([status, count(body.comments.active), root.local_id]).toEqual([200, 1000, 1]);
});

test("thirty people who comment at once get thirty numbers", async () => {
  const page = await newPage();
  const created = await Promise.all(Array.from({ length: 30 }, (_, at) => say(page, `<p>${at}</p>`)));
  expect(created.map(({ local_id }) => local_id).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 30 }, (_, at) => at + 1),
  );
});

test("only the form the editor writes is kept as a reference", async () => {
  const page = await newPage();
  for (const [sent, kept] of [
    ["bkmrk-call-the-dba:735:5-12", "bkmrk-call-the-dba:735:5-12"],
    ["bkmrk-a:1:", "bkmrk-a:1:"],
    ["bkmrk-a:1:-9", "bkmrk-a:1:-9"],
    ["bkmrk-a:1:9-", "bkmrk-a:1:9-"],
    ["bkmrk-a:1:x", ""],
    ["bkmrk-a:1", ""],
    ["somewhere", ""],
    [`bkmrk-${"a".repeat(400)}:1:`, ""],
  ])
    expect((await say(page, "<p>x</p>", { content_ref: sent })).content_ref).toBe(kept ?? "");
});

test("what is written is cleaned, and plain words are not lost", async () => {
  const page = await newPage();
  for (const [sent, kept] of [
    ["plain words", "<p>plain words</p>"],
    ["<p onclick=x()>a<script>alert(1)</script></p><h1>b</h1>", "<p>a</p>"],
    ['<p><a href="javascript:alert(1)">x</a></p>', "<p></p>"],
  ] as const)
    expect((await say(page, sent)).html).toBe(kept);
});

test("nobody comments on a draft, a missing page, or one in the bin", async () => {
  const page = await newPage();
  const { id } = await say(page, "<p>before</p>");
  await rows(runtime.db, sql`update pages set draft = true where id = ${page}::integer`);
  const body = { page_id: page, html: "<p>x</p>" };
  const onDraft = await runtime.ask("POST", "/api/comments", { body });
  expect([onDraft.status, onDraft.body.error.message]).toEqual([400, "You cannot add comments to a draft."]);
  await rows(runtime.db, sql`update pages set draft = false where id = ${page}::integer`);
  await runtime.ask("DELETE", `/api/pages/${page}`);
  expect((await runtime.ask("POST", "/api/comments", { body })).body.error.message).toBe("Page not found");
  for (const method of ["GET", "PUT", "DELETE"])
    expect((await runtime.ask(method, `/api/comments/${id}`)).body.error.message).toBe("Comment not found");
  expect((await runtime.ask("GET", `/api/comments?filter[commentable_id]=${page}`)).body.total).toBe(0);
});

test("own is whose the comment is, and an override on the page hides its comments", async () => {
  const page = await newPage();
  const theirs = await say(page, "<p>admin</p>");
  const talker = await runtime.person("talker", [
    "access-api",
    "page-view-all",
    "comment-create-all",
    "comment-update-own",
    "comment-delete-own",
  ]);
  const own = await say(page, "<p>mine</p>", {}, talker.token);
  const status = async (method: string, id: number, body?: object) =>
    (await runtime.ask(method, `/api/comments/${id}`, { as: talker.token, ...(body && { body }) })).status;
  expect(await status("PUT", own.id, { html: "<p>better</p>" })).toBe(200);
  expect(await status("PUT", theirs.id, { html: "<p>no</p>" })).toBe(403);
  expect(await status("DELETE", theirs.id)).toBe(403);
  await runtime.ask("PUT", `/api/content-permissions/page/${page}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  expect(await status("GET", theirs.id)).toBe(404);
  expect(await status("PUT", own.id, { html: "<p>x</p>" })).toBe(404);
  const list = await runtime.ask("GET", "/api/comments?count=500", { as: talker.token });
  expect(list.body.data.map(({ id }: { id: number }) => id)).not.toContain(theirs.id);
});

test("who is gone is forgotten as author, and what was said stays", async () => {
  const page = await newPage();
  const leaver = await runtime.person("leaver", ["access-api", "page-view-all", "comment-create-all"]);
  const { id } = await say(page, "<p>farewell</p>", {}, leaver.token);
  await runtime.ask("DELETE", `/api/users/${leaver.id}`);
  expect((await runtime.ask("GET", `/api/comments/${id}`)).body).toMatchObject({
    html: "<p>farewell</p>",
    created_by: null,
  });
  const [listed] = (await runtime.ask("GET", `/api/comments?filter[id]=${id}`)).body.data;
  expect([listed.created_by, listed.updated_by]).toEqual([null, null]);
});

test("comments go with their page for good", async () => {
  const [page, other] = [await newPage(), await newPage()];
  await say(page, "<p>gone</p>");
  await say(other, "<p>stays</p>");
  const context = runtime.contexts.get("comments");
  const dependents = context?.slot("dependents").filter(({ kind }) => kind === "page") ?? [];
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    for (const { destroy } of dependents) await destroy([page], tx, "page");
    return {};
  });
  const left = await rows(runtime.db, sql`select page_id from comments where page_id in (${page}, ${other})`);
  expect(left).toEqual([{ page_id: other }]);
});
