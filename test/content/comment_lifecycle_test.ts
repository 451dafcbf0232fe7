/**
 * Comments and what happens around them: many created at once, a page that moves, is hidden, is a draft or is deleted, an
 * author who is deleted, a plugin's filter, and the number of statements for an answer. Drafts cannot be created over the API
 * nor pages removed for good, so the test writes both into the store.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, expressionBuilder, SYSTEM, sql } from "lectern/core";
import { rows, type Tables } from "lectern/db";
import { statementsOf } from "../support/harness/query_plans.ts";
import { type Answer, bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const VIEWS = ["access-api", "book-view-all", "page-view-all"];

/** Changes comments that say "meddle", records what an update starts from, and hides those that say "hushed". */
const seen: string[] = [];
const moderation = definePlugin({
  name: "meddler",
  grants: { columns: { comments: ["html"] } },
  setup({ visibilityRule, on }) {
    const eb = expressionBuilder<Tables, "comments">();
    visibilityRule("comments", () => eb("comments.html", "not like", "%hushed%"));
    on("comment_create", {
      filter: (draft) =>
        draft.html.includes("meddle") ? { ...draft, html: "<p>changed</p><script>alert(1)</script>" } : undefined,
      veto: (draft) => (draft.html.includes("forbidden") ? "Mind your words" : undefined),
    });
    on("comment_update", {
      filter: ({ row, draft }) => {
        seen.push(row.html);
        return draft.html?.includes("hide me") ? { row, draft: { ...draft, archived: true } } : undefined;
      },
    });
  },
});

let runtime: TestRuntime;
let book: number;
let page: number;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [moderation] });
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Debates" } })).body.id;
});
afterAll(() => runtime.stop());

async function freshPage(): Promise<number> {
  const { body } = await runtime.ask("POST", "/api/pages", {
    body: { book_id: book, name: "Topic", html: "<p>x</p>" },
  });
  page = body.id;
  return page;
}

function say(html: string, more: object = {}, as = runtime.token): Promise<Answer> {
  return runtime.ask("POST", "/api/comments", { as, body: { page_id: page, html, ...more } });
}

const statusOf = async (method: string, path: string, as: string) => (await runtime.ask(method, path, { as })).status;

