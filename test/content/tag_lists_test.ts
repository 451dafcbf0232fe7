/** Names and values of tags, counted over what the reader sees and nothing else (content-api 13). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const tagged = (name: string, value: string) => ({ tags: [{ name, value }] });
  const make = async (path: string, body: object) => (await runtime.ask("POST", path, { body })).body.id as number;
  const book = await make("/api/books", { name: "Book", ...tagged("team", "ops") });
  const chapter = await make("/api/chapters", { name: "Chapter", book_id: book, ...tagged("team", "ops") });
  await make("/api/pages", { name: "Page", chapter_id: chapter, html: "<p>x</p>", ...tagged("team", "web") });
  await make("/api/pages", { name: "Other", book_id: book, html: "<p>x</p>", ...tagged("State", "") });
  await make("/api/shelves", { name: "Shelf", books: [book], ...tagged("team", "ops") });
  const gone = await make("/api/pages", { name: "Gone", book_id: book, html: "<p>x</p>", ...tagged("gone", "x") });
  await runtime.ask("DELETE", `/api/pages/${gone}`);
});
afterAll(() => runtime.stop());

const get = async (path: string, as?: string) => (await runtime.ask("GET", path, as === undefined ? {} : { as })).body;

test("names are listed with their uses by kind, sorted and filtered like every listing", async () => {
  const { data, total } = await get("/api/tags/names");
  expect(total).toBe(2);
  expect(data).toContainEqual({
    name: "team",
    values: 2,
    usages: 4,
    page_count: 1,
    chapter_count: 1,
    book_count: 1,
    shelf_count: 1,
  });
  expect((await get("/api/tags/names?filter[name]=State")).data).toMatchObject([
    { name: "State", usages: 1, values: 1 },
  ]);
  expect((await get("/api/tags/names?sort=-usages&count=1")).data).toMatchObject([{ name: "team" }]);
});

test("the counts of names and values sort, and are no filters", async () => {
  expect(await get("/api/tags/names?filter[usages:gt]=1&filter[values]=9&offset=2")).toEqual({ data: [], total: 2 });
  const values = await get("/api/tags/values-for-name?name=team&filter[page_count]=7&filter[name]=x&sort=usages");
  expect(values.data.map(({ value }: { value: string }) => value)).toEqual(["web", "ops"]);
  expect((await get("/api/tags/values-for-name?name=team&filter[value]=WEB")).total).toBe(1);
});

test("names and values that differ in case and accents alone are one, by a spelling that the reader sees", async () => {
  const book = async (name: string, tags: object[]) =>
    (await runtime.ask("POST", "/api/books", { body: { name, tags } })).body.id as number;
  const upper = await book("Upper", [{ name: "Région", value: "Köln" }]);
  const lower = await book("Lower", [
    { name: "region", value: "koln" },
    { name: "REGION", value: "Bonn" },
  ]);
  const counts = { page_count: 0, chapter_count: 0, shelf_count: 0 };
  const names = async () => (await get("/api/tags/names?filter[name:like]=REG%25")).data;
  expect(await names()).toEqual([{ name: "REGION", values: 2, usages: 3, book_count: 3, ...counts }]);
  expect((await get("/api/tags/values-for-name?name=regIon&sort=-value")).data).toEqual([
    { name: "Région", value: "Köln", usages: 2, book_count: 2, ...counts },
    { name: "REGION", value: "Bonn", usages: 1, book_count: 1, ...counts },
  ]);
  await runtime.ask("DELETE", `/api/books/${upper}`);
  await runtime.ask("PUT", `/api/books/${lower}`, { body: { tags: [{ name: "region", value: "koln" }] } });
  expect(await names()).toEqual([{ name: "region", values: 1, usages: 1, book_count: 1, ...counts }]);
  await runtime.ask("DELETE", `/api/books/${lower}`);
});

test("values are listed under a name, which must be given", async () => {
  const { data, total } = await get("/api/tags/values-for-name?name=team&sort=value");
  expect([total, data]).toEqual([
    2,
    [
      { name: "team", value: "ops", usages: 3, page_count: 0, chapter_count: 1, book_count: 1, shelf_count: 1 },
      { name: "team", value: "web", usages: 1, page_count: 1, chapter_count: 0, book_count: 0, shelf_count: 0 },
    ],
  ]);
  expect(await get("/api/tags/values-for-name?name=nobody")).toEqual({ data: [], total: 0 });
  const { status, body } = await runtime.ask("GET", "/api/tags/values-for-name");
  expect([status, body.error.validation]).toEqual([422, { name: ["The name field is required."] }]);
});

test("what somebody may not see is not counted", async () => {
  const { token } = await runtime.person("Reader", ["access-api", "page-view-all"]);
  expect((await get("/api/tags/names?sort=name", token)).data).toMatchObject([
    { name: "State", usages: 1 },
    { name: "team", usages: 1, page_count: 1, book_count: 0 },
  ]);
  const blind = await runtime.person("Blind", ["access-api"]);
  expect(await get("/api/tags/names", blind.token)).toEqual({ data: [], total: 0 });
});
