/** Copies in the background: their progress, whose rights they have, how they fail, and what becomes of their rows. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CopiesContext } from "../../plugins/content/content_copies/contract.ts";
import { purgeCopies, resumeCopies } from "../../plugins/content/content_copies/runs.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime({ constants: { content_copies: { pagesAtOnce: 2 } } });
});
afterAll(() => runtime.stop());

const make = async (segment: string, body: object): Promise<{ id: number }> =>
  (
    await runtime.ask("POST", `/api/${segment}`, {
      body: segment === "pages" ? { html: "<p>x</p>", ...body } : body,
    })
  ).body;
const ask = (method: string, path: string, as = runtime.token, body?: object) =>
  runtime.ask(method, `/api/${path}`, { as, ...(body && { body }) });
/** The context of the plugin, whose members tests do not type. */
const context = () => runtime.contexts.get("content_copies") as unknown as CopiesContext;
const drain = () => runtime.runtime.jobs.drain();

/** A book of three pages in a chapter. */
async function bookOf(name: string): Promise<{ id: number; chapter: number; pages: readonly number[] }> {
  const { id } = await make("books", { name });
  const chapter = (await make("chapters", { name: "Chapter", book_id: id })).id;
  const pages = [];
  for (const page of ["a", "b", "c"]) pages.push((await make("pages", { name: page, chapter_id: chapter })).id);
  return { id, chapter, pages };
}

const VIEWS = ["access-api", "book-view-all", "chapter-view-all", "page-view-all"];
const CREATES = ["book-create-all", "chapter-create-all", "page-create-all"];

test("a big copy is answered 202 with the address of its progress, and made once by its job", async () => {
  const book = await bookOf("Big");
  const { status, body, headers } = await ask("POST", `books/${book.id}/copy`, undefined, { name: "Big copy" });
  expect([status, headers.get("location")]).toEqual([202, body.url]);
  const wanted = { id: body.id, kind: "book", item_id: book.id, name: "Big copy", total: 5, url: body.url };
  expect(body).toMatchObject({ ...wanted, status: "waiting", done: 0, copy_id: null, error: null });
  expect(body.url).toBe(`${runtime.baseUrl}/api/copies/${body.id}`);
  await drain();
  const done = (await ask("GET", `copies/${body.id}`)).body;
  expect(done).toMatchObject({ ...wanted, status: "done", done: 5, error: null });
  const copied = (await ask("GET", `books/${done.copy_id}`)).body;
  expect([copied.name, copied.contents[0].pages.length]).toEqual(["Big copy", 3]);
  await context().jobs.enqueue("content_copy_run", { id: body.id });
  await drain();
  const named = (await ask("GET", `books?filter[name]=${encodeURIComponent("Big copy")}`)).body;
  expect(named.total).toBe(1);
});

test("the progress is for its user, and for who manages settings", async () => {
  const book = await bookOf("Mine");
  const { body } = await ask("POST", `chapters/${book.chapter}/copy`);
  const [other, operator] = [
    await runtime.person("other", VIEWS),
    await runtime.person("operator", [...VIEWS, "settings-manage"]),
  ];
  expect((await ask("GET", `copies/${body.id}`, other.token)).status).toBe(404);
  expect((await ask("GET", `copies/${body.id}`, operator.token)).status).toBe(200);
  expect((await ask("GET", "copies/0")).status).toBe(404);
  await drain();
  expect((await ask("GET", `copies/${body.id}`)).body.status).toBe("done");
});

