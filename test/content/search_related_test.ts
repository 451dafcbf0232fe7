/** Search by what is stored beside items: views, comments and tags; and the limit on how many are searched. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
const made: Record<string, { id: number }> = {};
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const make = async (segment: string, name: string, more: object) => {
    made[name.toLowerCase()] = (await runtime.ask("POST", `/api/${segment}`, { body: { name, ...more } })).body;
    return made[name.toLowerCase()] as { id: number };
  };
  const zoo = await make("books", "Zoo", {});
  await make("pages", "Heron", { book_id: zoo.id, html: "<p>wades</p>" });
  await make("pages", "Crane", { book_id: zoo.id, html: "<p>not a heron</p>" });
});
afterAll(() => runtime.stop());

const search = async (query: string, as = runtime.token) =>
  (await runtime.ask("GET", `/api/search?query=${encodeURIComponent(query)}`, { as })).body;
const names = async (query: string, as = runtime.token): Promise<string[]> =>
  (await search(query, as)).data.map(({ name }: { name: string }) => name);

test("items are searched by whether the viewer has opened them", async () => {
  const page = (
    await runtime.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name: "Okapi", html: "<p>striped</p>" } })
  ).body;
  const other = await runtime.person("viewer", ["access-api", "page-view-all", "book-view-all"]);
  expect([
    await names("okapi {viewed_by_me}", other.token),
    await names("okapi {not_viewed_by_me}", other.token),
  ]).toEqual([[], ["Okapi"]]);
  await runtime.ask("GET", `/api/pages/${page.id}`, { as: other.token });
  await runtime.ask("GET", `/api/books/${made.zoo?.id}`, { as: other.token });
  await runtime.ask("GET", "/api/pages/999999", { as: other.token });
  expect([await names("okapi {viewed_by_me}", other.token), await names("okapi -{viewed_by_me}", other.token)]).toEqual(
    [["Okapi"], []],
  );
  expect(await names("{viewed_by_me}", other.token)).toEqual(["Zoo", "Okapi"]);
  expect(await names("okapi {viewed_by_me}", runtime.token)).toEqual([]);
  await runtime.ask("GET", `/api/pages/${page.id}`, { as: other.token });
  await names("{viewed_by_me}", other.token);
  const kept = await rows(
    runtime.db,
    sql`select kind, item_id, count from item_views where user_id = ${other.id} order by kind`,
  );
  expect(kept).toEqual([
    { kind: "book", item_id: made.zoo?.id, count: 1 },
    { kind: "page", item_id: page.id, count: 2 },
  ]);
  await runtime.ask("DELETE", `/api/users/${other.id}`);
  expect(await rows(runtime.db, sql`select from item_views where user_id = ${other.id}`)).toEqual([]);
});

test("a refused read is not a view", async () => {
  const other = await runtime.person("outsider", ["access-api"]);
  expect((await runtime.ask("GET", `/api/books/${made.zoo?.id}`, { as: other.token })).status).toBe(404);
  await names("{viewed_by_me}", other.token);
  expect(await rows(runtime.db, sql`select from item_views where user_id = ${other.id}`)).toEqual([]);
});

test("results can be ordered by their last comment", async () => {
  for (const name of ["Heron", "Crane"])
    await runtime.ask("POST", "/api/comments", {
      body: { page_id: made[name.toLowerCase()]?.id, html: "<p>Seen!</p>" },
    });
  expect(await names("{sort_by:last_commented}")).toEqual(["Crane", "Heron"]);
  await runtime.ask("POST", "/api/comments", { body: { page_id: made.heron?.id, html: "<p>Again</p>" } });
  expect(await names("{sort_by:last_commented}")).toEqual(["Heron", "Crane"]);
  expect(await names("heron zoo -{sort_by:last_commented}")).toEqual(["Crane", "Heron"]);
});

test("tags compare with a number by the number they begin with, and else as text", async () => {
  for (const [name, value] of [
    ["Five", "5.2 beta"],
    ["Ten", "10"],
    ["Text", "latest"],
    ["Least", "-3"],
  ] as const)
    await runtime.ask("POST", "/api/books", { body: { name, tags: [{ name: "ver", value }] } });
  for (const [query, found] of [
    ["[ver>5]", ["Five", "Ten"]],
    ["[ver>=10]", ["Ten"]],
    ["[ver<1]", ["Text", "Least"]],
    ["[ver=0]", ["Text"]],
    ["[ver=5.2]", ["Five"]],
    ["[ver!=10]", ["Five", "Text", "Least"]],
    ["[ver>1e1]", []],
    ["[verlike%2%]", ["Five"]],
    ["[ver like LAT%]", ["Text"]],
    ["[ver=Latest]", ["Text"]],
    ["[=10]", ["Ten"]],
  ] as const)
    expect([query, (await names(query)).sort()]).toEqual([query, [...found].sort()]);
});

test("beyond the bound the total is marked as a lower bound, and names still come first", async () => {
  const small = await bootTestRuntime({ constants: { search: { candidates: 100 } } });
  try {
    const book = (await small.ask("POST", "/api/books", { body: { name: "Many" } })).body;
    await rows(
      small.db,
      sql`insert into pages (book_id, name, slug, html, markdown, text, rendered, priority, editor)
        select ${book.id}::integer, 'Item ' || n, 'item-' || n, '', '', 'walrus', '', 1, 'wysiwyg' from generate_series(1, 1200) n`,
    );
    await small.runtime.jobs.drain();
    await small.ask("POST", "/api/pages", { body: { book_id: book.id, name: "Walrus", html: "<p>x</p>" } });
    const find = async (query: string) => (await small.ask("GET", `/api/search?query=${query}&count=3`)).body;
    const common = await find("walrus");
    expect([common.data[0].name, common.total > 100, common.total_is_lower_bound]).toEqual(["Walrus", true, true]);
    // Beyond the bound by its name, which every page has.
    const named = await small.ask("POST", "/api/books", { body: { name: "Item" } });
    expect((await find("item")).data[0]).toMatchObject({ type: "book", id: named.body.id });
    const rare = await find("many");
    expect([rare.total, rare.total_is_lower_bound]).toEqual([1, undefined]);
    const listed = await find("{type:page}");
    expect([listed.data.map(({ id }: { id: number }) => id), listed.total_is_lower_bound]).toEqual([[1, 2, 3], true]);
    const last = (await small.ask("GET", "/api/search?query={type:page}&count=100&page=12")).body;
    expect(last.data.map(({ id }: { id: number }) => id).at(0)).toBe(1101);
  } finally {
    await small.stop();
  }
});

test("a rare word is found and counts beside common ones, at any position", async () => {
  const small = await bootTestRuntime({ constants: { search: { candidates: 100 } } });
  try {
    const book = (await small.ask("POST", "/api/books", { body: { name: "Sea" } })).body.id;
    const make = (name: string, html: string) =>
      small.ask("POST", "/api/pages", { body: { book_id: book, name, html } });
    for (let n = 1; n <= 130; n++) await make(`Filler ${n}`, "<p>how to do this and how to do that</p>");
    const many = Array.from({ length: 90 }, (_, n) => `word${n} word${n}`).join(" ");
    await make("Log", `<p>${many} narwhal</p>`);
    await make("Diary", "<h2>Narwhal</h2>");
    const found = await small.ask("GET", "/api/search?query=how%20to%20feed%20a%20narwhal");
    expect(found.body.data.slice(0, 2).map(({ name }: { name: string }) => name)).toEqual(["Diary", "Log"]);
    expect([found.body.total > 100, found.body.total_is_lower_bound]).toEqual([true, true]);
  } finally {
    await small.stop();
  }
});
