/** Watches and notifications over the API: who is told of which change, and that nobody learns of what they may not see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnyContext, definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { removeOld } from "../../plugins/content/watching/removals.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const SEES = ["access-api", "bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];
const READER = [...SEES, "receive-notifications"];
const WRITER = [...READER, "page-create-all", "page-update-all", "comment-create-all", "comment-delete-all"];

/** Fails the batch of notifications after so many, once. */
const halting = { after: -1 };
const halts = definePlugin({
  name: "halts",
  setup({ on }) {
    on("notification_create", {
      inTransaction() {
        if (halting.after-- === 0) throw new Error("The server ended");
      },
    });
  },
});

let runtime: TestRuntime;
let ids: Record<"shelf" | "book" | "chapter" | "page", number>;
let writer: { token: string; id: number };
const ask = (method: string, path: string, as?: string | null, body?: object) =>
  runtime.ask(method, path, { ...(as === undefined ? {} : { as }), ...(body && { body }) });
const made = async (path: string, body: object, as?: string) => (await ask("POST", path, as, body)).body.id as number;
const watch = (as: string, item: string, level: string) => ask("PUT", `/api/watches/${item}`, as, { level });
const told = () => runtime.runtime.jobs.drain();
/** What somebody is told, the newest first: what, why, and of which page. */
const newsOf = async (as: string, query = "") => {
  const { body } = await ask("GET", `/api/notifications${query}`, as);
  return body.data.map((one: { type: string; reason: string; item: { name: string } }) => [
    one.type,
    one.reason,
    one.item.name,
  ]);
};
const unreadOf = async (as: string) => (await ask("GET", "/api/notifications/unread", as)).body.unread as number;
const closed = {
  fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
};

beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [halts] });
  const book = await made("/api/books", { name: "Runbooks" });
  const chapter = await made("/api/chapters", { book_id: book, name: "Database" });
  const shelf = await made("/api/shelves", { name: "Operations", books: [book] });
  const page = await made("/api/pages", { chapter_id: chapter, name: "Failover", html: "<p>Call.</p>" });
  ids = { shelf, book, chapter, page };
  writer = await runtime.person("Wim", WRITER);
  await told();
});
afterAll(() => runtime.stop());

test("the nearest choice counts: of the item, its chapter, its book, its shelf", async () => {
  const ann = await runtime.person("Ann", READER);
  const state = async (item: string) => {
    const { level, inherited, effective } = (await ask("GET", `/api/watches/${item}`, ann.token)).body;
    return [level, inherited && [inherited.level, inherited.item.type], effective];
  };
  const page = `page/${ids.page}`;
  expect(await state(page)).toEqual(["default", null, "default"]);
  await watch(ann.token, `bookshelf/${ids.shelf}`, "comments");
  expect(await state(page)).toEqual(["default", ["comments", "bookshelf"], "comments"]);
  expect(await state(`book/${ids.book}`)).toEqual(["default", ["comments", "bookshelf"], "comments"]);
  await watch(ann.token, `book/${ids.book}`, "new");
  await watch(ann.token, `chapter/${ids.chapter}`, "updates");
  expect(await state(page)).toEqual(["default", ["updates", "chapter"], "updates"]);
  expect((await watch(ann.token, page, "ignore")).body).toMatchObject({ level: "ignore", effective: "ignore" });
  const { body } = await ask("GET", "/api/watches", ann.token);
  expect(body.data.map((one: { level: string; item: { name: string } }) => [one.level, one.item.name])).toEqual([
    ["ignore", "Failover"],
    ["updates", "Database"],
    ["new", "Runbooks"],
    ["comments", "Operations"],
  ]);
  expect((await watch(ann.token, page, "default")).body).toMatchObject({ level: "default", effective: "updates" });
  expect((await ask("DELETE", `/api/watches/chapter/${ids.chapter}`, ann.token)).status).toBe(204);
  expect(await state(page)).toEqual(["default", ["new", "book"], "new"]);
  expect((await watch(ann.token, page, "loud")).status).toBe(422);
});

test("who watches five thousand items changes and takes back choices, and watches no more", async () => {
  const abe = await runtime.person("Abe", READER);
  await watch(abe.token, `page/${ids.page}`, "new");
  await rows(
    runtime.db,
    sql`insert into watches (user_id, kind, item_id, level) select ${abe.id}::integer, 'page', 100000 + n, 2 from generate_series(1, 4999) as n`,
  );
  expect((await watch(abe.token, `page/${ids.page}`, "comments")).body.level).toBe("comments");
  expect((await watch(abe.token, `book/${ids.book}`, "new")).status).toBe(422);
  expect((await watch(abe.token, `page/${ids.page}`, "default")).status).toBe(200);
  expect((await watch(abe.token, `book/${ids.book}`, "new")).status).toBe(200);
  await rows(runtime.db, sql`delete from watches where user_id = ${abe.id}::integer`);
});

