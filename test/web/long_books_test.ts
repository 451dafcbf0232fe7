/** Books with thousands of pages: their screens show parts of 100 entries, without scripts too, and a part can be sorted alone. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

/** Pages before the chapter, in it, and after it. */
const COUNTS = { before: 300, within: 900, after: 100 };
const ALL = COUNTS.before + 1 + COUNTS.within + COUNTS.after;
const PART = 100;
/** Of the screen of a page, without its own text. */
const PAGE_BYTES = 20_000;
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
  const count = Math.ceil((COUNTS.before + 1 + COUNTS.after) / PART);
  const parts = [];
  for (let number = 1; number <= count; number++) parts.push(await screen(`/books/long?page=${number}`));
  const names = parts.flatMap(namesOn);
  expect(names).toHaveLength(COUNTS.before + COUNTS.after);
  expect(new Set(names).size).toBe(names.length);
  for (const part of parts) expect(part.length).toBeLessThan(PART * LINK_BYTES + AROUND_BYTES);
  expect(parts.map((part) => part.includes("/books/long/chapter/middle"))).toEqual([false, false, false, true, false]);
  expect(
    parts.map((part) => [...part.matchAll(/rel="(?:prev|next)" href="([^"]*)"/g)].map(([, href]) => href)).slice(0, 2),
  ).toEqual([["/books/long?page=2"], ["/books/long?page=1", "/books/long?page=3"]]);
  expect(namesOn(await screen("/books/long?page=99"))).toEqual(namesOn(parts.at(-1) as string));
  const chapter = (await screen("/books/long/chapter/middle?page=2")).split("<main")[1] as string;
  expect(namesOn(chapter)).toEqual(Array.from({ length: PART }, (_, at) => `inner-${PART + at + 1}`));
});

test("beside a page is the window of the book that has it, with links to the parts before and behind it", async () => {
  const text = await screen("/books/long/page/inner-500");
  expect(text).toMatch(/<a href="[^"]*\/books\/long\/page\/inner-500" aria-current="page"/);
  const names = namesOn(text);
  expect(names).toContain("early-300");
  expect(names.indexOf("inner-500") - names.indexOf("inner-492")).toBe(8);
  expect(names).not.toContain("inner-491");
  const more = [...text.matchAll(/<a class="more" href="([^"]*)" data-more="([^"]*)">([^<]*)/g)].map(
    ([, ...found]) => found,
  );
  expect(more[0]).toEqual(["/books/long?page=3", "before=296", "Earlier entries: 296"]);
  expect(more[1]?.[0]).toBe("/books/long/chapter/middle?page=5");
  expect(more[1]?.[2]).toBe("Earlier entries: 491");
  expect(more).toHaveLength(4);
  // What a link leads to has the entry next to the window.
  expect(namesOn(await screen("/books/long/chapter/middle?page=5"))).toContain("inner-491");
});

test("no page of a book of any size has more than 20 KB around its text", async () => {
  for (const path of ["early-1", "early-300", "inner-1", "inner-450", "inner-900", "late-1", "late-100"])
    expect([path, Buffer.byteLength(await screen(`/books/long/page/${path}`)) < PAGE_BYTES]).toEqual([path, true]);
  await rows(
    runtime.db,
    sql`update pages set name = repeat('Ü', 200) || name, slug = repeat('%C3%9C', 1) || slug where book_id = ${book}::integer and name like 'late-1%'`,
  );
  const long = await runtime.ask("GET", `/books/long/page/inner-900`, {
    as: null,
    headers: { accept: "text/html", cookie },
  });
  expect(Buffer.byteLength(long.body)).toBeLessThan(PAGE_BYTES);
  await rows(
    runtime.db,
    sql`update pages set name = replace(name, 'Ü', ''), slug = replace(slug, '%C3%9C', '') where book_id = ${book}::integer and name like 'Ü%'`,
  );
});

