/** Watching as a person uses it: a choice for a book, what one is told then, and the preferences; without scripts, as with them. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);
const READER = ["access-api", "bookshelf-view-all", "book-view-all", "chapter-view-all", "page-view-all"];

let screens: ScreenRuntime;
let ann: { id: number; email: string; password: string };
const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
beforeAll(async () => {
  screens = await openScreens();
  ann = await screens.user("Ann", [...READER, "receive-notifications"]);
  const book = await make("/api/books", { name: "Runbooks" });
  await make("/api/shelves", { name: "Operations", books: [book.id] });
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

test("a reader watches a book, is told of a new page and a comment, and marks what was read", async () => {
  const page = await screens.visit(ann);
  await page.goto("/notifications");
  expect(await page.locator("main").innerText()).toContain("Nothing yet.");
  await page.goto("/shelves/operations");
  await page.getByText("More", { exact: true }).click();
  await page.getByRole("link", { name: "Watch" }).click();
  await page.getByLabel("You are told of").selectOption("comments");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your choice is saved.").waitFor();
  await page.goto("/watch/book/1");
  expect(await page.locator("main").innerText()).toContain("By “Operations”: Comments, changes and new pages");
  await look(page, "watch");
  const { id } = await make("/api/pages", {
    book_id: 1,
    name: "Failover and what to do before it",
    html: "<p>Call.</p>",
  });
  await make("/api/comments", { page_id: id, html: "<p>Whom?</p>" });
  const entries = page.locator("main li");
  // Jobs run beside.
  do await page.goto("/notifications");
  while ((await entries.count()) < 2);
  expect((await entries.allInnerTexts()).map((text) => text.replace(/\s+/g, " ").split(" · ")[0])).toEqual([
    "Failover and what to do before it New Admin commented on this page",
    "Failover and what to do before it New Admin created this page",
  ]);
  const bell = page.locator("header.top nav.menu").getByRole("link", { name: /^Notifications/ });
  await bell.filter({ hasText: "(2 unread)" }).waitFor();
  await look(page, "notifications");
  await page.setViewportSize({ width: 390, height: 900 });
  await page.getByRole("button", { name: "Menu (2 unread)" }).click();
  await picture(page, "notifications-menu");
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto("/notifications");
  await entries.first().getByRole("button", { name: "Mark as read" }).click();
  await page.getByRole("button", { name: "Mark as unread" }).waitFor();
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByRole("button", { name: "Mark as unread" }).nth(1).waitFor();
  expect(await page.getByRole("button", { name: "Mark all as read" }).count()).toBe(0);
  expect(await page.request.get("/notifications/count").then((answer) => answer.text())).not.toContain("unread");
  await page.goto("/books");
  expect((await bell.innerText()).trim()).toBe("Notifications");
});

test("on a further screen of a long list one stays there, all are marked from there too, and who signs in next sees no count", async () => {
  const { id } = await make("/api/pages", { book_id: 1, name: "Long", html: "<p>x</p>" });
  // The first ones were changed last, as a page that somebody goes on changing.
  await rows(
    screens.runtime.db,
    sql`insert into user_notifications (user_id, type, reason, page_id, updated_at)
      select ${ann.id}, 'page_update', 'watch', ${id}, now() - make_interval(mins => n) from generate_series(1, 40) as n`,
  );
  const cat = await screens.user("Cat", [...READER, "receive-notifications"]);
  const page = await screens.visit(ann);
  await page.goto("/notifications?page=2");
  await page.getByRole("button", { name: "Mark as read" }).first().click();
  await page.getByRole("button", { name: "Mark as unread" }).first().waitFor();
  expect(new URL(page.url()).search).toBe("?page=2");
  await page.goto("/books");
  const bell = page.locator("header.top nav.menu").getByRole("link", { name: /^Notifications/ });
  await bell.filter({ hasText: "unread)" }).waitFor();
  // As where the session ended elsewhere, within the seconds for which the count is kept.
  const own = await page.context().cookies();
  await page.context().clearCookies();
  await page.context().request.post("/api/session", { data: { email: cat.email, password: cat.password } });
  const counted = page.waitForResponse((answer) => answer.url().endsWith("/notifications/count"));
  await page.goto("/books");
  expect(await (await counted).text()).not.toContain("unread");
  await page.context().clearCookies();
  await page.context().addCookies(own);
  await page.goto("/notifications");
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByRole("button", { name: "Mark as unread" }).first().waitFor();
  expect(await page.getByRole("button", { name: /^Mark (all )?as read/ }).count()).toBe(0);
  expect(await page.request.get("/api/notifications/unread").then((answer) => answer.json())).toEqual({ unread: 0 });
});

test("preferences are chosen in the account, in the language of the reader and without scripts", async () => {
  const page = await screens.visit(ann, { scripts: false });
  await page.goto("/my-account/notifications");
  await page.getByLabel("Replies to my comments").uncheck();
  await page.getByLabel("By mail").selectOption("daily");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your choice is saved.").waitFor();
  expect(await page.getByLabel("Replies to my comments").isChecked()).toBe(false);
  expect(await page.getByLabel("By mail").inputValue()).toBe("daily");
  const german = await screens.visit(ann, { language: "de" });
  await german.goto("/my-account/notifications");
  expect(await german.locator("main").innerText()).toContain("Antworten auf meine Kommentare");
  await look(german, "notification-preferences");
  const other = await screens.visit(await screens.user("Ben", READER));
  await other.goto("/");
  expect(await other.getByRole("link", { name: "Notifications" }).count()).toBe(0);
});
