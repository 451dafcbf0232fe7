/** The content of a deleted user with more items than are changed within the request: a job changes them, in batches. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { definePlugin } from "lectern/core";
import type {} from "lectern/plugins";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let failures = 0;
/** A page that somebody restores from the recycle bin while the job runs; 0 for none. */
let restored = 0;
const breaker = definePlugin({
  name: "test-breaker",
  setup({ on }) {
    on("user_content_transfer", {
      async inTransaction({ kind }) {
        if (kind === "page" && failures-- > 0) throw new Error("broken off");
        if (kind === "page" && restored > 0)
          await runtime.store.sql`update pages set deleted_at = null where id = ${restored}`;
        if (kind === "page") restored = 0;
      },
    });
  },
});
beforeAll(async () => {
  runtime = await bootTestRuntime({ constants: { users: { deletedItems: 2 } }, extra: [breaker] });
});
afterAll(() => runtime.stop());

const RIGHTS = [
  "access-api",
  "book-create-all",
  "book-view-all",
  "page-create-all",
  "page-view-all",
  "page-delete-all",
];

/** A user with one book, three pages and one in the recycle bin. */
async function author(name: string) {
  const person = await runtime.person(name, RIGHTS);
  const as = person.token;
  const book = (await runtime.ask("POST", "/api/books", { as, body: { name: `${name}'s` } })).body;
  const pages: number[] = [];
  for (const title of ["One", "Two", "Three", "Binned"])
    pages.push(
      (await runtime.ask("POST", "/api/pages", { as, body: { book_id: book.id, name: title, html: "x" } })).body.id,
    );
  expect((await runtime.ask("DELETE", `/api/pages/${pages[3]}`, { as })).status).toBe(204);
  return { ...person, book: book.id as number, pages };
}

const remove = (id: number, heir?: number) =>
  runtime.ask("DELETE", `/api/users/${id}`, { body: heir === undefined ? {} : { migrate_ownership_id: heir } });
const transfers = async () => (await runtime.ask("GET", "/api/user-transfers")).body;
const people = (ids: readonly number[]) =>
  runtime.store
    .sql`select owned_by, created_by, updated_by from pages where id in ${runtime.store.sql(ids)} order by id`;
const all = (owned_by: number | null) =>
  Array.from({ length: 4 }, () => ({ owned_by, created_by: null, updated_by: null }));

test("the request ends before the items change; the listing and the screen show what is left until the job has ended", async () => {
  const [ada, heir] = [await author("ada"), await runtime.person("heir", ["access-api"])];
  const gone = await remove(ada.id, heir.id);
  expect([gone.status, gone.body]).toEqual([204, ""]);
  expect((await runtime.ask("GET", `/api/users/${ada.id}`)).status).toBe(404);
  expect((await runtime.ask("GET", "/api/books", { as: ada.token })).status).toBe(401);
  const { data, total } = await transfers();
  expect([total, data[0]]).toEqual([
    1,
    {
      id: expect.any(Number),
      user_id: ada.id,
      name: "ada",
      heir: { id: heir.id, name: "heir", slug: expect.any(String) },
      items: null,
      moved: 0,
      created_at: expect.any(String),
    },
  ]);
  await runtime.runtime.jobs.drain();
  expect(Array.from(await people(ada.pages))).toEqual(all(heir.id));
  expect((await runtime.ask("GET", `/api/books/${ada.book}`)).body.owned_by.id).toBe(heir.id);
  expect((await transfers()).total).toBe(0);
});

test("a job that breaks off keeps what it has changed and ends with the next try; the checks report nothing meanwhile", async () => {
  const [bob, heir] = [await author("bob"), await runtime.person("bobs-heir", ["access-api"])];
  failures = 1;
  await remove(bob.id, heir.id);
  await runtime.runtime.jobs.drain();
  expect((await transfers()).data[0]).toMatchObject({ user_id: bob.id, items: 4, moved: 1 });
  expect((await runtime.ask("GET", `/api/books/${bob.book}`)).body.owned_by.id).toBe(heir.id);
  const checks = runtime.contexts.get("users")?.slot("self_check") ?? [];
  const found = await checks.find(({ name }) => name === "users/authors")?.check();
  expect(found).toEqual({ status: "ok", count: 0, examples: [] });
  await runtime.store.sql`update jobs set run_at = now() where name = 'user_content'`;
  await runtime.runtime.jobs.drain();
  expect(Array.from(await people(bob.pages))).toEqual(all(heir.id));
  expect((await transfers()).total).toBe(0);
});

test("where the heir is deleted meanwhile, the heir's heir gets the items", async () => {
  const [cleo, first, second] = [
    await author("cleo"),
    await runtime.person("first", ["access-api"]),
    await runtime.person("second", ["access-api"]),
  ];
  await remove(cleo.id, first.id);
  expect((await remove(first.id, second.id)).status).toBe(204);
  await runtime.runtime.jobs.drain();
  expect(Array.from(await people(cleo.pages))).toEqual(all(second.id));
});

test("an item that is restored from the recycle bin while the job runs gets the heir too", async () => {
  const [eve, heir] = [await author("eve"), await runtime.person("eves-heir", ["access-api"])];
  restored = eve.pages[0] ?? 0;
  // One that the user only owns is found by no later pass.
  await runtime.store
    .sql`update pages set created_by = null, updated_by = null, deleted_at = now() where id = ${restored}`;
  await remove(eve.id, heir.id);
  await runtime.runtime.jobs.drain();
  expect(Array.from(await people(eve.pages))).toEqual(all(heir.id));
  expect((await transfers()).total).toBe(0);
});

test("two items change within the request, also in the recycle bin", async () => {
  const dora = await runtime.person("dora", RIGHTS);
  const { id } = (await runtime.ask("POST", "/api/books", { as: dora.token, body: { name: "Dora's" } })).body;
  const page = (
    await runtime.ask("POST", "/api/pages", { as: dora.token, body: { book_id: id, name: "P", html: "x" } })
  ).body;
  await runtime.ask("DELETE", `/api/pages/${page.id}`, { as: dora.token });
  expect((await remove(dora.id)).status).toBe(204);
  expect(Array.from(await people([page.id]))).toEqual(all(null).slice(0, 1));
  expect((await transfers()).total).toBe(0);
});
