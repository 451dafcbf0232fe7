/**
 * The home screen as a person uses it: stars, what was opened last, drafts, activity, a home page of one's own, and what an empty instance
 * offers. Without scripts the same buttons work.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);
const WRITER = [
  ...["access-api", "bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all", "page-update-all"],
  ...["page-create-all", "comment-create-all"],
];
const PAGE = "/books/runbooks/page/failover";

let screens: ScreenRuntime;
let ann: { id: number; email: string; password: string };
const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
beforeAll(async () => {
  screens = await openScreens();
  ann = await screens.user("Ann", WRITER);
});
afterAll(() => screens.stop());

/** Looks at a screen on a desk, a tablet and a telephone. */
async function look(page: Page, name: string): Promise<void> {
  for (const width of [1440, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await picture(page, `${name}-${width}`);
    expect([name, width, await errorsOf(page)]).toEqual([name, width, []]);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const linksIn = (page: Page, name: string) => card(page, name).locator("li > a").allInnerTexts();

test("an instance without content offers an administrator how to begin, and a reader nothing that they may not do", async () => {
  const page = await screens.visit();
  await page.goto("/");
  const steps = await page.locator(".card h2").allInnerTexts();
  expect(steps.map((step) => step.trim())).toEqual([
    "Import a ZIP",
    "Move in from BookStack",
    "Invite people",
    "Name and logo",
  ]);
  expect(await page.getByLabel("On the server").inputValue()).toContain("migrate-from --base-url");
  expect(await page.getByLabel("With a token of yours").inputValue()).toContain(`${screens.url}/api/imports`);
  await look(page, "home-empty");
  await page.locator(".card").getByText("Users", { exact: true }).click();
  await page.waitForURL("**/settings/users");
  const reader = await screens.visit(ann);
  await reader.goto("/");
  expect(await reader.locator("main").innerText()).toContain("There is no content yet.");
  expect(await reader.locator(".card").count()).toBe(0);
});

test("a person finds what they marked, opened, began and what others did, and chooses another home page", async () => {
  const book = await make("/api/books", { name: "Runbooks", description: "How we run it" });
  const chapter = await make("/api/chapters", { book_id: book.id, name: "Database" });
  await make("/api/shelves", { name: "Operations", books: [book.id] });
  await make("/api/pages", { chapter_id: chapter.id, name: "Failover", html: "<p>Call the DBA.</p>" });
  await make("/api/pages", {
    book_id: book.id,
    name: "A name that is as long as names of pages in real life are",
    html: "<p>x</p>",
  });
  const page = await screens.visit(ann);
  await page.goto(PAGE);
  const star = page.getByRole("button", { name: "Favourite" });
  expect(await star.getAttribute("aria-pressed")).toBe("false");
  await star.click();
  await page.waitForURL(`**${PAGE}`);
  expect(await star.getAttribute("aria-pressed")).toBe("true");
  await picture(page, "home-star");
  // The screen is kept for all with the same roles, and the star is each reader's own.
  const other = await screens.visit();
  await other.goto(PAGE);
  expect(await other.getByRole("button", { name: "Favourite" }).getAttribute("aria-pressed")).toBe("false");
  for (const path of ["/shelves/operations", "/books/runbooks", "/books/runbooks/chapter/database"]) {
    await page.goto(path);
    await page.getByRole("button", { name: "Favourite" }).click();
    await page.waitForURL(`**${path}`);
  }
  await screens.runtime.ask("PUT", `/api/drafts/book/${book.id}`, {
    body: { name: "Notes of the last outage", markdown: "x", slot: "one" },
  });
  await page.goto("/");
  expect(await linksIn(page, "Favourites")).toEqual(
    ["Database", "Runbooks", "Operations", "Failover"].map((name) => expect.stringContaining(name)),
  );
  // Each by its own screen: that of a page opens no book.
  expect(await linksIn(page, "Recently viewed")).toEqual(
    ["Database", "Runbooks", "Operations", "Failover"].map((name) => expect.stringContaining(name)),
  );
  const activity = await card(page, "Recent activity").innerText();
  expect(activity).toContain("Failover");
  expect(activity).toMatch(/Runbooks.*Admin.*created page/s);
  await look(page, "home-person");
  const dark = await screens.visit(undefined, { scheme: "dark", size: "phone" });
  await dark.goto("/");
  expect(await linksIn(dark, "Continue writing")).toEqual([expect.stringContaining("Notes of the last outage")]);
  await look(dark, "home-dark");
  await card(dark, "Continue writing").getByRole("link").first().click();
  expect(await dark.locator("#editor").count()).toBe(1);
  await page.goto("/my-account/home");
  await look(page, "home-choice");
  await page.getByLabel("The home page shows").selectOption({ label: "Page “Failover”" });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The home page is saved.").waitFor();
  await page.goto("/");
  expect(new URL(page.url()).pathname).toBe(PAGE);
  await page.goto("/home");
  expect(await card(page, "Favourites").count()).toBe(1);
  await other.goto("/settings/home");
  await other.getByLabel("The home page shows").selectOption({ label: "All shelves" });
  await other.getByRole("button", { name: "Save" }).click();
  await other.goto("/");
  expect(new URL(other.url()).pathname).toBe("/shelves");
});

test("without scripts and in another language the star works, and a list has a screen of its own", async () => {
  const page = await screens.visit(ann, { scripts: false, language: "de-DE" });
  await page.goto(PAGE);
  const star = page.getByRole("button", { name: "Favorit" });
  expect(await star.getAttribute("aria-pressed")).toBe("true");
  await star.focus();
  await Promise.all([page.waitForEvent("framenavigated"), page.keyboard.press("Enter")]);
  expect(await star.getAttribute("aria-pressed")).toBe("false");
  await page.goto("/home/favourites");
  expect(await page.locator("main .home-list li > a").count()).toBe(3);
  expect((await page.goto("/home/nothing"))?.status()).toBe(404);
  const visitor = await screens.visit(null);
  await visitor.goto("/home/favourites");
  expect(new URL(visitor.url()).pathname).toBe("/login");
});
