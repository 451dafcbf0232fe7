/** The tree of a book in a browser: where it stands, what is loaded when it is asked for, moves by mouse and keyboard, menus, without scripts. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Locator, Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

const PAGES = 5_000;
const CHAPTERS = 50;

let screens: ScreenRuntime;
let long = 0;
beforeAll(async () => {
  screens = await openScreens();
  long = (await make("books", { name: "Long" })).id;
  const { db } = screens.runtime;
  await rows(
    db,
    sql`insert into chapters (book_id, name, slug, priority, owned_by)
      select ${long}::integer, 'Chapter ' || n, 'chapter-' || n, n, 1 from generate_series(1, ${CHAPTERS}::integer) n`,
  );
  await rows(
    db,
    sql`insert into pages (book_id, chapter_id, name, slug, html, markdown, text, priority, editor, owned_by)
      select ${long}::integer, chapters.id, 'Leaf ' || n, 'leaf-' || n, '<p>x</p>', '', 'x', n, 'wysiwyg', 1
      from generate_series(1, ${PAGES}::integer) n join chapters on chapters.book_id = ${long}::integer
        and chapters.priority = 1 + (n - 1) * ${CHAPTERS}::integer / ${PAGES}::integer`,
  );
});
afterAll(() => screens.stop());

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly pages?: readonly Shown[];
}

const make = async (segment: string, body: object): Promise<Shown> =>
  (
    await screens.runtime.ask("POST", `/api/${segment}`, {
      body: segment === "pages" ? { html: "<p>x</p>", ...body } : body,
    })
  ).body;

/** A book with two chapters of two pages, and two pages of its own. */
async function filled(name: string): Promise<Shown> {
  const book = await make("books", { name });
  for (const chapter of ["One", "Two"]) {
    const { id } = await make("chapters", { name: chapter, book_id: book.id });
    for (const page of ["first", "second"]) await make("pages", { name: `${chapter} ${page}`, chapter_id: id });
  }
  for (const page of ["Alone", "Last"]) await make("pages", { name: page, book_id: book.id });
  return book;
}

