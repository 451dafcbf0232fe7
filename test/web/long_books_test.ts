/** Books with thousands of pages: their screens show parts of 500 entries, without scripts too, and a part can be sorted alone. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

/** Pages before the chapter, in it, and after it. */
const COUNTS = { before: 300, within: 900, after: 100 };
const ALL = COUNTS.before + 1 + COUNTS.within + COUNTS.after;
const PART = 500;
/** What an entry of a list may take, and what is around the list. */
const LINK_BYTES = 600;
const AROUND_BYTES = 40_000;

let runtime: TestRuntime;
let cookie = "";
let book = 0;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  await runtime.runtime.start();
  const made = async (path: string, body: object) => (await runtime.ask("POST", `/api/${path}`, { body })).body.id;
  book = await made("books", { name: "Long" });
  const chapter = await made("chapters", { name: "Middle", book_id: book, priority: COUNTS.before + 1 });
  const pages = (count: number, from: number, chapter_id: number | null, prefix: string) =>
    rows(
      runtime.db,
      sql`insert into pages (book_id, chapter_id, name, slug, html, markdown, text, priority, editor, owned_by)
        select ${book}::integer, ${chapter_id}::integer, ${prefix}::text || n, ${prefix}::text || n, '<p>x</p>', '', 'x', ${from}::integer + n, 'wysiwyg', 1
        from generate_series(1, ${count}::integer) n`,
    );
  await pages(COUNTS.before, 0, null, "early-");
  await pages(COUNTS.within, 0, chapter, "inner-");
  await pages(COUNTS.after, COUNTS.before + 1, null, "late-");
  const body = { email: "admin@example.com", password: "correct horse battery" };
  const { headers } = await runtime.ask("POST", "/api/session", { as: null, body });
  cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
}, 120_000);
afterAll(() => runtime.stop());

async function screen(path: string): Promise<string> {
  const { status, body } = await runtime.ask("GET", path, { as: null, headers: { accept: "text/html", cookie } });
  expect([path, status]).toEqual([path, 200]);
  return body;
}

const send = (path: string, form: Record<string, string>) =>
  runtime.ask("POST", path, {
    as: null,
    form,
    headers: { accept: "text/html", cookie, "sec-fetch-site": "same-origin" },
  });

/** The names of the pages whose links, or whose rows of a sort screen, are on a screen. */
const namesOn = (text: string) => [
  ...new Set([...text.matchAll(/>((?:early|inner|late)-\d+)</g)].map(([, name]) => name)),
];
const field = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";

/** The book as the API answers it: never in parts. */
async function contents(): Promise<string[]> {
  const found = (await runtime.ask("GET", `/api/books/${book}`)).body.contents as {
    name: string;
    pages?: { name: string }[];
  }[];
  return found.flatMap(({ name, pages = [] }) => [name, ...pages.map((page) => `- ${page.name}`)]);
}

test("the screens of a book and of a chapter show parts, which lead to each other, and the API the whole", async () => {
  expect(await contents()).toHaveLength(ALL);
  const parts = [await screen("/books/long"), await screen("/books/long?page=2"), await screen("/books/long?page=3")];
  const names = parts.flatMap(namesOn);
  expect(names).toHaveLength(ALL - 1);
  expect(new Set(names).size).toBe(ALL - 1);
  for (const part of parts) expect(part.length).toBeLessThan(PART * LINK_BYTES + AROUND_BYTES);
  expect(parts.map((part) => part.includes("/books/long/chapter/middle"))).toEqual([true, true, true]);
  expect(
    parts.map((part) => [...part.matchAll(/rel="(prev|next)" href="([^"]*)"/g)].map(([, , href]) => href)),
  ).toEqual([["/books/long?page=2"], ["/books/long?page=1", "/books/long?page=3"], ["/books/long?page=2"]]);
  expect(namesOn(await screen("/books/long?page=99"))).toEqual(namesOn(parts[2] as string));
  const chapter = (await screen("/books/long/chapter/middle?page=2")).split("<main")[1] as string;
  expect(namesOn(chapter)).toHaveLength(COUNTS.within - PART);
});

test("beside a page is the part of the book that has it", async () => {
  const text = await screen("/books/long/page/late-50");
  expect(text).toMatch(/<a href="[^"]*\/books\/long\/page\/late-50" aria-current="page"/);
  const names = namesOn(text);
  expect(names).toContain("late-100");
  expect(names).not.toContain("early-1");
  expect(text).toContain("/books/long?page=2");
});

test("without scripts a step at the end of a part goes on in the next one, and its screen is shown", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort");
  expect(namesOn(shown)).toHaveLength(PART - 1);
  const edge = namesOn(shown).at(-1) as string;
  const id = new RegExp(`id="order-page-(\\d+)"(?:(?!<li).)*>${edge}<`, "s").exec(shown)?.[1];
  const form = { page: "1", loaded: field(shown, "loaded"), order: field(shown, "order") };
  const { status, headers } = await send("/books/long/sort", { ...form, move: `down page:${id}` });
  expect(status).toBe(303);
  expect(headers.get("location")).toContain(`/books/long/sort?page=2#order-page-${id}`);
  const at = before.indexOf(`- ${edge}`);
  expect(await contents()).toEqual([
    ...before.slice(0, at),
    before[at + 1] as string,
    before[at] as string,
    ...before.slice(at + 2),
  ]);
});

test("a part that is sorted by scripts is saved in the whole book, and is shown again", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort?page=3");
  const loaded = field(shown, "loaded").split(" ");
  const end = loaded.indexOf("end");
  // The last two pages of the book change places; the chapter, which begins in another part, keeps its pages.
  const order = [...loaded.slice(0, end + 1), ...loaded.slice(end + 1, -2), ...loaded.slice(-2).reverse()];
  const { status, headers } = await send("/books/long/sort", {
    ...{ page: "3", loaded: loaded.join(" "), order: order.join(" ") },
  });
  expect([status, headers.get("location")]).toEqual([303, expect.stringContaining("/books/long/sort?page=3")]);
  expect(await contents()).toEqual([...before.slice(0, -2), ...before.slice(-2).reverse()]);
});

test("what was moved by scripts is saved with a step that leaves the part", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort?page=3");
  expect(shown).toMatch(/data-leaves data-order-before/);
  const loaded = field(shown, "loaded").split(" ");
  const order = [...loaded.slice(0, -2), ...loaded.slice(-2).reverse()];
  const { status } = await send("/books/long/sort", {
    ...{ page: "3", loaded: loaded.join(" "), order: order.join(" ") },
    move: `up ${loaded[0]}`,
  });
  expect(status).toBe(303);
  const after = await contents();
  expect(after.slice(-2)).toEqual(before.slice(-2).reverse());
  expect(after.indexOf("Middle")).toBe(before.indexOf("Middle") - 1);
});
