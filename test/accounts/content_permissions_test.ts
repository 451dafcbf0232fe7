/** The two routes of overrides: answers and refusals (platform 3). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ALL, NOTHING, overrideTools } from "../support/data/sample_overrides.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());
const { permit, tree } = overrideTools(() => runtime);

const DENIED = { error: { message: "You do not have permission to perform the requested action.", code: 403 } };
const INHERITING = { inheriting: true, view: null, create: null, update: null, delete: null };

test("an item without overrides shows its owner and that it inherits", async () => {
  const { book } = await tree("Plain");
  const { status, body } = await runtime.ask("GET", `/api/content-permissions/book/${book}`);
  expect([status, body]).toEqual([
    200,
    { owner: { id: 1, name: "Admin", slug: "admin" }, role_permissions: [], fallback_permissions: INHERITING },
  ]);
});

test("what a read answers may be sent back as it is", async () => {
  const { page } = await tree("Round");
  for (const fallback of [{ inheriting: false, ...ALL }, null]) {
    await permit("page", page, {
      role_permissions: [{ role_id: 3, ...ALL, delete: false }],
      fallback_permissions: fallback,
    });
    const { body } = await runtime.ask("GET", `/api/content-permissions/page/${page}`);
    const again = await permit("page", page, body);
    expect([again.status, again.body]).toEqual([200, body]);
  }
});

test("entries keep their order, and of two for one role the last counts", async () => {
  const { page } = await tree("Order");
  const sent = [3, 2, 3].map((role_id, n) => ({ role_id, ...(n === 2 ? ALL : NOTHING) }));
  const { body } = await permit("page", page, { role_permissions: sent });
  expect(body.role_permissions).toEqual([
    { role_id: 3, ...ALL, role: { id: 3, display_name: "Viewer" } },
    { role_id: 2, ...NOTHING, role: { id: 2, display_name: "Editor" } },
  ]);
});

test("an empty fallback, or null, means inheriting; only another owner moves the time of the last change", async () => {
  const { page } = await tree("Time");
  const time = async () => (await runtime.ask("GET", `/api/pages/${page}`)).body.updated_at;
  const before = await time();
  for (const empty of [{}, [], null, { inheriting: true, view: null }]) {
    await permit("page", page, { fallback_permissions: { inheriting: false, ...ALL } });
    const { body } = await permit("page", page, { fallback_permissions: empty });
    expect([empty, body.fallback_permissions]).toEqual([empty, INHERITING]);
  }
  await permit("page", page, { owner_id: 1 });
  await permit("page", page, { owner_id: 99_999_999 });
  expect(await time()).toBe(before);
  await permit("page", page, { owner_id: 2 });
  expect(await time()).not.toBe(before);
});

test("a new page is inserted with the overrides of its book or chapter", async () => {
  const { book, chapter } = await tree("Written");
  const reader = await runtime.person("inserted", ["access-api", "book-view-all", "chapter-view-all", "page-view-all"]);
  await permit("chapter", chapter, { fallback_permissions: { inheriting: false, ...NOTHING } });
  for (const [parent, status] of [
    [{ chapter_id: chapter }, 404],
    [{ book_id: book }, 200],
  ] as const) {
    const created = await runtime.ask("POST", "/api/pages", { body: { ...parent, name: "New", html: "<p>x</p>" } });
    const { id } = created.body;
    expect((await runtime.ask("GET", `/api/pages/${id}`, { as: reader.token })).status).toBe(status);
    // The command within the transaction that wrote the row last is the one that wrote its first revision.
    const written = await runtime.store.sql`select pages.cmin = page_revisions.cmin as once
      from pages join page_revisions on page_revisions.page_id = pages.id where pages.id = ${id}`;
    expect(written[0]?.once).toBe(true);
  }
});

test("type, item, right and body are asked in this order", async () => {
  const { page } = await tree("Asked");
  const reader = await runtime.person("reader", ["access-api", "page-view-all"]);
  const blind = await runtime.person("blind", ["access-api", "restrictions-manage-all"]);
  const bad = { role_permissions: "bad" };
  const unseen = [
    ["shelf", page],
    ["pages", page],
    ["user", 1],
    ["page", 99_999_999],
    ["page", "abc"],
    ["page", "0"],
    ["page", "99999999999"],
  ] as const;
  for (const [kind, id] of unseen) {
    for (const method of ["GET", "PUT"]) {
      const answer = await runtime.ask(
        method,
        `/api/content-permissions/${kind}/${id}`,
        method === "PUT" ? { body: bad } : {},
      );
      expect([kind, id, answer.status, answer.body.error.code]).toEqual([kind, id, 404, 404]);
    }
  }
  expect((await permit("page", page, bad, blind.token)).status).toBe(404);
  const refused = await permit("page", page, bad, reader.token);
  expect([refused.status, refused.body]).toEqual([403, DENIED]);
  expect((await permit("page", page, bad)).status).toBe(422);
});

test("malformed bodies are refused without a server error and change nothing", async () => {
  const { page } = await tree("Odd");
  const entry = { role_id: 2, ...ALL };
  const bodies = [
    { owner_id: "me" },
    { owner_id: null },
    { owner_id: 1e12 },
    { role_permissions: null },
    { role_permissions: [5] },
    { role_permissions: [{ ...entry, role_id: 0 }] },
    { role_permissions: [{ ...entry, role_id: -1 }] },
    { role_permissions: [{ ...entry, role_id: 1e12 }] },
    { role_permissions: [{ ...entry, view: "yes" }] },
    { role_permissions: [{ ...entry, view: null }] },
    { role_permissions: [[entry]] },
    { fallback_permissions: "all" },
    { fallback_permissions: 5 },
    { fallback_permissions: [5] },
    { fallback_permissions: { view: true } },
    { fallback_permissions: { inheriting: null, ...ALL } },
    { fallback_permissions: { inheriting: false, ...ALL, view: null } },
    { fallback_permissions: { inheriting: [true] } },
  ];
  for (const body of bodies) expect([body, (await permit("page", page, body)).status]).toEqual([body, 422]);
  const { body } = await runtime.ask("GET", `/api/content-permissions/page/${page}`);
  expect([body.role_permissions, body.fallback_permissions]).toEqual([[], INHERITING]);
});

test("the permissions of a shelf are copied to the books on it that the viewer sees and may manage", async () => {
  const ask = async (method: string, path: string, options: Parameters<typeof runtime.ask>[2] = {}) =>
    runtime.ask(method, path, options);
  const made = [];
  for (const name of ["Mine", "Theirs", "Hidden"]) made.push((await tree(name)).book);
  const [mine = 0, theirs = 0, hidden = 0] = made;
  const owner = await runtime.person("Keeper", [
    "access-api",
    "restrictions-manage-own",
    "book-view-all",
    "bookshelf-view-all",
  ]);
  const shelf = (await ask("POST", "/api/shelves", { body: { name: "Shelf", books: [hidden, theirs, mine] } })).body.id;
  await permit("bookshelf", shelf, { owner_id: owner.id });
  await permit("book", mine, { owner_id: owner.id, role_permissions: [{ role_id: 2, ...NOTHING }] });
  await permit("book", hidden, { owner_id: owner.id, role_permissions: [{ role_id: owner.role, ...NOTHING }] });
  const overrides = {
    role_permissions: [{ role_id: 3, ...ALL }],
    fallback_permissions: { inheriting: false, ...NOTHING, view: true },
  };
  await permit("bookshelf", shelf, overrides);
  const path = `/api/content-permissions/bookshelf/${shelf}/copy-to-books`;
  const of = async (book: number) => (await ask("GET", `/api/content-permissions/book/${book}`)).body;
  expect((await ask("POST", path, { as: owner.token })).body).toEqual({ copied: 1, skipped: 1 });
  expect(await of(mine)).toMatchObject({ owner: { id: owner.id }, ...overrides });
  expect((await of(theirs)).role_permissions).toEqual([]);
  expect((await of(hidden)).role_permissions).toMatchObject([{ role_id: owner.role }]);
  expect((await ask("POST", path)).body).toEqual({ copied: 3, skipped: 0 });
  // What is in the books follows at once, and a shelf without permissions of its own takes theirs.
  await permit("bookshelf", shelf, { role_permissions: [], fallback_permissions: null });
  expect((await ask("POST", path)).body).toEqual({ copied: 3, skipped: 0 });
  for (const book of made)
    expect(await of(book)).toMatchObject({ role_permissions: [], fallback_permissions: INHERITING });
  const stranger = await runtime.person("Stranger", ["access-api", "bookshelf-view-all"]);
  expect((await ask("POST", path, { as: stranger.token })).body).toEqual(DENIED);
  expect((await ask("POST", "/api/content-permissions/book/1/copy-to-books")).status).toBe(404);
});
