/** The palette and the list below the search box: by keyboard, as screen readers hear them, by permission, with a slow server and without one. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
beforeAll(async () => {
  screens = await openScreens();
  const make = async (segment: string, body: object) =>
    (await screens.runtime.ask("POST", `/api/${segment}`, { body })).body;
  const book = await make("books", { name: "Runbooks", tags: [{ name: "failure", value: "" }] });
  const chapter = await make("chapters", { book_id: book.id, name: "Database" });
  await make("pages", { chapter_id: chapter.id, name: "Failover", html: "<p>Call the DBA.</p>" });
  await make("pages", { book_id: book.id, name: "Restore a backup", html: "<p>Fetch it.</p>" });
  await make("pages", { book_id: book.id, name: "فشل failsafe", html: "<p>x</p>" });
});
afterAll(() => screens.stop());

const HOME = "/books/runbooks/page/restore-a-backup";
const palette = (page: Page) => page.getByRole("dialog", { name: "Go to" });
const field = (page: Page) => palette(page).getByRole("combobox", { name: "Go to" });
const box = (page: Page) => page.getByRole("search").getByRole("combobox", { name: "Search" });
const options = (page: Page) => page.getByRole("option").allTextContents();
/** What a screen reader says is chosen. */
const chosen = (page: Page) =>
  page.evaluate(
    "document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.textContent.trim() ?? ''",
  );
const waitForOption = (page: Page, name: string | RegExp) => page.getByRole("option", { name }).first().waitFor();
async function opened(path = HOME): Promise<Page> {
  const page = await screens.visit();
  await page.goto(path);
  return page;
}

test("the palette opens pages, actions and the search by keyboard alone, and gives the focus back", async () => {
  const page = await opened("/books/runbooks/page/failover");
  await page.goto(HOME);
  const link = page.getByRole("link", { name: "Shelves", exact: true });
  await link.focus();
  await page.keyboard.press("Control+k");
  await waitForOption(page, "Failover Page · Runbooks › Database");
  // The screen that is shown is not among those that were opened last.
  const recent = (await options(page)).map((text) => text.trim());
  expect([await chosen(page), recent.filter((text) => text.startsWith("Restore"))]).toEqual([recent[0], []]);
  expect(await field(page).getAttribute("aria-expanded")).toBe("true");
  await page.keyboard.type("fail");
  await waitForOption(page, "فشل failsafe");
  expect((await options(page)).map((text) => text.trim())).toEqual([
    ...[
      "Failover Page · Runbooks › Database",
      "فشل failsafe Page · Runbooks",
      "failure",
      "Search everywhere for “fail”",
    ],
  ]);
  expect(await palette(page).getByRole("group").count()).toBe(2);
  expect(await palette(page).getByRole("status").textContent()).toBe("Suggestions: 3");
  await page.keyboard.type("o");
  await palette(page).getByText("Suggestions: 1", { exact: true }).waitFor();
  await page.keyboard.press("Backspace");
  await palette(page).getByText("Suggestions: 3", { exact: true }).waitFor();
  expect(await errorsOf(page)).toEqual([]);
  await page.keyboard.press("ArrowDown");
  expect(await chosen(page)).toBe("فشل failsafe Page · Runbooks");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  expect(await chosen(page)).toBe("Search everywhere for “fail”");
  await page.keyboard.press("Escape");
  await palette(page).waitFor({ state: "hidden" });
  expect(await page.evaluate("document.activeElement?.textContent.trim()")).toBe("Shelves");
  await page.keyboard.press("/");
  await page.keyboard.type("edit");
  await waitForOption(page, "Edit");
  await page.getByRole("option", { name: "Edit", selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${HOME}/edit`);
  await page.goto(HOME);
  await page.keyboard.press("/");
  await page.keyboard.type("fail");
  await waitForOption(page, "فشل failsafe");
  const tab = page.context().waitForEvent("page");
  await page.keyboard.press("Control+Enter");
  await (await tab).waitForURL("**/page/failover");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/page/failover");
});

test("signs are written where somebody writes, and actions are offered to those who may do them", async () => {
  const page = await opened();
  await box(page).focus();
  await page.keyboard.type("a/b");
  expect(await box(page).inputValue()).toBe("a/b");
  await page.getByLabel("Add a comment").focus();
  await page.keyboard.type("/");
  await page.keyboard.press("Control+k");
  expect(await palette(page).isVisible()).toBe(false);
  const reader = await screens.user("Reader", ["page-view-all", "book-view-all"]);
  const theirs = await screens.visit(reader);
  await theirs.goto(HOME);
  await theirs.keyboard.press("Control+k");
  await waitForOption(theirs, "Appearance");
  expect((await options(theirs)).filter((text) => /Edit|New book|Move/.test(text))).toEqual([]);
  await theirs.keyboard.type("sign out");
  await theirs.getByRole("option", { name: "Sign out", selected: true }).waitFor();
  await theirs.keyboard.press("Enter");
  await theirs.waitForURL("**/login**");
});

test("the search box has the same list, and leads to the search", async () => {
  const page = await screens.visit(undefined, { scheme: "dark" });
  await page.goto(HOME);
  await box(page).focus();
  await page.keyboard.type("failo");
  await waitForOption(page, "Failover Page · Runbooks › Database");
  expect([await chosen(page), await box(page).getAttribute("aria-expanded")]).toEqual(["", "true"]);
  expect(await errorsOf(page)).toEqual([]);
  await page.keyboard.press("Escape");
  expect([await page.getByRole("option").count(), await box(page).inputValue()]).toEqual([0, "failo"]);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?query=failo");
  await box(page).fill("restore");
  await page.getByRole("option", { name: /^Restore a backup/ }).click();
  await page.waitForURL(`**${HOME}`);
});

test("an older answer is never shown over a newer one, and a server that is slow or away is said", async () => {
  const page = await opened();
  const asked: string[] = [];
  await page.route("**/search/suggestions?*", async (route) => {
    const query = new URL(route.request().url()).searchParams.get("query") ?? "";
    asked.push(query);
    if (query === "fa") await new Promise((resolve) => setTimeout(resolve, 1500));
    if (query === "zz") return route.abort();
    return route.continue().catch(() => {});
  });
  await page.keyboard.press("/");
  await waitForOption(page, "Appearance");
  await field(page).fill("fa");
  await page.getByText("Searching…").waitFor();
  expect(await chosen(page)).toBe("");
  await field(page).fill("restore");
  await waitForOption(page, /^Restore a backup/);
  await new Promise((resolve) => setTimeout(resolve, 1700));
  expect((await options(page)).filter((text) => text.includes("Failover"))).toEqual([]);
  const before = asked.length;
  await field(page).fill("res");
  await page.getByRole("option", { name: "Search everywhere for “res”" }).waitFor();
  await field(page).fill("restore");
  await page.getByRole("option", { name: "Search everywhere for “restore”" }).waitFor();
  expect(asked.slice(before)).toEqual(["res"]);
  await field(page).fill("zz");
  await page.getByText("the server cannot be reached").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/search?query=zz");
});

test("without scripts the box leads to the search, and texts are in the language of the reader", async () => {
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(HOME);
  await plain.getByRole("search").getByRole("searchbox", { name: "Search", exact: true }).fill("failover");
  await plain.keyboard.press("Enter");
  await plain.waitForURL("**/search?query=failover");
  const german = await screens.visit(undefined, { language: "de-DE" });
  await german.goto(HOME);
  await german.keyboard.press("Control+k");
  await german.getByRole("dialog", { name: "Gehe zu" }).getByRole("option", { name: "Neues Buch" }).waitFor();
});
