/**
 * Alphabetical order: every listing sorts names whatever their case and accents, and finds them so (content-api 3), also in a
 * store that an earlier version filled.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { planOf, statementsOf } from "../support/harness/query_plans.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const SORTED = [
  "10 Ways",
  "abc",
  "Äpfel",
  "apple",
  "Banana",
  "café",
  "CAFE",
  "éclair",
  "Łódź",
  "zebra",
  "Ёлка",
  "漢字名",
];
/** Made in another order than they sort by; ties stay in the order they were made in. */
const MADE = [
  "zebra",
  "café",
  "Ёлка",
  "abc",
  "漢字名",
  "éclair",
  "Banana",
  "CAFE",
  "Łódź",
  "Äpfel",
  "10 Ways",
  "apple",
];

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  const { body: book } = await made("books", { name: "Holder" });
  const { body: page } = await made("pages", { book_id: book.id, name: "Holder", html: "<p>x</p>" });
  for (const [n, name] of MADE.entries()) {
    await made("shelves", { name });
    await made("books", { name });
    await made("chapters", { book_id: book.id, name });
    await made("pages", { book_id: book.id, name, html: "<p>x</p>", tags: [{ name: "tag", value: name }] });
    await made("users", { name, email: `person${n}@example.com` });
    await made("roles", { display_name: name });
    await made("attachments", { name, uploaded_to: page.id, link: "https://example.com" });
    await made("webhooks", { name, endpoint: "https://example.com/hook", events: ["all"] });
  }
}, 120_000);
afterAll(() => runtime.stop());

async function made(path: string, body: object) {
  const answer = await runtime.ask("POST", `/api/${path}`, { body });
  expect({ path, body, status: answer.status, answer: answer.body }).toMatchObject({ status: 200 });
  return answer;
}

const HOLDERS = /^(?:Holder|Admin|Editor|Viewer|Public|Guest|.*Administrator.*)$/i;

