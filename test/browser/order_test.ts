/** The order of books and shelves by mouse, by keyboard and without scripts, and moving items, in a browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Locator, Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { type Shown, type SortedBooks, sortedBooks } from "../support/harness/sorted_books.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
});
afterAll(() => screens.stop());

const make: SortedBooks["make"] = (...given) => sortedBooks(screens.runtime).make(...given);
const filled: SortedBooks["filled"] = (name) => sortedBooks(screens.runtime).filled(name);
const orderOf: SortedBooks["orderOf"] = (book) => sortedBooks(screens.runtime).orderOf(book);

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `order-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

const row = (page: Page, name: string): Locator =>
  page.locator(".order-row").filter({ has: page.locator(".order-name", { hasText: new RegExp(`^${name}$`) }) });
const says = (page: Page) => page.locator("[data-order-says]").textContent();
const push = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function drag(page: Page, name: string, onto: string, half: "upper" | "lower"): Promise<void> {
  const from = await row(page, name).locator("[data-order-handle]").boundingBox();
  const to = await row(page, onto).boundingBox();
  if (!from || !to) throw new Error(`Cannot drag "${name}": it is not on the screen`);
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 40, to.y + to.height * (half === "upper" ? 0.2 : 0.8), { steps: 12 });
}

test("entries are dragged to where they belong, pages into other chapters, and saved by one form", async () => {
  const book = await filled("Dragged");
  const page = await screens.visit();
  await page.goto("/books/dragged");
  await page.locator(".actions summary").click();
  await page.getByRole("link", { name: "Sort" }).click();
  await sound(page, "book");
  await drag(page, "Last", "One", "upper");
  await page.mouse.up();
  expect(await says(page)).toBe("“Last” is now at position 1 of 4.");
  await drag(page, "One second", "Two", "lower");
  await picture(page, "order-dragging");
  await page.mouse.up();
  expect(await says(page)).toBe("“One second” is now at position 1 of 3 in “Two”.");
  await drag(page, "Two", "One", "upper");
  await page.mouse.up();
  await drag(page, "Alone", "Last", "upper");
  await page.keyboard.press("Escape");
  await page.mouse.up();
  expect(await orderOf(book)).toBe("One[One first, One second], Two[Two first, Two second], Alone, Last");
  await push(page, "Save");
  await page.waitForURL((url) => url.pathname === "/books/dragged");
  expect(await orderOf(book)).toBe("Last, Two[One second, Two first, Two second], One[One first], Alone");
});

test("keys and buttons move items alike, keep the focus and announce the move", async () => {
  const book = await filled("Keyed");
  const page = await screens.visit();
  await page.goto("/books/keyed/sort");
  const focused = () => page.evaluate("document.activeElement.getAttribute('aria-label')");
  await page.getByRole("button", { name: "Move “Last” up", exact: true }).focus();
  await page.keyboard.press("Enter");
  expect(await focused()).toBe("Move “Last” up");
  await page.keyboard.press("Alt+ArrowUp");
  expect(await says(page)).toBe("“Last” is now at position 2 of 4.");
  await page.keyboard.press("Alt+ArrowRight");
  expect(await says(page)).toBe("“Last” is now at position 3 of 3 in “One”.");
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Alt+ArrowDown");
  await page.keyboard.press("Alt+ArrowDown");
  expect(await says(page)).toBe("“Last” is now at position 2 of 4.");
  await push(page, "Move “Two second” out of its chapter");
  expect(await focused()).toBe("Move “Two second” up");
  await push(page, "Move “Alone” into the nearest chapter");
  await sound(page, "book-keys");
  await push(page, "Save");
  await page.waitForURL((url) => url.pathname === "/books/keyed");
  expect(await orderOf(book)).toBe("One[One first, One second], Last, Two[Two first, Alone], Two second");
});

test("without scripts each button is a step that is saved", async () => {
  const book = await filled("Plain");
  const page = await screens.visit(undefined, { scripts: false, size: "phone" });
  await page.goto("/books/plain/sort");
  await picture(page, "order-plain");
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  await push(page, "Move “Last” up");
  expect(new URL(page.url()).hash).toMatch(/^#order-page-\d+$/);
  await push(page, "Move “Last” into the nearest chapter");
  await push(page, "Move “One first” down");
  await push(page, "Move “Two first” out of its chapter");
  await push(page, "Move “Two” up");
  expect(await orderOf(book)).toBe("Two[Two second, Last], One[One second, One first], Two first, Alone");
});

test("a step past the end of a part of a long book is saved with what was moved before, and goes on in the next part", async () => {
  const book = await make("books", { name: "Endless" });
  await rows(
    screens.runtime.db,
    sql`insert into pages (book_id, name, slug, html, markdown, text, priority, editor, owned_by)
      select ${book.id}::integer, 'Leaf ' || n, 'leaf-' || n, '<p>x</p>', '', 'x', n, 'wysiwyg', 1 from generate_series(1, 102) n`,
  );
  const page = await screens.visit();
  await page.goto("/books/endless/sort");
  await push(page, "Move “Leaf 2” up");
  await page.getByRole("button", { name: "Move “Leaf 100” down", exact: true }).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.waitForURL((url) => url.search === "?page=2");
  expect(await page.locator(".order-name").allTextContents()).toEqual(["Leaf 100", "Leaf 102"]);
  await page.getByRole("link", { name: "Previous" }).click();
  await page.waitForURL((url) => url.search === "?page=1");
  const names = await page.locator(".order-name").allTextContents();
  expect([names.slice(0, 2), names.at(-1)]).toEqual([["Leaf 2", "Leaf 1"], "Leaf 101"]);
});

test("what changed meanwhile is neither lost nor undone, and is said", async () => {
  const book = await filled("Shared");
  const page = await screens.visit();
  await page.goto("/books/shared/sort");
  await push(page, "Move “Last” up");
  const { contents } = (await screens.runtime.ask("GET", `/api/books/${book.id}`)).body;
  const [one, two] = contents as Required<Shown>[];
  await screens.runtime.ask("DELETE", `/api/pages/${one?.pages[0]?.id}`);
  await screens.runtime.ask("PUT", `/api/pages/${one?.pages[1]?.id}`, { body: { chapter_id: two?.id } });
  await make("pages", { name: "New", chapter_id: one?.id });
  await push(page, "Save");
  await page.getByText("Someone else changed this book in the meantime").waitFor();
  expect(await orderOf(book)).toBe("One[New], Two[Two first, One second, Two second], Last, Alone");
});

test("a move without permission is refused with a message and changes nothing", async () => {
  const book = await filled("Guarded");
  const who = await screens.user("sorter", ["book-view-all", "chapter-view-all", "page-view-all", "book-update-all"]);
  const page = await screens.visit(who);
  await page.goto("/books/guarded/sort");
  await push(page, "Move “Last” up");
  await push(page, "Save");
  expect(await page.getByRole("alert").textContent()).toContain("You do not have permission to move “Alone”.");
  await sound(page, "refused");
  expect(await orderOf(book)).toBe("One[One first, One second], Two[Two first, Two second], Alone, Last");
  // The new order is still shown, so that the one move can be undone.
  expect((await page.locator(".order-name").allTextContents()).slice(-2)).toEqual(["Last", "Alone"]);
});

test("the books of a shelf are found among many, put on it, ordered and taken off", async () => {
  for (let at = 1; at <= 45; at += 1) await make("books", { name: `Volume ${String(at).padStart(2, "0")}` });
  const shelf = await make("shelves", { name: "Library" });
  const names = async () =>
    (await screens.runtime.ask("GET", `/api/shelves/${shelf.id}`)).body.books.map(({ name }: Shown) => name);
  const page = await screens.visit();
  await page.goto("/shelves/library/edit");
  await page.getByLabel("Description").fill("All volumes");
  for (const number of ["44", "07", "31"]) {
    await page.getByLabel("Find a book to add").fill(`volume ${number}`);
    await page.keyboard.press("Enter");
    await push(page, `Add “Volume ${number}” to the shelf`);
    await page.getByRole("button", { name: `Remove “Volume ${number}” from the shelf`, exact: true }).waitFor();
  }
  await drag(page, "Volume 31", "Volume 44", "upper");
  await page.mouse.up();
  await page.getByRole("button", { name: "Move “Volume 07” up", exact: true }).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await sound(page, "shelf");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.waitForURL((url) => url.pathname === "/shelves/library");
  expect(await names()).toEqual(["Volume 31", "Volume 07", "Volume 44"]);
  expect((await screens.runtime.ask("GET", `/api/shelves/${shelf.id}`)).body.description).toBe("All volumes");

  const plain = await screens.visit(undefined, { scripts: false, size: "phone" });
  await plain.goto("/shelves/library/edit");
  await plain.getByLabel("Description").fill("Some volumes");
  await push(plain, "Move “Volume 44” up");
  await push(plain, "Remove “Volume 31” from the shelf");
  await push(plain, "Next");
  await plain.getByLabel("Find a book to add").fill("volume 12");
  await push(plain, "Find");
  await push(plain, "Add “Volume 12” to the shelf");
  await picture(plain, "order-shelf-plain");
  expect(await plain.getByLabel("Description").inputValue()).toBe("Some volumes");
  expect(await names()).toEqual(["Volume 31", "Volume 07", "Volume 44"]);
  await push(plain, "Save");
  expect(await names()).toEqual(["Volume 44", "Volume 07", "Volume 12"]);
});

test("where something moves to is chosen on purpose, and every book and chapter can be found", async () => {
  const from = await make("books", { name: "Start" });
  const moved = await make("pages", { name: "Traveller", book_id: from.id });
  const many = await make("books", { name: "Zebra" });
  for (let at = 1; at <= 8; at += 1) await make("chapters", { name: `Stripe ${at}`, book_id: many.id });
  const page = await screens.visit();
  await page.goto("/books/start/page/traveller/move");
  await sound(page, "move");
  expect(await page.locator("input[name=target]:checked").count()).toBe(0);
  await page.locator("form[method=post][action*=move]").evaluate((form) => form.setAttribute("novalidate", ""));
  await push(page, "Move");
  expect(await page.getByText("Choose a book or a chapter.").count()).toBe(1);
  expect(await page.getByRole("radiogroup").getAttribute("aria-invalid")).toBe("true");
  await sound(page, "move-unchosen");

  // By turning pages, by the name of its book, and by its own.
  await page.getByRole("link", { name: "Next" }).click();
  expect(await page.getByRole("radio").count()).toBeGreaterThan(10);
  await page.getByLabel("Name of a book or chapter").fill("zebra");
  await push(page, "Find");
  expect(await page.getByRole("radio", { name: "Zebra › Stripe 5" }).count()).toBe(1);
  await page.getByRole("link", { name: "3 more chapters" }).click();
  expect(await page.getByRole("radio", { name: "Zebra › Stripe 8" }).count()).toBe(1);
  await sound(page, "move-chapters");
  await page.getByRole("button", { name: "All books" }).click();
  await page.getByLabel("Name of a book or chapter").fill("stripe 7");
  await push(page, "Find");
  await page.getByRole("radio", { name: "Zebra › Stripe 7" }).check();
  await push(page, "Move");
  await page.waitForURL((url) => url.pathname === "/books/zebra/page/traveller");
  expect((await screens.runtime.ask("GET", `/api/pages/${moved.id}`)).body.book_id).toBe(many.id);
  // Its earlier address redirects here.
  await page.goto("/books/start/page/traveller");
  expect(new URL(page.url()).pathname).toBe("/books/zebra/page/traveller");
});

test("on a phone the lists fit", async () => {
  await filled("Pocket");
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  for (const [name, path] of Object.entries({
    book: "/books/pocket/sort",
    shelf: "/shelves/library/edit",
    move: "/books/pocket/page/alone/move",
  })) {
    await page.goto(path);
    await sound(page, `phone-${name}`);
  }
});

test("a whole book is sorted by name or by date, without scripts too", async () => {
  const book = await filled("Alphabetical");
  await make("pages", { name: "Part 10", book_id: book.id });
  await make("pages", { name: "Part 9", book_id: book.id });
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto("/books/alphabetical/sort");
  await page.getByLabel("Sort the whole book").selectOption("By name, from A to Z");
  await push(page, "Sort");
  await page.getByText("The order is saved.").waitFor();
  const [one, two] = ["One[One first, One second]", "Two[Two first, Two second]"];
  expect(await orderOf(book)).toBe(`Alone, Last, ${one}, Part 9, Part 10, ${two}`);
  await page.getByLabel("Sort the whole book").selectOption("The newest first");
  await push(page, "Sort");
  expect(await orderOf(book)).toBe(
    "Part 9, Part 10, Last, Alone, Two[Two second, Two first], One[One second, One first]",
  );
  await picture(page, "order-by");
  await page.getByLabel("Sort the whole book").selectOption("By name, from A to Z");
  await page.getByLabel("Keep it sorted, new pages too").check();
  await push(page, "Sort");
  await make("pages", { name: "Part 9.5", book_id: book.id });
  await screens.runtime.runtime.jobs.drain();
  expect(await orderOf(book)).toBe(`Alone, Last, ${one}, Part 9, Part 9.5, Part 10, ${two}`);
  const phone = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  await phone.goto("/books/alphabetical/sort");
  expect(await phone.locator(".kept-rule").textContent()).toContain("By name, from A to Z");
  await sound(phone, "phone-kept");
  await page.reload();
  await picture(page, "order-kept");
  await push(page, "No longer keep it sorted");
  await page.getByText("The book is no longer kept sorted.").waitFor();
  expect([await page.locator(".kept-rule").count(), await page.getByLabel("Keep it").isChecked()]).toEqual([0, false]);
  await make("pages", { name: "A", book_id: book.id });
  expect(await orderOf(book)).toEndWith(", A");
});
