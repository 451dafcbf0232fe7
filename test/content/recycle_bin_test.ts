/**
 * The recycle bin: what is restored and how it is counted, slugs that are taken meanwhile, what is purged with an item, and
 * entries that expire.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin, sql } from "lectern/core";
import { rows } from "lectern/db";
import { mergeAllTagChanges } from "../../plugins/content/tags/merge.ts";
import { fetched, imageFiles, pictureForm } from "../support/data/sample_gallery.ts";
import { picture } from "../support/data/sample_pictures.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

const make = async (segment: string, body: object) => (await runtime.ask("POST", `/api/${segment}`, { body })).body;
const gone = async (segment: string, id: number) => runtime.ask("DELETE", `/api/${segment}/${id}`);
async function entryOf(type: string, id: number): Promise<{ id: number } & Record<string, never>> {
  const path = `/api/recycle-bin?filter[deletable_type]=${type}&filter[deletable_id]=${id}`;
  return (await runtime.ask("GET", path)).body.data[0];
}
const restore = async (type: string, id: number) =>
  (await runtime.ask("PUT", `/api/recycle-bin/${(await entryOf(type, id)).id}`)).body;
const destroy = async (type: string, id: number) =>
  (await runtime.ask("DELETE", `/api/recycle-bin/${(await entryOf(type, id)).id}`)).body;
const total = async (path: string) => (await runtime.ask("GET", path)).body.total as number;

async function tree() {
  const book = await make("books", { name: "Whole" });
  const chapters = [
    await make("chapters", { name: "One", book_id: book.id }),
    await make("chapters", { name: "Two", book_id: book.id }),
  ];
  const pages = [];
  for (const chapter of chapters)
    for (const name of ["a", "b"]) pages.push(await make("pages", { name, chapter_id: chapter.id, html: "<p>x</p>" }));
  pages.push(await make("pages", { name: "c", book_id: book.id, html: "<p>x</p>" }));
  return { book, chapters, pages };
}

test("a book comes back with all that was in it, what was deleted before it as well", async () => {
  const { book, chapters, pages } = await tree();
  await gone("pages", pages[0].id);
  await gone("chapters", chapters[1].id);
  await gone("books", book.id);
  const { deletable } = await entryOf("book", book.id);
  expect(deletable).toMatchObject({ name: "Whole", chapters_count: 2, pages_count: 5 });
  expect((await entryOf("page", pages[0].id)).deletable).toMatchObject({
    parent: { id: chapters[0].id, type: "chapter" },
  });
  expect(await restore("book", book.id)).toEqual({ restore_count: 8 });
  expect(await entryOf("page", pages[0].id)).toBeUndefined();
  expect(await total(`/api/pages?filter[book_id]=${book.id}`)).toBe(5);
  expect(await total(`/api/chapters?filter[book_id]=${book.id}`)).toBe(2);
});

test("what lies in something that is in the bin does not come back alone, and its entry goes", async () => {
  const { book, chapters, pages } = await tree();
  await gone("pages", pages[0].id);
  await gone("chapters", chapters[0].id);
  expect(await restore("page", pages[0].id)).toEqual({ restore_count: 0 });
  expect(await entryOf("page", pages[0].id)).toBeUndefined();
  expect((await runtime.ask("GET", `/api/pages/${pages[0].id}`)).status).toBe(404);
  expect(await restore("chapter", chapters[0].id)).toEqual({ restore_count: 3 });
  expect((await runtime.ask("GET", `/api/pages/${pages[0].id}`)).status).toBe(200);
  expect(await total(`/api/pages?filter[book_id]=${book.id}`)).toBe(5);
});

test("a slug that others took meanwhile stays theirs", async () => {
  const book = await make("books", { name: "Slugs" });
  const first = await make("pages", { name: "Same", book_id: book.id, html: "<p>1</p>" });
  await gone("pages", first.id);
  const second = await make("pages", { name: "Same", book_id: book.id, html: "<p>2</p>" });
  expect(second.slug).toBe("same");
  await restore("page", first.id);
  expect((await runtime.ask("GET", `/api/pages/${first.id}`)).body.slug).toMatch(/^same-\w{3}$/);
  await gone("pages", second.id);
  await gone("books", book.id);
  const other = await make("books", { name: "Slugs" });
  expect(await restore("book", book.id)).toEqual({ restore_count: 3 });
  const slugs = await rows<{ slug: string }>(
    runtime.db,
    sql`select slug from pages where book_id = ${book.id} and deleted_at is null`,
  );
  expect(new Set(slugs.map(({ slug }) => slug)).size).toBe(2);
  expect([other.slug, (await runtime.ask("GET", `/api/books/${book.id}`)).body.slug]).toEqual([
    "slugs",
    expect.stringMatching(/^slugs-\w{3}$/),
  ]);
});

test("a slug that was taken twice over is none to come back with", async () => {
  await make("books", { name: "Twice" });
  const second = await make("books", { name: "Twice" });
  await gone("books", second.id);
  const third = await make("books", { name: "Other" });
  await rows(runtime.db, sql`update books set slug = ${second.slug} where id = ${third.id}::integer`);
  expect(await restore("book", second.id)).toEqual({ restore_count: 1 });
  const { slug } = (await runtime.ask("GET", `/api/books/${second.id}`)).body;
  expect(slug).toMatch(/^twice-\w{3}$/);
  expect(slug).not.toBe(second.slug);
});

test("a page does not come back into a book that is being deleted", async () => {
  const { book, pages } = await tree();
  await gone("pages", pages[4].id);
  const { id } = await entryOf("page", pages[4].id);
  let restoring: Promise<{ body: unknown }> | undefined;
  await runtime.store.sql.begin(async (other) => {
    await other.unsafe(`update books set deleted_at = now() where id = ${book.id}`);
    restoring = runtime.ask("PUT", `/api/recycle-bin/${id}`);
    await waitingForLock();
  });
  expect((await restoring)?.body).toEqual({ restore_count: 0 });
  expect((await runtime.ask("GET", `/api/pages/${pages[4].id}`)).status).toBe(404);
});

/** Resolves when some transaction waits for another one. */
async function waitingForLock(): Promise<void> {
  await until(async () => {
    const [{ n } = { n: 0 }] = await rows<{ n: number }>(
      runtime.db,
      sql`select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return n > 0;
  });
}

test("two who restore the same entry at once bring it back once", async () => {
  const { book } = await tree();
  await gone("books", book.id);
  const { id } = await entryOf("book", book.id);
  const answers = await Promise.all([1, 2, 3].map(() => runtime.ask("PUT", `/api/recycle-bin/${id}`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});

test("what is destroyed takes along what hangs on it, and leaves no trace in any table", async () => {
  const before = await census();
  const files = imageFiles(runtime);
  const cover = pictureForm(await picture("png"), "c.png", { name: "Doomed" });
  const book = (await runtime.ask("POST", "/api/books", { parts: cover })).body;
  const chapter = await make("chapters", { name: "C", book_id: book.id, tags: [{ name: "t" }] });
  const page = await make("pages", {
    name: "P",
    chapter_id: chapter.id,
    html: "<p>x</p>",
    tags: [{ name: "t", value: "v" }],
  });
  const shelf = await make("shelves", { name: "S", books: [book.id] });
  await runtime.ask("PUT", `/api/pages/${page.id}`, {
    body: { html: `<p><a href="${runtime.baseUrl}/books/${book.slug}">b</a></p>` },
  });
  await runtime.ask("POST", "/api/comments", { body: { page_id: page.id, html: "<p>x</p>" } });
  const file = new FormData();
  for (const [name, value] of Object.entries({ name: "f", uploaded_to: String(page.id) })) file.set(name, value);
  file.set("file", new File(["x"], "x.txt"));
  await runtime.ask("POST", "/api/attachments", { parts: file });
  await runtime.ask("PUT", `/api/content-permissions/page/${page.id}`, {
    body: { fallback_permissions: { inheriting: false, view: true, create: false, update: false, delete: false } },
  });
  await rows(runtime.db, sql`update books set default_template_id = ${page.id}::integer where name = 'Slugs'`);
  await gone("books", book.id);
  expect(await destroy("book", book.id)).toEqual({ delete_count: 3 });
  expect((await runtime.ask("GET", `/api/shelves/${shelf.id}`)).body.books).toEqual([]);
  await gone("shelves", shelf.id);
  expect(await destroy("bookshelf", shelf.id)).toEqual({ delete_count: 1 });
  expect(await census()).toEqual(before);
  const viewed = sql`select from item_views where (kind, item_id) in
    (('book', ${book.id}::integer), ('chapter', ${chapter.id}::integer), ('page', ${page.id}::integer), ('bookshelf', ${shelf.id}::integer))`;
  expect(await rows(runtime.db, viewed)).toEqual([]);
  expect((await fetched(runtime, book.cover.url)).status).toBe(404);
  expect(imageFiles(runtime)).toEqual(files);
  expect(await rows(runtime.db, sql`select from books where default_template_id is not null`)).toEqual([]);
});

/** How many rows each table holds, but those that only grow: logs, lists that are swept by the hour, counters, views that a timer writes. */
async function census(): Promise<Record<string, number>> {
  await mergeAllTagChanges(runtime.db);
  const tables = await runtime.store.sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
  const counted: Record<string, number> = {};
  for (const { tablename } of tables) {
    if (["activities", "acl", "acl_count", "item_views", "jobs", "schedules"].includes(tablename)) continue;
    const [row] = await runtime.store.sql.unsafe(`select count(*)::integer as n from "${tablename}"`);
    counted[tablename] = row?.n;
  }
  return counted;
}

test("the bin forgets who put something in when that user goes, and shows what is gone as null", async () => {
  const leaver = await runtime.person("leaver", ["access-api", "book-create-all", "book-delete-own", "book-view-own"]);
  const book = (await runtime.ask("POST", "/api/books", { as: leaver.token, body: { name: "Left" } })).body;
  await runtime.ask("DELETE", `/api/books/${book.id}`, { as: leaver.token });
  expect(await entryOf("book", book.id)).toMatchObject({ deleted_by: leaver.id });
  await runtime.ask("DELETE", `/api/users/${leaver.id}`);
  expect(await entryOf("book", book.id)).toMatchObject({ deleted_by: null });
  await rows(runtime.db, sql`delete from books where id = ${book.id}::integer`);
  const entry = await entryOf("book", book.id);
  expect(entry.deletable).toBeNull();
  expect(await destroy("book", book.id)).toEqual({ delete_count: 0 });
});

test("with a lifetime of zero, deleted items are purged at once and logged like any other", async () => {
  const own = await bootTestRuntime({ env: { RECYCLE_BIN_LIFETIME: "0" } });
  const { id } = (await own.ask("POST", "/api/books", { body: { name: "Brief" } })).body;
  await own.ask("POST", "/api/pages", { body: { book_id: id, name: "p", html: "<p>x</p>" } });
  expect((await own.ask("DELETE", `/api/books/${id}`)).status).toBe(204);
  expect((await own.ask("GET", "/api/recycle-bin")).body.total).toBe(0);
  expect(await rows(own.db, sql`select from pages`)).toEqual([]);
  const log = (await own.ask("GET", "/api/audit-log?sort=-id")).body.data as Record<string, unknown>[];
  expect(log.map(({ type, detail, loggable_id }) => [type, detail, loggable_id])).toEqual([
    ["book_delete", "Brief", null],
    ["page_create", "p", null],
    ["book_create", "Brief", null],
  ]);
  await own.stop();
});

test("entries beyond their lifetime are purged; younger ones and those whose purge fails stay", async () => {
  const clinging = definePlugin({
    name: "clinging",
    grants: { read: ["books"] },
    setup({ contribute, db }) {
      contribute("dependents", {
        kind: "book",
        async destroy(ids) {
          const stuck = await rows(
            db,
            sql`select from books where name = 'Stuck' and id = any(${[...ids]}::integer[])`,
          );
          if (stuck.length > 0) throw new Error("Cannot let go");
        },
      });
    },
  });
  const own = await bootTestRuntime({ env: { RECYCLE_BIN_LIFETIME: "2" }, extra: [clinging] });
  const left = async () =>
    (await rows<{ name: string }>(own.db, sql`select name from books order by id`)).map(({ name }) => name);
  const discard = async (name: string) => {
    const { id } = (await own.ask("POST", "/api/books", { body: { name } })).body;
    await own.ask("DELETE", `/api/books/${id}`);
  };
  const age = (name: string) =>
    rows(
      own.db,
      sql`update deletions set created_at = now() - interval '3 days'
        where deletable_id = (select id from books where name = ${name})`,
    );
  for (const name of ["Stuck", "Old", "Young"]) await discard(name);
  await age("Stuck");
  await age("Old");
  await rows(own.db, sql`insert into schedules (name, next_at) values ('recycle_bin:purge', now())`);
  await own.runtime.start();
  await own.runtime.jobs.drain();
  expect(await left()).toEqual(["Stuck", "Young"]);
  await age("Young");
  // A delete that finds expired entries has them purged without waiting for the schedule.
  await discard("Last");
  await own.runtime.jobs.drain();
  expect(await left()).toEqual(["Stuck", "Last"]);
  await own.stop();
}, 120_000);

test("without a lifetime nothing is purged, not even by a job that was queued before", async () => {
  const own = await bootTestRuntime({ env: { RECYCLE_BIN_LIFETIME: "-1" } });
  const { id } = (await own.ask("POST", "/api/books", { body: { name: "Kept" } })).body;
  await own.ask("DELETE", `/api/books/${id}`);
  await rows(own.db, sql`update deletions set created_at = now() - interval '9 years'`);
  await rows(own.db, sql`insert into jobs (name, payload) values ('recycle_bin_purge', '{}')`);
  await own.runtime.start();
  const waiting = async () => (await rows(own.db, sql`select from jobs where name = 'recycle_bin_purge'`)).length;
  await own.runtime.jobs.drain();
  expect(await waiting()).toBe(0);
  expect((await own.ask("GET", "/api/recycle-bin")).body.total).toBe(1);
  await own.stop();
}, 120_000);