async function orderOf({ id }: Shown): Promise<string> {
  const outline = ({ name, pages }: Shown): string => (pages ? `${name}[${pages.map(outline).join(", ")}]` : name);
  return (await screens.runtime.ask("GET", `/api/books/${id}`)).body.contents.map(outline).join(", ");
}

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `tree-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

const entry = (page: Page, name: string): Locator =>
  page.locator(".tree-side [data-entry] > a").filter({ hasText: new RegExp(`^${name}$`) });
const folded = (page: Page, name: string) => page.locator(`.tree-side summary[aria-label="Pages of “${name}”"]`);
const says = (page: Page, text: string) =>
  page.locator(".tree-says").filter({ hasText: text }).waitFor({ state: "attached" });

test("the tree stands at the page, and loads the pages of a chapter and further entries when they are asked for", async () => {
  const page = await screens.visit();
  for (const leaf of [1, 2_512, PAGES]) {
    await page.goto(`/books/long/page/leaf-${leaf}`);
    const box = await page.locator(".tree-side [aria-current=page]").boundingBox();
    expect([leaf, box !== null && box.y > 0 && box.y < 800]).toEqual([leaf, true]);
  }
  await page.goto("/books/long/page/leaf-2512");
  await sound(page, "long");
  await folded(page, "Chapter 27").click();
  await entry(page, "Leaf 2601").waitFor();
  expect(await entry(page, "Leaf 2700").count()).toBe(1);
  await page.locator(".tree-side details[open] a.more", { hasText: /^Earlier entries: 3$/ }).focus();
  await page.keyboard.press("Enter");
  await entry(page, "Leaf 2501").waitFor();
  expect(await focusedText(page)).toBe("Leaf 2503");
  await entry(page, "Leaf 2650").click();
  await page.waitForURL("**/page/leaf-2650");
  await page.goto("/books/long");
  expect(await page.locator("main .tree > ul > li").count()).toBe(CHAPTERS);
  await page.locator('main summary[aria-label="Pages of “Chapter 3”"]').click();
  await page.getByRole("link", { name: "Leaf 201", exact: true }).click();
  await page.waitForURL("**/page/leaf-201");
});

test("without scripts folded chapters and further entries are links, on a telephone too", async () => {
  const page = await screens.visit(undefined, { scripts: false, size: "phone" });
  await page.goto("/books/long/page/leaf-2512");
  await page.locator(".tree-side .fold > summary").click();
  await picture(page, "tree-plain");
  await folded(page, "Chapter 27").click();
  await page.getByRole("link", { name: "Pages: 100" }).first().click();
  await page.waitForURL("**/books/long/chapter/chapter-27");
  await page.goto("/books/long/page/leaf-2512");
  await page.locator(".tree-side .fold > summary").click();
  await page
    .getByRole("link", { name: /^Earlier entries/ })
    .first()
    .click();
  await page.waitForURL("**/books/long?page=1");
});

test("entries are dragged to where they belong, also into a folded chapter", async () => {
  const book = await filled("Dragged");
  const page = await screens.visit();
  await page.goto("/books/dragged/page/one-first");
  await entry(page, "Last").dragTo(entry(page, "One first"), { targetPosition: { x: 60, y: 3 } });
  await says(page, "“Last” is moved.");
  expect(await orderOf(book)).toBe("One[Last, One first, One second], Two[Two first, Two second], Alone");
  await entry(page, "Alone").dragTo(entry(page, "Two"), { targetPosition: { x: 60, y: 15 } });
  await says(page, "“Alone” is moved.");
  await entry(page, "Two").dragTo(entry(page, "One"), { targetPosition: { x: 60, y: 3 } });
  await says(page, "“Two” is moved.");
  expect(await orderOf(book)).toBe("Two[Two first, Two second, Alone], One[Last, One first, One second]");
  await sound(page, "dragged");
});

test("keys move entries, keep the focus, and leave what others have moved meanwhile", async () => {
  const book = await filled("Keyed");
  const page = await screens.visit(undefined, { scheme: "dark" });
  await page.goto("/books/keyed/page/one-first");
  await entry(page, "One first").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await says(page, "“One first” is moved.");
  expect(await focusedText(page)).toBe("One first");
  await page.keyboard.press("Alt+ArrowDown");
  await orderAfter(page, book, "One[One second], One first, Two[Two first, Two second], Alone, Last");
  await page.keyboard.press("Alt+ArrowRight");
  await orderAfter(page, book, "One[One second, One first], Two[Two first, Two second], Alone, Last");
  const [one] = (await screens.runtime.ask("GET", `/api/books/${book.id}`)).body.contents as Required<Shown>[];
  await screens.runtime.ask("PUT", `/api/pages/${one?.pages[0]?.id}`, { body: { book_id: book.id } });
  await page.keyboard.press("Alt+ArrowUp");
  await says(page, "Someone else moved “One second” meanwhile. Nothing was changed.");
  await sound(page, "refused");
  expect(await orderOf(book)).toContain("One[One first], One second, Two[Two first, Two second]");
});

test("in a book that is kept sorted a move changes the chapter alone, and the tree says and shows so", async () => {
  const book = await filled("Ruled");
  await screens.runtime.ask("PUT", `/api/books/${book.id}/order/rule`, { body: { rule: "name" } });
  const kept = "This book is kept sorted: By name, from A to Z. Moving an entry changes its chapter alone.";
  const page = await screens.visit();
  await page.goto("/books/ruled/page/alone");
  const shown = () => page.locator(".tree-side .tree > ul > li > a").allTextContents();
  await entry(page, "Alone").focus();
  await page.keyboard.press("Alt+ArrowDown");
  await says(page, kept);
  expect(await page.locator(".tree-side .tree-says").isVisible()).toBe(true);
  expect([await focusedText(page), await shown()]).toEqual(["Alone", ["Alone", "Last", "One", "Two"]]);
  await page.keyboard.press("Alt+ArrowRight");
  await says(page, "“Alone” is moved.");
  await orderAfter(page, book, "Last, One[Alone, One first, One second], Two[Two first, Two second]");
  expect([await focusedText(page), await shown()]).toEqual(["Alone", ["Last", "One", "Two"]]);
});

/** Waits until the book has an order; fails with the order that it has and what the screen says. */
async function orderAfter(page: Page, book: Shown, wanted: string): Promise<void> {
  let order = "";
  for (let turn = 0; turn < 300; turn++) {
    order = await orderOf(book);
    if (order === wanted) return;
    await Bun.sleep(50);
  }
  const [said, focused] = [await page.locator(".tree-says").allTextContents(), await focusedText(page)];
  expect({ order, said, focused }).toEqual({ order: wanted, said, focused });
}

const focusedText = (page: Page) => page.evaluate("document.activeElement.textContent");

test("the menu of an entry has what its reader may do, and moves it", async () => {
  const book = await filled("Menus");
  const page = await screens.visit();
  await page.goto("/books/menus/page/one-first");
  await entry(page, "Alone").hover();
  await page.getByRole("button", { name: "Actions for “Alone”" }).click();
  const menu = page.locator(".tree-menu");
  await menu.getByRole("button", { name: "Move down" }).waitFor();
  await sound(page, "menu");
  expect((await menu.getByRole("link").allTextContents()).map((text) => text.trim())).toEqual(
    expect.arrayContaining(["New page", "New chapter", "Edit", "Move", "Copy", "Permissions", "Delete"]),
  );
  await page.keyboard.press("Escape");
  expect(await menu.count()).toBe(0);
  await page.keyboard.press("Enter");
  await menu.getByRole("button", { name: "Move down" }).click();
  await says(page, "“Alone” is moved.");
  expect(await orderOf(book)).toBe("One[One first, One second], Two[Two first, Two second], Last, Alone");
  await page.goto("/books/menus/page/one-first");
  await page.getByRole("button", { name: "Actions for “Two”" }).focus();
  await page.keyboard.press("Enter");
  await menu.getByRole("link", { name: "New page" }).click();
  await page.waitForURL("**/books/menus/chapter/two/create-page*");
  const reader = await screens.visit(
    await screens.user("reader", ["book-view-all", "chapter-view-all", "page-view-all"]),
  );
  await reader.goto("/books/menus/page/one-first");
  expect(await reader.locator(".tree-button, .tree-new").count()).toBe(0);
  await entry(reader, "One first").focus();
  await reader.keyboard.press("Alt+ArrowDown");
  expect(await orderOf(book)).toContain("One[One first, One second]");
});
