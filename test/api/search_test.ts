/** Search: what each part of a query finds, in which order, what is shown of it, and that nobody finds what they do not see. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootHouse, type TestHouse } from "../support/house.ts";

let house: TestHouse;
const made: Record<string, { id: number; slug: string }> = {};
beforeAll(async () => {
  house = await bootHouse();
  const make = async (name: string, segment: string, body: object) => {
    made[name] = (await house.ask("POST", `/api/${segment}`, { body })).body;
    return made[name] as { id: number };
  };
  const zoo = await make("zoo", "books", {
    name: "Zoo",
    description: "All the animals",
    tags: [{ name: "kind", value: "guide" }],
  });
  const birds = await make("birds", "chapters", { book_id: zoo.id, name: "Birds", description: "With wings" });
  await make("heron", "pages", {
    chapter_id: birds.id,
    name: "Heron",
    html: "<p>Stands in <em>shallow</em> water &amp; waits</p>",
    tags: [{ name: "cost", value: "15" }],
  });
  await make("crane", "pages", {
    chapter_id: birds.id,
    name: "Crane",
    html: "<p>Not a heron, though it looks like one</p>",
    tags: [{ name: "cost", value: "7" }],
  });
  await make("shelf", "shelves", { name: "Outdoors", description: "Books about animals", books: [zoo.id] });
});
afterAll(() => house.stop());

const search = async (query: string, more = "", as = house.token) =>
  (await house.ask("GET", `/api/search?query=${encodeURIComponent(query)}${more}`, { as })).body;
const names = async (query: string): Promise<string[]> =>
  (await search(query)).data.map(({ name }: { name: string }) => name);

test("each part of a query finds what it says, names before bodies", async () => {
  for (const [query, found] of [
    ["heron", ["Heron", "Crane"]],
    ["HER", ["Heron", "Crane"]],
    ["wings shallow", ["Birds", "Heron"]],
    ["animals", ["Outdoors", "Zoo"]],
    ['"stands in shallow"', ["Heron"]],
    ['heron -"looks like"', ["Heron"]],
    ["[kind=guide]", ["Zoo"]],
    ["[cost]", ["Heron", "Crane"]],
    ["[cost>9]", ["Heron"]],
    ["[cost<=7]", ["Crane"]],
    ["-[cost] {type:page}", []],
    ["[=guide]", ["Zoo"]],
    ["[kind like G%]", ["Zoo"]],
    ["{type:chapter|bookshelf}", ["Outdoors", "Birds"]],
    ["{in_name:cran}", ["Crane"]],
    ["{in_body:waits}", ["Heron"]],
    ["heron {created_by:me}", ["Heron", "Crane"]],
    ["heron {created_by:nobody}", []],
    ["heron {created_after:2000-01-01} {updated_before:2999-01-01}", ["Heron", "Crane"]],
    ["heron {created_before:2000-01-01}", []],
    ["heron {created_after:never}", []],
    ["{is_template}", []],
    ["heron {unknown:filter}", ["Heron", "Crane"]],
    ["...", []],
    ["' | & ! :* \\", []],
    ["nobodywrotethis", []],
  ] as const)
    expect([query, (await names(query)).sort()]).toEqual([query, [...found].sort()]);
  expect((await names("heron"))[0]).toBe("Heron");
});

test("a result shows where it lies and what was found in it", async () => {
  const { data, total } = await search("shallow");
  expect(total).toBe(1);
  expect(data[0]).toMatchObject({
    id: made.heron?.id,
    name: "Heron",
    type: "page",
    url: `${house.baseUrl}/books/zoo/page/heron`,
    book: { id: made.zoo?.id, name: "Zoo", slug: "zoo" },
    chapter: { id: made.birds?.id, name: "Birds", slug: "birds" },
    tags: [{ name: "cost", value: "15", order: 0 }],
    preview_html: { name: "Heron", content: "Stands in <strong>shallow</strong> water &amp; waits" },
  });
  expect((await search("guide")).data[0].tags).toEqual([
    { name: "kind", value: "guide", order: 0, highlight_value: true },
  ]);
});

test("results come in pages, and bad numbers are refused", async () => {
  const first = await search("{type:page}", "&count=1");
  const second = await search("{type:page}", "&count=1&page=2");
  expect([first.total, first.data.length, second.data.length, first.data[0].id !== second.data[0].id]).toEqual([
    2,
    1,
    1,
    true,
  ]);
  expect((await search("{type:page}", "&page=9")).data).toEqual([]);
  expect((await search("x", "&page=0&count=101")).error.validation).toEqual({
    page: ["The page must be at least 1."],
    count: ["The count may not be greater than 100."],
  });
});

test("what is changed, deleted, restored and destroyed is found as it is", async () => {
  const page = (
    await house.ask("POST", "/api/pages", { body: { book_id: made.zoo?.id, name: "Gnu", html: "<p>grazes</p>" } })
  ).body;
  expect(await names("grazes")).toEqual(["Gnu"]);
  await house.ask("PUT", `/api/pages/${page.id}`, {
    body: { html: "<p>gallops</p>", tags: [{ name: "speed", value: "fast" }] },
  });
  expect([await names("grazes"), await names("gallops"), await names("fast")]).toEqual([[], ["Gnu"], ["Gnu"]]);
  await house.ask("DELETE", `/api/pages/${page.id}`);
  expect(await names("gallops")).toEqual([]);
  const [entry] = (await house.ask("GET", `/api/recycle-bin?filter[deletable_id]=${page.id}`)).body.data;
  await house.ask("PUT", `/api/recycle-bin/${entry.id}`);
  expect(await names("gallops")).toEqual(["Gnu"]);
  await house.ask("DELETE", `/api/pages/${page.id}`);
  const [again] = (await house.ask("GET", `/api/recycle-bin?filter[deletable_id]=${page.id}`)).body.data;
  await house.ask("DELETE", `/api/recycle-bin/${again.id}`);
  expect(
    await rows(house.db, sql`select from search_index where kind = 'page' and item_id = ${page.id}::integer`),
  ).toEqual([]);
});

test("nobody finds what they do not see, nor learns of it by its parents or the total", async () => {
  const reader = await house.person("reader", ["access-api", "page-view-all"]);
  expect(await search("heron zoo birds", "", reader.token)).toMatchObject({ total: 2 });
  const [found] = (await search("shallow", "", reader.token)).data;
  expect([found.book, found.chapter]).toEqual([undefined, undefined]);
  await house.ask("PUT", `/api/content-permissions/page/${made.heron?.id}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  expect(await search("shallow", "", reader.token)).toEqual({ data: [], total: 0 });
  expect(await names("{is_restricted}")).toEqual(["Heron"]);
});

test("items from before the search are found once the house has booted again", async () => {
  await rows(house.db, sql`delete from search_index`);
  expect(await names("crane")).toEqual([]);
  const { SYSTEM } = await import("lectern/core");
  await house.house.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  expect(await names("crane")).toEqual(["Crane"]);
});

test("a page of many megabytes can be saved and is found by its beginning", async () => {
  const words = Array.from({ length: 300_000 }, (_, at) => `word${at}`).join(" ");
  const body = { book_id: made.zoo?.id, name: "Long", html: `<p>${words}</p>` };
  expect((await house.ask("POST", "/api/pages", { body })).status).toBe(200);
  expect(await names("word77")).toEqual(["Long"]);
});

test("a word of any length is looked for, and finds nothing that is not there", async () => {
  const { status, body } = await house.ask("GET", `/api/search?query=${"a".repeat(5_000)}`);
  expect([status, body.total]).toEqual([200, 0]);
});