test("rights are those of the copier when the copy is made, not when it was asked for", async () => {
  const book = await bookOf("Rights");
  const { token, role, id } = await runtime.person("copier", [...VIEWS, ...CREATES]);
  const started = (await ask("POST", `books/${book.id}/copy`, token)).body;
  await ask("PUT", `content-permissions/page/${book.pages[1]}`, undefined, {
    fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false },
  });
  const refused = (await ask("POST", `books/${book.id}/copy`, token, { name: "Refused" })).status;
  expect(refused).toBe(200);
  await drain();
  const done = (await ask("GET", `copies/${started.id}`, token)).body;
  const copied = (await ask("GET", `books/${done.copy_id}`)).body;
  expect([done.total, copied.contents[0].pages.map(({ name }: { name: string }) => name)]).toEqual([4, ["a", "c"]]);
  expect(copied.owned_by.id).toBe(id);
  const big = await bookOf("Later refused");
  const later = (await ask("POST", `books/${big.id}/copy`, token)).body;
  await ask("PUT", `roles/${role}`, undefined, { permissions: VIEWS });
  await drain();
  const failed = (await ask("GET", `copies/${later.id}`, token)).body;
  expect([failed.status, failed.copy_id, failed.done]).toEqual(["failed", null, 0]);
  expect(failed.error).toContain("permission");
  expect((await runtime.store.sql`select from jobs where name = 'content_copy_run'`).length).toBe(0);
});

test("a token with a scope copies no more in the background than at once", async () => {
  const book = await bookOf("Scoped");
  const { id } = await runtime.person("scoped", [...VIEWS, ...CREATES, "users-manage"]);
  const permissions = [...VIEWS, "book-create-all", "chapter-create-all"];
  const made = await ask("POST", `users/${id}/tokens`, undefined, { name: "narrow", permissions });
  const token = `${made.body.token_id}:${made.body.secret}`;
  const { status, body } = await ask("POST", `books/${book.id}/copy`, token);
  expect(status).toBe(202);
  await drain();
  const { copy_id, total } = (await ask("GET", `copies/${body.id}`, token)).body;
  const { contents } = (await ask("GET", `books/${copy_id}`)).body;
  expect([total, contents.map((entry: { pages: unknown[] }) => entry.pages)]).toEqual([1 + 1, [[]]]);
});

test("a copy whose server was killed is started again, and its former start can complete nothing", async () => {
  const book = await bookOf("Killed");
  const { body } = await ask("POST", `books/${book.id}/copy`, undefined, { name: "Killed copy" });
  // As the killed server has left it: without its job, without a sign of life.
  await runtime.store.sql`delete from jobs where name = 'content_copy_run'`;
  await runtime.store
    .sql`update content_copies set status = 'running', run = 1, done = 2, updated_at = now() - interval '1 hour'
    where id = ${body.id}`;
  expect((await ask("GET", `copies/${body.id}`)).body).toMatchObject({ status: "running", done: 2 });
  await resumeCopies(context());
  await drain();
  const done = (await ask("GET", `copies/${body.id}`)).body;
  expect([done.status, done.done]).toEqual(["done", 5]);
  expect((await ask("GET", "books?filter[name]=Killed%20copy")).body.total).toBe(1);
});

test("a copy of what is gone by then fails with the reason; that of a deleted user is forgotten", async () => {
  const book = await bookOf("Gone");
  const { body } = await ask("POST", `books/${book.id}/copy`);
  await ask("DELETE", `books/${book.id}`);
  await drain();
  expect((await ask("GET", `copies/${body.id}`)).body).toMatchObject({ status: "failed", error: "Book not found" });
  const { token, id } = await runtime.person("leaver", [...VIEWS, ...CREATES]);
  const other = await bookOf("Left");
  await ask("POST", `books/${other.id}/copy`, token, { name: "Left copy" });
  expect((await ask("DELETE", `users/${id}`)).status).toBe(204);
  expect((await runtime.store.sql`select from content_copies where created_by = ${id}`).length).toBe(0);
  await drain();
  expect((await ask("GET", "books?filter[name]=Left%20copy")).body.total).toBe(0);
});

test("copies that ended are kept for a week", async () => {
  const rows = await runtime.store.sql`select id from content_copies where status in ('done', 'failed') order by id`;
  expect(rows.length).toBeGreaterThan(2);
  await runtime.store.sql`update content_copies set updated_at = now() - interval '8 days' where id = ${rows[0]?.id}`;
  await purgeCopies(context());
  const kept = await runtime.store.sql`select id from content_copies where status in ('done', 'failed') order by id`;
  expect(kept.map(({ id }) => id)).toEqual(rows.slice(1).map(({ id }) => id));
});