test("each level tells of what it names, and of nothing that one has done oneself", async () => {
  const people = [];
  for (const level of ["comments", "updates", "new", "ignore"]) {
    const one = await runtime.person("Ben", READER);
    await watch(one.token, `book/${ids.book}`, level);
    people.push(one);
  }
  await watch(writer.token, `book/${ids.book}`, "comments");
  const id = await made("/api/pages", { book_id: ids.book, name: "Alarms", html: "<p>One.</p>" });
  await told();
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: "<p>Two.</p>" });
  await made("/api/comments", { page_id: id, html: "<p>Why?</p>" }, writer.token);
  await told();
  const [created, updated, comment] = [
    ["page_create", "watch", "Alarms"],
    ["page_update", "watch", "Alarms"],
    ["comment_create", "watch", "Alarms"],
  ];
  const news = [];
  for (const { token } of people) news.push(await newsOf(token));
  expect(news).toEqual([[comment, updated, created], [updated, created], [created], []]);
  expect(await newsOf(writer.token)).toEqual([created]);
});

test("owners, those who are replied to and those who are mentioned are told as they prefer", async () => {
  const cy = await runtime.person("Cy", WRITER);
  const dee = await runtime.person("Dee", READER);
  const slug = (await ask("GET", `/api/users/${dee.id}`)).body.slug as string;
  const id = await made("/api/pages", { book_id: ids.book, name: "Owned", html: "<p>Mine.</p>" }, cy.token);
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: `<p>Ask @${slug}, or mail x@${slug}.example.</p>` });
  const first = await made(
    "/api/comments",
    { page_id: id, html: `<p>Is it so, @${slug.toUpperCase()}?</p>` },
    cy.token,
  );
  const { local_id } = (await ask("GET", `/api/comments/${first}`)).body;
  await made("/api/comments", { page_id: id, reply_to: local_id, html: "<p>Yes.</p>" }, writer.token);
  await told();
  expect(await newsOf(cy.token)).toEqual([
    ["comment_create", "reply", "Owned"],
    ["page_update", "own", "Owned"],
  ]);
  expect(await newsOf(dee.token)).toEqual([
    ["comment_create", "mention", "Owned"],
    ["page_update", "mention", "Owned"],
  ]);
  const off = { own_page_changes: false, own_page_comments: false, comment_replies: false };
  expect((await ask("PUT", "/api/notification-preferences", cy.token, off)).body).toEqual({
    ...off,
    comment_mentions: true,
    mail: "at_once",
  });
  await made("/api/comments", { page_id: id, reply_to: local_id, html: "<p>No.</p>" }, writer.token);
  // A mention that was there before is none of this change.
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: `<p>Ask @${slug} again.</p>` });
  await told();
  expect([await unreadOf(cy.token), await unreadOf(dee.token)]).toEqual([2, 2]);
});

test("changes of one author within minutes are one notification, unread again, with the revisions between which they are", async () => {
  const eve = await runtime.person("Eve", READER);
  const id = await made("/api/pages", { book_id: ids.book, name: "Often", html: "<p>0</p>" });
  await told();
  await watch(eve.token, `page/${id}`, "updates");
  const change = async (text: string, as?: string) => {
    await ask("PUT", `/api/pages/${id}`, as, { html: `<p>${text}</p>` });
    await told();
  };
  await change("1", writer.token);
  await change("2", writer.token);
  const { id: first } = (await ask("GET", "/api/notifications", eve.token)).body.data[0];
  expect((await ask("PUT", "/api/notifications", eve.token, { read: true, ids: [first] })).body).toEqual({ unread: 0 });
  await change("3", writer.token);
  await change("4");
  const { body } = await ask("GET", "/api/notifications", eve.token);
  expect(body.data).toMatchObject([
    { changes: 1, from_revision: 4, to_revision: 5 },
    { id: first, changes: 3, from_revision: 1, to_revision: 4, read_at: null, author: { id: writer.id } },
  ]);
  await rows(
    runtime.db,
    sql`update user_notifications set updated_at = now() - interval '11 minutes' where id = ${first}`,
  );
  await change("5", writer.token);
  expect((await ask("GET", "/api/notifications", eve.token)).body.total).toBe(3);
  // What changes neither name nor text is no news.
  await ask("PUT", `/api/pages/${id}`, undefined, { priority: 7 });
  await told();
  expect(await unreadOf(eve.token)).toBe(3);
});