async function namesOf(path: string, query: string, field = "name"): Promise<string[]> {
  const { status, body } = await runtime.ask("GET", `/api/${path}${path.includes("?") ? "&" : "?"}count=100&${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  const names = body.data.map((row: Record<string, string>) => row[field]);
  expect(body.total).toBe(names.length);
  return names.filter((name: string) => !HOLDERS.test(name));
}

const LISTINGS: readonly [string, string][] = [
  ["shelves", "name"],
  ["books", "name"],
  ["chapters", "name"],
  ["pages", "name"],
  ["users", "name"],
  ["roles", "display_name"],
  ["attachments", "name"],
  ["webhooks", "name"],
];

for (const [path, field] of LISTINGS) {
  const asked = (query: string) => namesOf(path, query.replaceAll("name", field), field);

  test(`${path} sort by name alphabetically, either way`, async () => {
    expect(await asked("sort=name")).toEqual(SORTED);
    expect(await asked("sort=-name")).toEqual(SORTED.toReversed());
  });

  test(`${path} are found by name whatever case and accents`, async () => {
    for (const name of ["cafe", "CAFÉ", "Càfé"])
      expect(await asked(`sort=name&filter[name]=${encodeURIComponent(name)}`)).toEqual(["café", "CAFE"]);
    expect(await asked("filter[name]=lodz")).toEqual([]);
    expect(await asked(`filter[name]=${encodeURIComponent("елка")}`)).toEqual(["Ёлка"]);
    expect(await asked("sort=name&filter[name:ne]=Cafe")).toEqual(SORTED.filter((name) => !/caf/i.test(name)));
    expect(await asked("sort=name&filter[name:like]=A%25")).toEqual(["abc", "Äpfel", "apple"]);
    expect(await asked("sort=name&filter[name:like]=%25cl_ir")).toEqual(["éclair"]);
    expect(await asked("sort=name&filter[name:gte]=cafe&filter[name:lt]=zebra")).toEqual(SORTED.slice(5, 9));
    expect(await asked("sort=name&filter[name:gt]=cafe&filter[name:lte]=ZEBRA")).toEqual(SORTED.slice(7, 10));
  });
}

test("values of tags sort and are found alike, and stand once for all that differ in case and accents", async () => {
  const asked = (query: string) => namesOf("tags/values-for-name?name=tag", query, "value");
  const sorted = (await asked("sort=value")).map((value) => value.toLowerCase().replace("é", "e"));
  expect(sorted).toEqual([...new Set(SORTED.map((value) => value.toLowerCase().replace("é", "e")))]);
  expect(await asked("filter[value:like]=A%25&sort=-value")).toEqual(["apple", "Äpfel", "abc"]);
});

test("descriptions fold alike", async () => {
  await made("books", { name: "Holder", description: "Über uns" });
  const { body } = await runtime.ask("GET", "/api/books?filter[description:like]=uber%25");
  expect(body.total).toBe(1);
});

test("no answer has a key in it", async () => {
  for (const [path] of LISTINGS) {
    const list = await runtime.ask("GET", `/api/${path}?count=1`);
    expect(JSON.stringify(list.body)).not.toContain("name_key");
    const id = list.body.data[0]?.id;
    if (id === undefined) continue;
    expect(JSON.stringify((await runtime.ask("GET", `/api/${path}/${id}`)).body)).not.toContain("name_key");
  }
});

test("names of any letters and the longest length are kept and found", async () => {
  for (const letter of ["ﷻ", "㌖", "∭", "漢", "😀", "ß", "Ĳ"]) {
    const name = letter.repeat(Math.floor(255 / letter.length));
    const { body } = await made("books", { name });
    const found = await runtime.ask(
      "GET",
      `/api/books?filter[name:like]=${encodeURIComponent(`${letter.repeat(50)}%`)}`,
    );
    expect(found.body.data.map(({ id }: { id: number }) => id)).toEqual([body.id]);
    await runtime.ask("DELETE", `/api/books/${body.id}`);
  }
});

test("pages in the order of their names are walked in an index", async () => {
  await rows(
    runtime.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor)
    select 1, 'Page ' || n, 'p-' || n, '', '', '', n, '' from generate_series(1, 3000) as n`,
  );
  await rows(runtime.db, sql.raw("analyze pages"));
  const sent = await statementsOf(runtime, () => runtime.ask("GET", "/api/pages?count=5&sort=name&filter[name]=cafe"));
  for (const statement of sent.filter(({ text }) => text.includes("text_key")))
    expect(await planOf(runtime, statement)).toContain("pages_by_name");
  const picked = async (query: string) => {
    const listed = await statementsOf(runtime, () => runtime.ask("GET", `/api/pages?count=5&sort=name${query}`));
    return planOf(runtime, listed.find(({ text }) => text.includes("as picked")) as (typeof listed)[number]);
  };
  expect(await picked("")).toMatch(/Index (?:Only )?Scan using pages_by_name/);
  // Rows that are skipped are not fetched.
  expect(await picked("&offset=600")).toContain("Index Only Scan using pages_by_name");
  await rows(runtime.db, sql`delete from pages where editor = ''`);
});

test("names that an earlier version stored get their keys at the start", async () => {
  await rows(
    runtime.db,
    sql`alter table books drop column name_key;
    create index books_by_name on books (lower(name), id) include (acl_id, owned_by, name) where deleted_at is null;
    delete from lectern_ledger.books where name = '0003_name_key'`,
  );
  const later = await bootTestRuntime({ beside: runtime });
  expect(await namesOf("books", "sort=name")).toEqual(SORTED);
  await later.stop();
});

test("a name of letters that count as many is found by itself", async () => {
  // Each counts as a word of four to six letters.
  const name = Array.from({ length: 255 }, (_, at) => String.fromCodePoint(0x3300 + ((at * 37) % 88))).join("");
  await runtime.ask("POST", "/api/books", { body: { name } });
  const found = await runtime.ask("GET", `/api/books?filter[name]=${encodeURIComponent(name)}`);
  expect(found.body).toMatchObject({ total: 1, data: [{ name }] });
  const others = await runtime.ask("GET", `/api/books?filter[name:ne]=${encodeURIComponent(name)}&count=500`);
  expect(others.body.data.map((book: { name: string }) => book.name)).not.toContain(name);
});
