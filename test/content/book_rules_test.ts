/** Rules that keep a book sorted: the whole book when one is set, and later what is made, renamed, moved and restored. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
});
afterAll(() => runtime.stop());

interface Shown {
  readonly name: string;
  readonly pages?: readonly Shown[];
}
const ask = async (method: string, path: string, body?: unknown, as = runtime.token) =>
  runtime.ask(method, `/api/${path}`, { as, ...(body === undefined ? {} : { body }) });
const make = async (path: string, body: object): Promise<number> => (await ask("POST", path, body)).body.id;
const page = (name: string, at: object) => make("pages", { name, html: "<p>x</p>", ...at });
const setRule = (book: number, body: unknown, as?: string) => ask("PUT", `books/${book}/order/rule`, body, as);

/** The order of a book as readers have it once what waits is done: "One[a b] c". */
async function orderOf(book: number): Promise<string> {
  await runtime.runtime.jobs.drain();
  const outline = ({ name, pages }: Shown): string => (pages ? `${name}[${pages.map(outline).join(" ")}]` : name);
  return (await ask("GET", `books/${book}`)).body.contents.map(outline).join(" ");
}

test("a rule sorts the whole book, chapters with pages and pages in their chapters", async () => {
  const book = await make("books", { name: "Numbers" });
  for (const name of ["Éclair", "part 10", "ab", "part 9"]) await page(name, { book_id: book });
  const chapter = await make("chapters", { name: "Part 09", book_id: book });
  for (const name of ["v1.10", "v1.9", "v1.10.2"]) await page(name, { chapter_id: chapter });
  expect((await ask("GET", `books/${book}/order/rule`)).body).toEqual({ rule: null });
  const { status, body } = await setRule(book, { rule: "name" });
  expect([status, body]).toEqual([200, { rule: "name" }]);
  expect(await orderOf(book)).toBe("ab Éclair Part 09[v1.9 v1.10 v1.10.2] part 9 part 10");
  expect((await ask("GET", `books/${book}/order/rule`)).body).toEqual({ rule: "name" });
  expect((await setRule(book, { rule: "-name", keep: false })).body).toEqual({ rule: null });
  expect(await orderOf(book)).toBe("part 10 Part 09[v1.10.2 v1.10 v1.9] part 9 Éclair ab");
  await page("aa", { book_id: book });
  expect(await orderOf(book)).toBe("part 10 Part 09[v1.10.2 v1.10 v1.9] part 9 Éclair ab aa");
});

test("what is made, renamed, moved and restored takes its place, and copies of the book are kept sorted too", async () => {
  const book = await make("books", { name: "Kept" });
  const chapter = await make("chapters", { name: "M", book_id: book });
  const [d, b] = [await page("d", { book_id: book }), await page("b", { book_id: book })];
  await setRule(book, { rule: "name" });
  expect(await orderOf(book)).toBe("b d M[]");
  await page("c", { book_id: book });
  await make("chapters", { name: "a", book_id: book });
  expect(await orderOf(book)).toBe("a[] b c d M[]");
  await ask("PUT", `pages/${b}`, { name: "e" });
  expect(await orderOf(book)).toBe("a[] c d e M[]");
  for (const id of [b, d]) await ask("PUT", `pages/${id}`, { chapter_id: chapter });
  expect(await orderOf(book)).toBe("a[] c M[d e]");
  const other = await make("books", { name: "Other" });
  await ask("PUT", `chapters/${await make("chapters", { name: "b", book_id: other })}`, { book_id: book });
  expect(await orderOf(book)).toBe("a[] b[] c M[d e]");
  await ask("DELETE", `pages/${d}`);
  await ask("PUT", `books/${book}/order`, { items: [{ type: "chapter", id: chapter, pages: [] }] });
  const [bin] = (await ask("GET", `recycle-bin?filter[deletable_id]=${d}&sort=-id`)).body.data;
  await ask("PUT", `recycle-bin/${bin.id}`);
  expect(await orderOf(book)).toBe("a[] b[] c M[d e]");
  const copy = (await ask("POST", `books/${book}/copy`, { name: "Copy" })).body.id;
  await page("0", { book_id: copy });
  expect(await orderOf(copy)).toBe("0 a[] b[] c M[d e]");
  // Text alone changes no order by name; other requests that sort the book move pages between chapters and nothing else.
  await ask("PUT", `books/${book}/order`, {
    items: [
      { type: "page", id: b },
      { type: "chapter", id: chapter, pages: [d] },
    ],
  });
  expect(await orderOf(book)).toBe("a[] b[] c e M[d]");
  expect((await setRule(book, { rule: "none" })).body).toEqual({ rule: null });
  await page("a", { book_id: book });
  expect(await orderOf(book)).toBe("a[] b[] c e M[d] a");
});

test("the newest and the last changed come first where the rule says so", async () => {
  const book = await make("books", { name: "News" });
  const ids = [];
  for (const name of ["one", "two"]) ids.push(await page(name, { book_id: book }));
  await setRule(book, { rule: "-created" });
  await page("three", { book_id: book });
  expect(await orderOf(book)).toBe("three two one");
  await setRule(book, { rule: "-updated" });
  await ask("PUT", `pages/${ids[0]}`, { html: "<p>changed</p>" });
  expect(await orderOf(book)).toBe("one three two");
});

test("a rule needs the permissions of sorting, goes with its book, and is refused in another shape", async () => {
  const book = await make("books", { name: "Guarded" });
  for (const name of ["b", "a"]) await page(name, { book_id: book });
  const reads = ["access-api", "book-view-all", "page-view-all"];
  const reader = await runtime.person("Reader", reads);
  const sorter = await runtime.person("Sorter", [...reads, "book-update-all"]);
  expect((await setRule(book, { rule: "name" }, reader.token)).status).toBe(403);
  // Pages that they may not change keep their order.
  expect((await setRule(book, { rule: "name" }, sorter.token)).status).toBe(403);
  expect((await ask("GET", `books/${book}/order/rule`, undefined, reader.token)).body).toEqual({ rule: null });
  expect((await setRule(book, { rule: "created" }, sorter.token)).status).toBe(200);
  for (const rule of ["size", 7, ["name"]]) expect((await setRule(book, { rule })).status).toBe(422);
  expect((await setRule(book, { rule: "name", keep: "perhaps" })).status).toBe(422);
  expect((await setRule(999_999, { rule: "name" })).status).toBe(404);
  await ask("DELETE", `books/${book}`);
  const [bin] = (await ask("GET", `recycle-bin?filter[deletable_id]=${book}&sort=-id`)).body.data;
  await ask("DELETE", `recycle-bin/${bin.id}`);
  const left = await runtime.store.sql`select rule from book_sort_rules where book_id = ${book}`;
  expect(left.length).toBe(0);
});

test("a body without a rule is refused, and ends no rule", async () => {
  const book = await make("books", { name: "Careful" });
  await setRule(book, { rule: "name" });
  for (const body of [{}, { keep: false }, [], { rule: null }, { rule: "" }])
    expect([body, (await setRule(book, body)).status]).toEqual([body, 422]);
  expect((await ask("GET", `books/${book}/order/rule`)).body).toEqual({ rule: "name" });
});