test("rights that change between the change and the telling, and between the telling and the reading, count", async () => {
  const [fay, gus] = [await runtime.person("Fay", READER), await runtime.person("Gus", READER)];
  const id = await made("/api/pages", { book_id: ids.book, name: "Salaries", html: "<p>Secret.</p>" });
  await told();
  for (const { token } of [fay, gus]) await watch(token, `page/${id}`, "comments");
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: "<p>More.</p>" });
  await told();
  expect([await unreadOf(fay.token), await newsOf(fay.token)]).toEqual([1, [["page_update", "watch", "Salaries"]]]);
  await made("/api/comments", { page_id: id, html: "<p>Hm.</p>" }, writer.token);
  await ask("PUT", `/api/content-permissions/page/${id}`, undefined, closed);
  await told();
  const shown = async () => JSON.stringify((await ask("GET", "/api/notifications", fay.token)).body);
  expect([await unreadOf(fay.token), await shown()]).toEqual([0, expect.not.stringContaining("Salaries")]);
  expect((await ask("GET", "/api/watches", fay.token)).body.data).toEqual([]);
  await ask("PUT", `/api/content-permissions/page/${id}`, undefined, { fallback_permissions: { inheriting: true } });
  // The comment was told to nobody while the page was closed.
  expect(await newsOf(fay.token)).toEqual([["page_update", "watch", "Salaries"]]);
  // Who may receive no notifications is told nothing, and asks for nothing.
  await ask("PUT", `/api/roles/${gus.role}`, undefined, { permissions: SEES });
  await made("/api/comments", { page_id: id, html: "<p>Again.</p>" }, writer.token);
  await told();
  expect((await ask("GET", "/api/notifications", gus.token)).status).toBe(403);
  await ask("PUT", `/api/roles/${gus.role}`, undefined, { permissions: READER });
  expect([await unreadOf(gus.token), await unreadOf(fay.token)]).toEqual([1, 2]);
});

test("many watchers are told in batches, each once, also where a run ended half way", async () => {
  const id = await made("/api/pages", { book_id: ids.book, name: "Busy", html: "<p>0</p>" });
  await told();
  const hal = await runtime.person("Hal", READER);
  // As many more users with the same role as make three batches.
  await rows(
    runtime.db,
    sql`with made as (
        insert into users (name, email, slug) select 'Crowd', 'crowd' || n || '@example.com', 'crowd-' || n from generate_series(1, 450) as n
        returning id),
      held as (insert into role_user (user_id, role_id) select id, ${hal.role}::integer from made)
      insert into watches (user_id, kind, item_id, level) select id, 'page', ${id}::integer, 2 from made`,
  );
  await watch(hal.token, `page/${id}`, "updates");
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: "<p>1</p>" });
  // The second batch fails, as where a server ends.
  halting.after = 1;
  await told();
  await rows(runtime.db, sql`update jobs set run_at = now()`);
  await told();
  const [counted] = await rows(
    runtime.db,
    sql`select count(*)::integer as told, count(distinct user_id)::integer as users, sum(changes)::integer as changes,
      (select count(*) from watched_changes)::integer as waiting from user_notifications where page_id = ${id} and type = 'page_update'`,
  );
  // With the administrator, who owns the page, and two people who watch the book.
  expect(counted as object).toEqual({ told: 454, users: 454, changes: 454, waiting: 0 });
});

