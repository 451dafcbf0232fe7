/**
 * Totals of filtered listings, which are counted by what the filters leave out where that is less: for every field and
 * operator the total is the number of rows, for viewers who see all, some and their own.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
let runtime: TestRuntime;
const viewers: Record<string, string> = {};
const OPERATORS = ["eq", "ne", "gt", "lt", "gte", "lte", "like"];

beforeAll(async () => {
  runtime = await bootTestRuntime();
  const RIGHTS = ["access-api", "book-view-all", "page-create-all", "chapter-create-all", "book-create-all"];
  const own = await runtime.person("own", [...RIGHTS, "page-view-own", "chapter-view-own"]);
  const all = await runtime.person("all", [...RIGHTS, "page-view-all", "chapter-view-all"]);
  Object.assign(viewers, { administrator: runtime.token, own: own.token, all: all.token });
  const make = async (path: string, body: unknown, as = runtime.token) =>
    (await runtime.ask("POST", `/api/${path}`, { as, body })).body.id as number;
  const book = await make("books", { name: "Book" });
  const other = await make("books", { name: "Other" }, own.token);
  const chapter = await make("chapters", { book_id: book, name: "Chapter" });
  const names = ["Alpha", "Beta", "Gamma", "Äther", "Zeta", "Page_1", "Page%2"];
  const ids: number[] = [];
  for (const [n, name] of names.entries()) {
    const parent = n % 3 === 0 ? { chapter_id: chapter } : { book_id: n % 2 === 0 ? book : other };
    ids.push(await make("pages", { ...parent, name, html: "x" }, n % 2 === 0 ? runtime.token : own.token));
  }
  await runtime.ask("PUT", `/api/content-permissions/page/${ids[2]}`, {
    body: { fallback_permissions: { inheriting: false, view: false, create: false, update: false, delete: false } },
  });
  await runtime.ask("DELETE", `/api/pages/${ids[4]}`);
  const [first, second, ...more] = ids;
  await runtime.store.sql`update pages set created_by = null, owned_by = null where id = ${first ?? 0}`;
  await runtime.store.sql`update pages set draft = true where id = ${second ?? 0}`;
  await runtime.store
    .sql`update pages set template = true, priority = 9 where id in ${runtime.store.sql(more.slice(0, 2))}`;
});
afterAll(() => runtime.stop());

const FIELDS: Record<string, string[]> = {
  id: ["0", "3", "99999", "x"],
  name: ["beta", "page_1", "ZZZ", "%a%", ""],
  slug: ["beta", "%e%"],
  priority: ["1", "9", "2.5"],
  chapter_id: ["0", "1", "7"],
  book_id: ["1", "77"],
  draft: ["0", "1", "true", "maybe"],
  template: ["0", "1"],
  created_by: ["1", "3", "55"],
  owned_by: ["1", "3", "0"],
  updated_at: ["2020-01-01", "2999-01-01", "never"],
  unknown: ["1"],
};

test("the total of one filter is the number of rows that match", async () => {
  for (const [who, as] of Object.entries(viewers))
    for (const [field, values] of Object.entries(FIELDS))
      for (const operator of OPERATORS)
        for (const value of values) await check(who, as, [`filter[${field}:${operator}]=${encodeURIComponent(value)}`]);
});

test("the total of several filters is the number of rows that match all of them", async () => {
  const some = [
    "filter[name:ne]=beta",
    "filter[draft:ne]=1",
    "filter[chapter_id:ne]=0",
    "filter[created_by:ne]=1",
    "filter[id:gt]=2",
    "filter[name:like]=%25a%25",
    "filter[template]=0",
    "filter[unknown:ne]=3",
  ];
  for (const [who, as] of Object.entries(viewers))
    for (const one of some) for (const another of some) await check(who, as, [one, another]);
});

test("a negative filter counts the rows that it leaves out, by the index of the field", async () => {
  const sent = await statementsOf(runtime, () => runtime.ask("GET", "/api/pages?filter[name:ne]=beta"));
  const total = sent.find(({ text }) => text.includes("as total"));
  expect(total?.text).toContain('"pages"."name_key" = ');
});

async function check(who: string, as: string, filters: readonly string[]): Promise<void> {
  const { status, body } = await runtime.ask("GET", `/api/pages?count=500&${filters.join("&")}`, { as });
  expect({ who, filters, status, total: body.total }).toEqual({ who, filters, status: 200, total: body.data.length });
}