test("comments made at once each get their own number, in the order of their times", async () => {
  await freshPage();
  const made = await Promise.all(Array.from({ length: 12 }, (_, at) => say(`<p>${at}</p>`)));
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
  expect(made.filter(({ body }) => body.created_at !== body.updated_at)).toEqual([]);
  const { data } = (await runtime.ask("GET", `/api/comments?filter[commentable_id]=${page}&sort=created_at`)).body;
  expect(data.map((one: { local_id: number }) => one.local_id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});

test("the number of a deleted comment comes back only if it was the highest", async () => {
  await freshPage();
  const [first, , third] = [await say("<p>1</p>"), await say("<p>2</p>"), await say("<p>3</p>")].map(
    ({ body }) => body,
  );
  await runtime.ask("DELETE", `/api/comments/${third.id}`);
  await runtime.ask("DELETE", `/api/comments/${first.id}`);
  expect([(await say("<p>4</p>")).body.local_id, (await say("<p>5</p>")).body.local_id]).toEqual([3, 4]);
});

test("a comment that is changed, replied to and deleted at once never fails the server", async () => {
  await freshPage();
  const { id } = (await say("<p>1</p>")).body;
  const path = `/api/comments/${id}`;
  const all = await Promise.all([
    ...Array.from({ length: 4 }, (_, at) => runtime.ask("PUT", path, { body: { archived: at % 2 === 0 } })),
    ...Array.from({ length: 3 }, () => say("<p>reply</p>", { reply_to: 1 })),
    ...Array.from({ length: 2 }, () => runtime.ask("DELETE", path)),
  ]);
  expect(all.map(({ status }) => status).filter((status) => ![200, 204, 404].includes(status))).toEqual([]);
  expect(await statusOf("GET", path, runtime.token)).toBe(404);
});

test("an update starts from the comment as it is, not as it was when the request came", async () => {
  await freshPage();
  const { id } = (await say("<p>0</p>")).body;
  seen.length = 0;
  const sent = ["<p>a</p>", "<p>b</p>", "<p>c</p>"];
  await Promise.all(sent.map((html) => runtime.ask("PUT", `/api/comments/${id}`, { body: { html } })));
  expect(new Set(seen).size).toBe(3);
});

test("comments move with their page, and are hidden from those who may not see it any more", async () => {
  const { token } = await runtime.person("reader", VIEWS);
  const { id } = (await say("<p>x</p>", { page_id: await freshPage() })).body;
  const path = `/api/comments/${id}`;
  const closed = (await runtime.ask("POST", "/api/books", { body: { name: "Closed" } })).body.id;
  await runtime.ask("PUT", `/api/content-permissions/book/${closed}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  expect(await statusOf("GET", path, token)).toBe(200);
  await runtime.ask("PUT", `/api/pages/${page}`, { body: { book_id: closed } });
  expect(await statusOf("GET", path, token)).toBe(404);
  const listing = `/api/comments?filter[commentable_id]=${page}`;
  expect((await runtime.ask("GET", listing, { as: token })).body).toEqual({ data: [], total: 0 });
  const mine = (await runtime.ask("GET", path)).body;
  expect(mine).toMatchObject({ id, commentable_id: page, local_id: 1 });
  await runtime.ask("PUT", `/api/pages/${page}`, { body: { book_id: book } });
  expect(await statusOf("GET", path, token)).toBe(200);
});

test("a draft takes no comments, and those on it are its owner's to see", async () => {
  const { token } = await runtime.person("talker", [...VIEWS, "comment-create-all"]);
  const { id } = (await say("<p>x</p>", { page_id: await freshPage() })).body;
  await rows(runtime.db, sql`update pages set draft = true where id = ${page}::integer`);
  const own = await say("<p>y</p>");
  expect([own.status, own.body.error]).toEqual([400, { message: "You cannot add comments to a draft.", code: 400 }]);
  expect((await say("<p>y</p>", {}, token)).body.error).toEqual({ message: "Page not found", code: 404 });
  expect(await statusOf("GET", `/api/comments/${id}`, token)).toBe(404);
  expect(await statusOf("GET", `/api/comments/${id}`, runtime.token)).toBe(200);
});

test("comments of a page are hidden with it, and removed when it is removed for good", async () => {
  const { id } = (await say("<p>x</p>", { page_id: await freshPage() })).body;
  const gone = page;
  const kept = (await say("<p>x</p>", { page_id: await freshPage() })).body.id;
  await runtime.ask("DELETE", `/api/pages/${gone}`);
  for (const method of ["GET", "PUT", "DELETE"])
    expect(await statusOf(method, `/api/comments/${id}`, runtime.token)).toBe(404);
  expect((await say("<p>late</p>", { page_id: gone })).body.error).toEqual({ message: "Page not found", code: 404 });
  expect(await rows(runtime.db, sql`select id from comments where page_id = ${gone}::integer`)).toEqual([{ id }]);
  const context = runtime.contexts.get("comments");
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    for (const { kind, destroy } of context?.slot("dependents") ?? [])
      if (kind === "page") await destroy([gone], tx, "page");
    return {};
  });
  expect(await rows(runtime.db, sql`select id from comments where page_id = ${gone}::integer`)).toEqual([]);
  expect(await statusOf("GET", `/api/comments/${kept}`, runtime.token)).toBe(200);
});

test("what was said stays when the one who said it goes", async () => {
  await freshPage();
  const author = await runtime.person("author", [...VIEWS, "comment-create-all", "comment-update-all"]);
  const own = (await say("<p>Mine</p>", {}, author.token)).body.id;
  const { id } = (await say("<p>Theirs</p>", { reply_to: 1 })).body;
  await runtime.ask("PUT", `/api/comments/${id}`, { as: author.token, body: { html: "<p>Better</p>" } });
  expect(await statusOf("DELETE", `/api/users/${author.id}`, runtime.token)).toBe(204);
  const read = (await runtime.ask("GET", `/api/comments/${own}`)).body;
  expect(read).toMatchObject({ html: "<p>Mine</p>", created_by: null, updated_by: null });
  expect(read.replies).toMatchObject([{ html: "<p>Better</p>", created_by: 1, updated_by: null }]);
  const { data } = (await runtime.ask("GET", `/api/comments?filter[id]=${own}`)).body;
  expect(data).toMatchObject([{ id: own, created_by: null, updated_by: null }]);
  const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
  expect(comments.active).toMatchObject([{ comment: { created_by: null, updated_by: null } }]);
});

test("plugins filter comments, and the result is validated like any input", async () => {
  await freshPage();
  expect((await say("<p>meddle</p>")).body).toMatchObject({ local_id: 1, html: "<p>changed</p>" });
  const refused = await say("<p>forbidden</p>");
  expect([refused.status, refused.body.error.message]).toEqual([403, "Mind your words"]);
  const { id } = (await say("<p>x</p>", { reply_to: 1 })).body;
  const hidden = await runtime.ask("PUT", `/api/comments/${id}`, { body: { html: "<p>hide me</p>" } });
  expect([hidden.status, hidden.body.error.message]).toEqual([400, "Only top-level comments can be archived."]);
  expect((await runtime.ask("GET", `/api/comments/${id}`)).body.html).toBe("<p>x</p>");
});

test("what a plugin keeps from a viewer is in no answer: not by itself, nor as a reply, nor on the page", async () => {
  const { id } = (await say("<p>root</p>", { page_id: await freshPage() })).body;
  const hidden = (await say("<p>hushed</p>", { reply_to: 1 })).body.id;
  await say("<p>below</p>", { reply_to: 2 });
  expect(await statusOf("GET", `/api/comments/${hidden}`, runtime.token)).toBe(404);
  expect((await runtime.ask("GET", `/api/comments/${id}`)).body.replies).toEqual([]);
  const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
  expect(comments.active).toMatchObject([
    { comment: { html: "<p>root</p>" }, children: [] },
    { comment: { html: "<p>below</p>" }, depth: 0 },
  ]);
});

test("however many comments there are, a read costs one statement, a listing two, a page's tree one", async () => {
  await freshPage();
  const root = (await say("<p>root</p>")).body.id;
  const costs = async () => {
    const sent: number[] = [];
    for (const path of [`/api/comments/${root}`, "/api/comments", `/api/pages/${page}`]) {
      const statements = await statementsOf(runtime, () => runtime.ask("GET", path));
      sent.push(statements.filter(({ text }) => text.includes("comments")).length);
    }
    return sent;
  };
  await costs();
  expect(await costs()).toEqual([1, 2, 1]);
  for (let at = 1; at < 8; at++) await say("<p>reply</p>", { reply_to: at });
  expect(await costs()).toEqual([1, 2, 1]);
});