test("notifications are their user's alone, are marked one by one or all, and a narrower token marks nothing", async () => {
  const [ida, joe] = [await runtime.person("Ida", READER), await runtime.person("Joe", READER)];
  await watch(ida.token, `page/${ids.page}`, "comments");
  for (const text of ["a", "b", "c"])
    await made("/api/comments", { page_id: ids.page, html: `<p>${text}</p>` }, writer.token);
  await told();
  const { data, total, unread } = (await ask("GET", "/api/notifications?count=2", ida.token)).body;
  expect([data.length, total, unread]).toEqual([2, 3, 3]);
  expect(data[0]).toMatchObject({ comment_local_id: expect.any(Number), item: { book: { name: "Runbooks" } } });
  expect((await ask("PUT", "/api/notifications", joe.token, { read: true, ids: [data[0].id] })).body).toEqual({
    unread: 0,
  });
  expect(await unreadOf(ida.token)).toBe(3);
  expect((await ask("PUT", "/api/notifications", ida.token, { read: true, up_to: data[1].id })).body).toEqual({
    unread: 1,
  });
  expect((await newsOf(ida.token, "?unread=1")).length).toBe(1);
  expect((await ask("PUT", "/api/notifications", ida.token, { read: false, ids: [data[1].id] })).body.unread).toBe(2);
  expect((await ask("PUT", "/api/notifications", ida.token, { read: true })).body).toEqual({ unread: 0 });
  const narrow = { name: "narrow", permissions: ["receive-notifications", "page-view-all"] };
  const { token_id, secret } = (await ask("POST", "/api/users/1/tokens", undefined, narrow)).body;
  const token = `${token_id}:${secret}`;
  expect((await ask("GET", "/api/notifications", token)).status).toBe(200);
  expect((await ask("PUT", "/api/notifications", token, { read: true })).status).toBe(403);
  expect((await watch(token, `page/${ids.page}`, "new")).status).toBe(403);
});

test("what is watched and told goes with its user, its comment and its item, and stays while that is in the recycle bin", async () => {
  const lou = await runtime.person("Lou", READER);
  const id = await made("/api/pages", { book_id: ids.book, name: "Brief", html: "<p>x</p>" });
  await told();
  await watch(lou.token, `page/${id}`, "comments");
  const comment = await made("/api/comments", { page_id: id, html: "<p>y</p>" }, writer.token);
  await ask("PUT", `/api/pages/${id}`, writer.token, { html: "<p>z</p>" });
  await told();
  const left = async () => {
    const [found] = await rows<{ watches: number; news: number }>(
      runtime.db,
      sql`select (select count(*)::integer from watches where user_id = ${lou.id}) as watches,
        (select count(*)::integer from user_notifications where user_id = ${lou.id}) as news`,
    );
    return [found?.watches, found?.news];
  };
  expect(await left()).toEqual([1, 2]);
  await ask("DELETE", `/api/comments/${comment}`, undefined);
  expect([await left(), await unreadOf(lou.token)]).toEqual([[1, 1], 1]);
  await ask("DELETE", `/api/pages/${id}`);
  expect([await left(), await unreadOf(lou.token)]).toEqual([[1, 1], 0]);
  const { data } = (await ask("GET", "/api/recycle-bin")).body;
  await ask("DELETE", `/api/recycle-bin/${data.find((each: { deletable_id: number }) => each.deletable_id === id).id}`);
  expect(await left()).toEqual([0, 0]);
  await watch(lou.token, `page/${ids.page}`, "comments");
  await made("/api/comments", { page_id: ids.page, html: "<p>y</p>" }, writer.token);
  await told();
  await ask("PUT", "/api/notification-preferences", lou.token, { comment_replies: false });
  await ask("DELETE", `/api/users/${lou.id}`);
  expect(await left()).toEqual([0, 0]);
});

test("notifications are kept for 90 days after their last change", async () => {
  const ned = await runtime.person("Ned", READER);
  await watch(ned.token, `page/${ids.page}`, "comments");
  for (const text of ["old", "new"])
    await made("/api/comments", { page_id: ids.page, html: `<p>${text}</p>` }, writer.token);
  await told();
  const [oldest] = (await ask("GET", "/api/notifications?offset=1", ned.token)).body.data;
  await rows(
    runtime.db,
    sql`update user_notifications set updated_at = now() - case when id = ${oldest.id} then interval '91 days' else interval '89 days' end
      where user_id = ${ned.id}`,
  );
  await removeOld((runtime.contexts.get("watching") as AnyContext).db as never);
  expect((await newsOf(ned.token)).length).toBe(1);
});

test("what one server told or marked counts on the other at once", async () => {
  const mia = await runtime.person("Mia", READER);
  const other = await bootTestRuntime({ beside: runtime });
  const onOther = async () => (await other.ask("GET", "/api/notifications/unread", { as: mia.token })).body.unread;
  await watch(mia.token, `page/${ids.page}`, "comments");
  const counts = [await onOther()];
  await made("/api/comments", { page_id: ids.page, html: "<p>Two.</p>" }, writer.token);
  await told();
  for (let tries = 0; counts[1] !== 1 && tries < 100; tries++) {
    await Bun.sleep(20);
    counts[1] = await onOther();
  }
  await ask("PUT", "/api/notifications", mia.token, { read: true });
  counts.push(await unreadOf(mia.token), await onOther());
  await other.stop();
  expect(counts).toEqual([0, 1, 0, 0]);
});
