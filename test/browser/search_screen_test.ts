/**
 * The screen of the search in a browser, as a person uses it: filters that are added and taken out, typed syntax, a search within a book,
 * dates, orders, and what to do where nothing is found. What the better mode of the API adds is in test/web/search_screen_test.ts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;

let screens: ScreenRuntime;
let book: { id: number };
let shelf: { id: number };
beforeAll(async () => {
  screens = await openScreens();
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  book = await make("/api/books", { name: "Runbooks", description: "A donau of books" });
  const other = await make("/api/books", { name: NASTY });
  shelf = await make("/api/shelves", { name: "Operations", books: [book.id] });
  const page = (name: string, html: string, tags: object[] = [], parent = book.id) =>
    make("/api/pages", { name, book_id: parent, html, tags });
  await page("Failover", "<p>The donau is a river.</p>", [{ name: "team", value: "ops" }]);
  await page("Backups", "<p>Save the donau first.</p>", [{ name: "team", value: "web" }]);
  await page(NASTY, "<p>A donau of signs.</p>", [{ name: NASTY, value: NASTY }], other.id);
  await page("الدليل", "<p>نهر donau الطويل</p>");
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `search-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}
const main = (page: Page) => page.getByRole("main");
const found = async (page: Page): Promise<string[]> =>
  (await main(page).locator(".results > li > a").allInnerTexts()).map((text) => text.trim()).sort();
const chips = async (page: Page): Promise<string[]> =>
  (await page.getByRole("list", { name: "Filters" }).getByRole("link").allInnerTexts()).map((text) =>
    text.replace("×", "").trim(),
  );

for (const scripts of [true, false])
  test(`filters are set by the form and taken out one by one, ${scripts ? "with" : "without"} scripts`, async () => {
    const page = await screens.visit(undefined, { scripts, size: scripts ? "desktop" : "phone" });
    await page.goto("/search?term=donau");
    expect(await main(page).getByLabel("Search terms").inputValue()).toBe("donau");
    await main(page).getByLabel("Type", { exact: true }).selectOption("page");
    await main(page).getByLabel("Order").selectOption("name");
    await main(page).getByText("More filters").click();
    await main(page).getByLabel("Changed since").fill("2020-01-31");
    await main(page).getByRole("button", { name: "Search", exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("type") === "page");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
      ...{ query: "donau", type: "page", sort: "name", after: "2020-01-31" },
    });
    expect(await found(page)).toEqual(["Backups", "Failover", NASTY, "الدليل"].sort());
    expect(await chips(page)).toEqual(["Pages", "Changed since 31 Jan 2020"]);
    if (scripts) await sound(page, "filters");
    await page.getByRole("link", { name: "Remove the filter “Pages”" }).click();
    await page.waitForURL((url) => !url.searchParams.has("type"));
    expect(await chips(page)).toEqual(["Changed since 31 Jan 2020"]);
    expect(await found(page)).toContain("Runbooks");
    await main(page).getByLabel("Changed before").fill("2020-02-01");
    await main(page).getByRole("button", { name: "Search", exact: true }).click();
    await main(page).getByText("Nothing was found for “donau”.").waitFor();
    await main(page).getByRole("link", { name: "Search everything" }).click();
    await page.waitForURL((url) => !url.searchParams.has("after"));
    expect(await found(page)).toHaveLength(5);
  });

test("typed syntax is shown as chips and explained", async () => {
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  await page.goto(`/search?query=${encodeURIComponent('donau [team] -[team=web] "is a river" {type:page}')}`);
  expect(await chips(page)).toEqual(["Tag: team", "Without: Tag: team=web", "Exactly “is a river”", "Pages"]);
  expect(await found(page)).toEqual(["Failover"]);
  await main(page).getByText("How to search").click();
  await sound(page, "typed-phone");
  await page.getByRole("link", { name: "Remove the filter “Without: Tag: team=web”" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("query") === 'donau [team] "is a river" {type:page}');
});

test("a book, a chapter, a page and a shelf search within themselves", async () => {
  const page = await screens.visit();
  for (const [path, label, filter] of [
    ["/books/runbooks/page/failover", "Search this book", { book: String(book.id) }],
    ["/books/runbooks", "Search this book", { book: String(book.id) }],
    ["/shelves/operations", "Search this shelf", { shelf: String(shelf.id) }],
  ] as const) {
    await page.goto(path);
    await sound(page, `within-${label.slice(-4)}-${path.split("/").length}`);
    await page.getByRole("searchbox", { name: label }).fill("donau");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/search?*");
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({ query: "donau", ...filter });
    expect(await chips(page)).toEqual(["book" in filter ? "Book: Runbooks" : "Shelf: Operations"]);
    expect(await found(page)).toContain("Failover");
    expect(await found(page)).not.toContain(NASTY);
  }
});

test("addresses that make no sense, and hostile ones, search for what is left of them", async () => {
  const page = await screens.visit();
  const address = new URLSearchParams({
    ...{ query: NASTY, type: "nothing|page", book: "-1", shelf: "99999999999", author: "a b}", after: "2026-13-01" },
    ...{ "tags[0]": NASTY, "tags[1]": "a]b", sort: "x", page: "0" },
  });
  await page.goto(`/search?${address}`);
  expect(await chips(page)).toEqual(["Pages", `Tag: ${NASTY}`]);
  await sound(page, "hostile");
});