test("the parts of the tree are those that its links say, all entries once", async () => {
  const all = async (query: string) => {
    const names: string[] = [];
    for (let next: string | undefined = query; next !== undefined; ) {
      const part = await screen(`/books/long/tree?${next}`);
      names.push(...namesOn(part).map(String));
      next = /data-more="((?:chapter=\d+&amp;)?from=\d+)"/.exec(part)?.[1]?.replace("&amp;", "&");
    }
    return names;
  };
  const found = (await runtime.ask("GET", `/api/books/${book}`)).body.contents as { id: number; type: string }[];
  const chapter = found.find(({ type }) => type === "chapter")?.id;
  expect(await all(`chapter=${chapter}`)).toEqual(Array.from({ length: COUNTS.within }, (_, at) => `inner-${at + 1}`));
  expect(await all("from=0")).toHaveLength(COUNTS.before + COUNTS.after);
  expect(namesOn(await screen(`/books/long/tree?chapter=${chapter}&before=120`))).toEqual(
    Array.from({ length: PART }, (_, at) => `inner-${at + 21}`),
  );
  for (const query of ["chapter=999", "chapter=x", "chapter[]=1"])
    expect((await runtime.ask("GET", `/books/long/tree?${query}`, { as: null, headers: { cookie } })).status).toBe(404);
  for (const query of ["from=-1", "before=x", "from=9999999", "before=0"])
    expect((await runtime.ask("GET", `/books/long/tree?${query}`, { as: null, headers: { cookie } })).status).toBe(200);
});

test("without scripts a step at the end of a part goes on in the next one, and its screen is shown", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort");
  expect(namesOn(shown)).toHaveLength(PART);
  const edge = namesOn(shown).at(-1) as string;
  const id = new RegExp(`id="order-page-(\\d+)"(?:(?!<li).)*>${edge}<`, "s").exec(shown)?.[1];
  const form = { page: "1", loaded: field(shown, "loaded"), order: field(shown, "order") };
  const { status, headers } = await send("/books/long/sort", { ...form, move: `down page:${id}` });
  expect(status).toBe(303);
  expect(headers.get("location")).toContain(`/books/long/sort?page=2#order-page-${id}`);
  const at = before.indexOf(edge);
  expect(await contents()).toEqual([
    ...before.slice(0, at),
    before[at + 1] as string,
    before[at] as string,
    ...before.slice(at + 2),
  ]);
});

test("a part that is sorted by scripts is saved in the whole book, and is shown again", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort?page=13");
  const loaded = field(shown, "loaded").split(" ");
  const end = loaded.indexOf("end");
  // The last two pages of the book change places; the chapter, which begins in another part, keeps its pages.
  const order = [...loaded.slice(0, end + 1), ...loaded.slice(end + 1, -2), ...loaded.slice(-2).reverse()];
  const { status, headers } = await send("/books/long/sort", {
    ...{ page: "13", loaded: loaded.join(" "), order: order.join(" ") },
  });
  expect([status, headers.get("location")]).toEqual([303, expect.stringContaining("/books/long/sort?page=13")]);
  expect(await contents()).toEqual([
    ...before.slice(0, -3),
    ...before.slice(-3, -1).reverse(),
    before.at(-1) as string,
  ]);
});

test("what was moved by scripts is saved with a step that leaves the part", async () => {
  const before = await contents();
  const shown = await screen("/books/long/sort?page=13");
  expect(shown).toMatch(/data-leaves data-order-before/);
  const loaded = field(shown, "loaded").split(" ");
  const order = [...loaded.slice(0, -2), ...loaded.slice(-2).reverse()];
  const { status } = await send("/books/long/sort", {
    ...{ page: "13", loaded: loaded.join(" "), order: order.join(" ") },
    move: `up ${loaded[0]}`,
  });
  expect(status).toBe(303);
  const after = await contents();
  expect(after.slice(-3, -1)).toEqual(before.slice(-3, -1).reverse());
  expect(after.indexOf("Middle")).toBe(before.indexOf("Middle") - 1);
});
