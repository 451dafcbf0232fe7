/** Copies and conversions in a browser: of pages, chapters and books, of a big book with its progress, also without scripts. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

const PAGES_AT_ONCE = 3;
let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens({ constants: { content_copies: { pagesAtOnce: PAGES_AT_ONCE } } });
});
afterAll(() => screens.stop());

const make = async (segment: string, body: object): Promise<{ id: number }> =>
  (
    await screens.runtime.ask("POST", `/api/${segment}`, {
      body: segment === "pages" ? { html: "<p>x</p>", ...body } : body,
    })
  ).body;

/** A book with a chapter of so many pages. */
async function filled(name: string, pages = 2): Promise<{ id: number; chapter: number }> {
  const book = await make("books", { name });
  const chapter = await make("chapters", { name: "Part", book_id: book.id });
  for (let at = 1; at <= pages; at++) await make("pages", { name: `Page ${at}`, chapter_id: chapter.id });
  return { id: book.id, chapter: chapter.id };
}

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `copies-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

const choose = async (page: Page, name: string) => {
  await page.locator(".actions summary").click();
  await page.getByRole("link", { name, exact: true }).click();
};
const push = (page: Page, name: string) => page.locator("main").getByRole("button", { name, exact: true }).click();
const arrives = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path);
const notice = (page: Page) => page.locator(".notice").first().textContent();

test("a page and a chapter are copied to a chosen place, a book under another name", async () => {
  await filled("Origin");
  await make("books", { name: "Destination" });
  const page = await screens.visit();
  await page.goto("/books/origin/page/page-1");
  await choose(page, "Copy");
  await page.getByLabel("Name", { exact: true }).fill("Page of my own");
  await page.getByRole("radio", { name: "Destination", exact: true }).check();
  await push(page, "Copy");
  await arrives(page, "/books/destination/page/page-of-my-own");
  expect(await notice(page)).toContain("The page is copied.");
  await page.goto("/books/origin/chapter/part");
  await choose(page, "Copy");
  await sound(page, "chapter");
  await page.getByRole("radio", { name: "Destination", exact: true }).check();
  await push(page, "Copy");
  await arrives(page, "/books/destination/chapter/part");
  expect(await page.locator("main").getByRole("link", { name: "Page 2" }).count()).toBeGreaterThan(0);
  await page.goto("/books/origin");
  await choose(page, "Copy");
  await sound(page, "book");
  await page.getByLabel("Name", { exact: true }).fill("Second origin");
  await push(page, "Copy");
  await arrives(page, "/books/second-origin");
  expect(await notice(page)).toContain("The book is copied.");
});

test("a big copy shows its progress and then the copy, with scripts and without", async () => {
  await filled("Huge", PAGES_AT_ONCE + 1);
  for (const [scripts, slug] of [
    [true, "huge-one"],
    [false, "huge-two"],
  ] as const) {
    const page = await screens.visit(undefined, { scripts, size: scripts ? "desktop" : "phone" });
    await page.goto("/books/huge/copy");
    await page.getByLabel("Name", { exact: true }).fill(slug);
    await push(page, "Copy");
    await arrives(page, `/books/${slug}`);
    expect(await notice(page)).toContain("The book is copied.");
  }
});

test("the progress is told while it changes, and the reason where the copy has failed", async () => {
  const { id } = await filled("Watched");
  const { sql } = screens.runtime.store;
  // As a busy server leaves it; nobody works on it.
  const [row] =
    await sql`insert into content_copies (kind, item_id, name, total, done, status, run, created_by, updated_at)
    values ('book', ${id}, 'Watched again', 40, 10, 'running', 1, 1, now() + interval '1 hour') returning id`;
  const page = await screens.visit();
  await page.goto(`/copies/${row?.id}`);
  expect(await page.getByRole("status").textContent()).toBe("10 of 40 copied");
  await sound(page, "progress");
  await sql`update content_copies set done = 30 where id = ${row?.id}`;
  await page.getByText("30 of 40 copied").waitFor();
  await sql`update content_copies set status = 'failed', error = 'Book not found' where id = ${row?.id}`;
  await page.getByText("Nothing is copied: Book not found").waitFor();
  await sound(page, "failed");
  const plain = await screens.visit(undefined, { scripts: false });
  await sql`update content_copies set status = 'running' where id = ${row?.id}`;
  await plain.goto(`/copies/${row?.id}`);
  await sql`update content_copies set status = 'done', copy_id = ${id} where id = ${row?.id}`;
  // The browser reads the screen again by itself.
  await arrives(plain, "/books/watched");
});

test("a chapter becomes a book and a book a shelf after a question that says what happens", async () => {
  await filled("Convertible");
  const page = await screens.visit();
  await page.goto("/books/convertible/chapter/part/convert-to-book");
  await sound(page, "to-book");
  expect(await page.locator("main").textContent()).toContain("Its pages move into a new book");
  await page.goto("/books/convertible/chapter/part");
  await choose(page, "Convert to book");
  await page.getByRole("button", { name: "Convert", exact: true }).click();
  await page.waitForURL((url) => /^\/books\/part/.test(url.pathname));
  expect(await notice(page)).toContain("The chapter is a book now.");
  await filled("Shelvable");
  const plain = await screens.visit(undefined, { scripts: false, size: "phone" });
  await plain.goto("/books/shelvable");
  await choose(plain, "Convert to shelf");
  await picture(plain, "copies-to-shelf");
  await push(plain, "Convert");
  await arrives(plain, "/shelves/shelvable");
  expect(await plain.locator("main").getByRole("link", { name: "Part" }).count()).toBe(1);
});

test("what the reader may not do is not offered", async () => {
  await filled("Closed");
  const reader = await screens.user("Reader", ["access-api", "book-view-all", "chapter-view-all", "page-view-all"]);
  const page = await screens.visit(reader);
  for (const path of ["/books/closed", "/books/closed/chapter/part", "/books/closed/page/page-1"]) {
    await page.goto(path);
    const links = await page.locator("a[href$='/copy'], a[href*='/convert-to-']").count();
    expect([path, links]).toEqual([path, 0]);
  }
});
