/** Sorting several books that are shown together: by mouse, by keyboard, without scripts, and beside others who move what is in them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { type Shown, type SortedBooks, sortedBooks } from "../support/harness/sorted_books.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let books: SortedBooks;
beforeAll(async () => {
  screens = await openScreens();
  books = sortedBooks(screens.runtime);
});
afterAll(() => screens.stop());

const orders = (...shown: readonly Shown[]) => Promise.all(shown.map(books.orderOf));

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `order-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

const says = (page: Page) => page.locator("[data-order-says]").textContent();
const push = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** Books that are sorted together, by their names, with further ones shown by the search of the screen. */
async function together(page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await page.getByLabel("Name of a book").fill(name);
    await push(page, "Find");
    await page.locator(".order-offered").getByRole("link", { name, exact: true }).click();
    await page.locator(".order-book h2", { hasText: name }).waitFor();
  }
}

test("entries are dragged to other books that are shown beside, and saved at once", async () => {
  const [from, to] = [await books.filled("Left"), await books.filled("Right")];
  const bare = await books.make("books", { name: "Bare" });
  const page = await screens.visit();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto("/books/left/sort");
  await together(page, ["Right", "Bare"]);
  await sound(page, "books");
  const within = (book: string, name: string) =>
    page.locator(`.order-book[data-name="${book}"] .order-row`, { has: page.locator(`text="${name}"`) });
  const dragInto = async (name: string, onto: Locator) => {
    const [start, end] = [
      await within("Left", name).locator("[data-order-handle]").boundingBox(),
      await onto.boundingBox(),
    ];
    if (!start || !end) throw new Error(`Cannot drag "${name}": it is not on the screen`);
    await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await page.mouse.down();
    await page.mouse.move(end.x + 60, end.y + end.height * 0.2, { steps: 12 });
    await page.mouse.up();
  };
  await dragInto("One", within("Right", "Alone"));
  expect(await says(page)).toBe("“One” is now at position 3 of 5 in “Right”.");
  await dragInto("Alone", within("Right", "Two second"));
  expect(await says(page)).toBe("“Alone” is now at position 2 of 3 in “Two”.");
  await dragInto("Last", page.locator('.order-book[data-name="Bare"] .order-list'));
  // By keyboard: to the end of the next book, and back past its beginning.
  await within("Left", "Two").getByRole("button", { name: "Move “Two” up" }).focus();
  await page.keyboard.press("Alt+PageDown");
  expect(await says(page)).toBe("“Two” is now at position 6 of 6 in “Right”.");
  await push(page, "Move “Last” to “Left”");
  await picture(page, "order-books-moved");
  await push(page, "Save");
  await page.getByText("The order is saved.").waitFor();
  expect(await orders(from, to, bare)).toEqual([
    "Last",
    "One[One first, One second], Two[Two first, Alone, Two second], One[One first, One second], Alone, Last, Two[Two first, Two second]",
    "",
  ]);
  const phone = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  await phone.goto(page.url());
  await sound(phone, "phone-books");
});

test("without scripts each button moves an entry between the books that are shown", async () => {
  const [from, to] = [await books.filled("Upper"), await books.filled("Lower")];
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto("/books/upper/sort");
  await together(page, ["Lower"]);
  const upper = page.locator('.order-book[data-name="Upper"]');
  await upper.getByRole("button", { name: "Move “Last” down", exact: true }).click();
  expect(new URL(page.url()).hash).toMatch(/^#order-page-\d+$/);
  await upper.getByRole("button", { name: "Move “One second” to “Lower”", exact: true }).click();
  await upper.getByRole("button", { name: "Move “Two” to “Lower”", exact: true }).click();
  expect(await orders(from, to)).toEqual([
    "One[One first], Alone",
    "Last, One[One first, One second], Two[Two first, Two second], Alone, Last, One second, Two[Two first, Two second]",
  ]);
  await page.getByRole("button", { name: "Hide “Lower”" }).click();
  expect(await page.locator(".order-book").count()).toBe(0);
});

test("what others have moved meanwhile between books is said, and the rest of the moves is kept on the screen", async () => {
  const [from, to] = [await books.filled("Busy"), await books.filled("Calm")];
  const page = await screens.visit();
  await page.goto(`/books/busy/sort?with=${to.id}`);
  const busy = page.locator('.order-book[data-name="Busy"]');
  for (const name of ["Alone", "Last"]) await busy.getByRole("button", { name: `Move “${name}” to “Calm”` }).click();
  const { contents } = (await screens.runtime.ask("GET", `/api/books/${from.id}`)).body;
  const [one, , alone] = contents as Required<Shown>[];
  await screens.runtime.ask("PUT", `/api/pages/${alone?.id}`, { body: { chapter_id: one?.id } });
  await push(page, "Save");
  expect(await page.getByRole("alert").textContent()).toContain("Someone else moved “Alone” meanwhile.");
  expect(await books.orderOf(to)).toBe("One[One first, One second], Two[Two first, Two second], Alone, Last");
  // Both moves are still shown, and are done once they are saved again.
  await push(page, "Save");
  await page.getByText("The order is saved.").waitFor();
  expect(await orders(from, to)).toEqual([
    "One[One first, One second], Two[Two first, Two second]",
    "One[One first, One second], Two[Two first, Two second], Alone, Last, Alone, Last",
  ]);
});
