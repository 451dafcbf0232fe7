/** Unsaved text survives a session that ends, leaving the page, another new page, and a preview. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime, signIn } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const ADMIN = { email: "admin@example.com", password: "correct horse battery" };
const WORDS = "Precious words that took an hour to write";

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Kept" } })).body;
});
afterAll(() => screens.stop());

const newPage = async (name: string, body: object = { markdown: "before" }) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...body } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const editorOf = (page: { slug: string }) => `/books/${book.slug}/page/${page.slug}/edit`;
const content = (page: Page) => page.getByLabel("Content in Markdown");
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const kept = (page: Page) => page.getByText("Draft saved at").waitFor();

test("a writer who is signed out meanwhile gets a message, and submits the text after signing in again", async () => {
  const made = await newPage("Session");
  const page = await screens.visit();
  await page.goto(editorOf(made));
  await page.context().clearCookies();
  await content(page).fill(WORDS);
  await page.getByText("The draft could not be saved: You are signed out").waitFor();
  await save(page);
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await page.waitForLoadState();
  await picture(page, "keeping-signed-out");
  expect(await errorsOf(page)).toEqual([]);
  expect(await page.getByLabel("Content").inputValue()).toBe(WORDS);
  // What the user wrote, without the form's hidden fields.
  expect(await page.locator("main label").allInnerTexts()).toEqual(["Name", "Content"]);
  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    page.getByRole("link", { name: "Sign in in another tab" }).click(),
  ]);
  await signIn(tab, ADMIN);
  await page.getByRole("button", { name: "Send it again" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
  expect((await read(made.id)).markdown).toBe(WORDS);
});

test("a page that is renamed meanwhile is a conflict, one that is deleted leaves the text on the screen", async () => {
  const made = await newPage("Alpha");
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto(editorOf(made));
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { name: "Beta", markdown: "theirs" } });
  await content(page).fill(WORDS);
  await save(page);
  expect(await page.getByRole("heading", { name: "Two changes of “Beta”" }).count()).toBe(1);
  await page.getByRole("radio", { name: "Mine", exact: true }).check();
  await save(page);
  expect(await read(made.id)).toMatchObject({ name: "Beta", markdown: WORDS });

  const doomed = await newPage("Doomed");
  await page.goto(editorOf(doomed));
  await screens.runtime.ask("DELETE", `/api/pages/${doomed.id}`);
  await content(page).fill(`${WORDS}, twice`);
  await save(page);
  expect(await page.getByRole("alert").textContent()).toContain("Page not found");
  expect(await page.locator("#field-content").inputValue()).toBe(`${WORDS}, twice`);
});

test("two new pages begun in one book are two drafts, and the other one is offered again", async () => {
  const [one, two] = [await screens.visit(), await screens.visit()];
  for (const [page, name] of [
    [one, "First"],
    [two, "Second"],
  ] as const) {
    await page.goto(`/books/${book.slug}/create-page`);
    await page.getByLabel("Name", { exact: true }).fill(name);
    await content(page).fill(`${name}: ${WORDS}`);
    await page.getByLabel("Tag name").first().fill("state");
    await kept(page);
  }
  await save(two);
  await two.waitForURL("**/page/second");
  await one.context().close();
  await two.goto(`/books/${book.slug}/create-page`);
  expect(await two.locator("#field-content").inputValue()).toBe("");
  await two.getByRole("link", { name: "First" }).click();
  expect(await two.locator("#field-content").inputValue()).toBe(`First: ${WORDS}`);
  expect(await two.getByLabel("Tag name").first().inputValue()).toBe("state");
  expect(await errorsOf(two)).toEqual([]);
  await save(two);
  await two.waitForURL("**/page/first");
  await two.goto(`/books/${book.slug}/create-page`);
  expect(await two.getByText("Unsaved drafts started here").count()).toBe(0);
});

test("editor and preview reach for the screen no more than the page itself does", async () => {
  const html = `<p style="position:fixed;inset:0" class="skip">a</p><a data-dialog="1">b</a><pre><code>${"x".repeat(300)}</code></pre>`;
  const made = await newPage("Reaching", { html });
  const page = await screens.visit(undefined, { size: "phone" });
  await page.goto(editorOf(made));
  await page.getByRole("textbox", { name: "Content", exact: true }).waitFor();
  expect(await page.locator("#rich-text").locator("[style], .skip, [data-dialog]").count()).toBe(0);
  expect(await errorsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Source" }).click();
  expect(await page.locator("#preview pre").count()).toBe(1);
  expect(await page.locator("#preview [style], #preview .skip, #preview [data-dialog]").count()).toBe(0);
  expect(await errorsOf(page)).toEqual([]);
  await page.locator(".cm-content").fill(`${html}<em>new</em>`);
  await page.locator("#preview em").waitFor();
  expect(await page.locator("#preview [style], #preview .skip, #preview [data-dialog]").count()).toBe(0);
});
