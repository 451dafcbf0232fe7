/** The switch between the editors while something is under way, and keys of the rich editor that reach the screen around it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Switches" } })).body;
});
afterAll(() => screens.stop());

const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const rich = (page: Page) => page.locator("#rich-text");
const source = (page: Page) => page.locator(".cm-content");
const change = (page: Page, to: string) => page.locator(`.rich-switch [data-mode=${to}]`);
const written = (page: Page) =>
  page.evaluate(`new FormData(document.querySelector("#editor")).get("content")`) as Promise<string>;
const image = { name: "a.png", mimeType: "image/png", buffer: Buffer.from(png()) };
const pick = (page: Page) => page.locator(".editor-pictures input[type=file]").first().setInputFiles(image);

/** The editor of a new page with a content, in the editor of a kind. */
async function opened(name: string, content: object, kind: "rich" | "source") {
  const made = (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/page/${made.slug}/edit`);
  await page.waitForSelector("#rich-text, .cm-content:visible");
  const editor = kind === "rich" ? rich(page) : source(page);
  if (!(await editor.isVisible())) await change(page, kind).click();
  await editor.focus();
  await page.keyboard.press("Control+End");
  return { page, id: made.id as number };
}

/** Holds back requests to an address until they are let go. */
async function held(page: Page, address: RegExp, method = "POST") {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hold = async (route: Route) => {
    if (route.request().method() === method) await promise;
    await route.continue();
  };
  await page.route(address, hold);
  const arrived = page.waitForRequest((request) => address.test(request.url()) && request.method() === method);
  return { arrived, letGo: resolve };
}

test("a picture that was begun in one editor comes into the one that is open when it is there", async () => {
  // The source editor loads when it is first asked for: the picture may be there before it.
  const first = await opened("Late script", { html: "<p>one</p>" }, "rich");
  const upload = await held(first.page, /\/editor\/picture\//);
  const script = await held(first.page, /source[^/]*\.js/, "GET");
  await pick(first.page);
  await upload.arrived;
  await change(first.page, "source").click();
  await script.arrived;
  upload.letGo();
  await first.page.locator("#uploads progress").waitFor({ state: "detached" });
  script.letGo();
  await source(first.page).waitFor();
  expect(await written(first.page)).toMatch(/<img src="[^"]+a\.png"/);
  expect(await source(first.page).innerText()).toContain("a.png");

  const { page } = await opened("From source", { html: "<p>one</p>" }, "source");
  const late = await held(page, /\/editor\/picture\//);
  await pick(page);
  await late.arrived;
  await change(page, "rich").click();
  await rich(page).waitFor();
  late.letGo();
  await rich(page).locator("img[src]").waitFor();
  expect(await written(page)).toMatch(/<img src="[^"]+"/);
  await change(page, "source").click();
  await source(page).waitFor();
  expect(await source(page).locator(".rich-uploading").count()).toBe(0);
});

test("what is typed while the server converts comes along, and a second click opens no second editor", async () => {
  const { page, id } = await opened("Typing", { markdown: "one" }, "source");
  let conversion = await held(page, /\/editor\/convert/);
  await change(page, "rich").dblclick();
  await conversion.arrived;
  await source(page).focus();
  await page.keyboard.type(" two");
  conversion.letGo();
  await rich(page).getByText("one two").waitFor();
  expect(await rich(page).count()).toBe(1);
  await rich(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" three");
  conversion = await held(page, /\/editor\/convert/);
  await change(page, "source").click();
  await conversion.arrived;
  await rich(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" four");
  conversion.letGo();
  await source(page).waitFor();
  expect(await written(page)).toBe("one two three four");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/page/typing");
  expect((await read(id)).markdown).toBe("one two three four");
});

test("Ctrl+Enter saves from the rich editor too, and redoing where nothing is left undoes nothing", async () => {
  const { page, id } = await opened("Keys", { html: "<p>one</p>" }, "rich");
  await page.keyboard.type(" two");
  for (const key of ["Control+z", "Control+Shift+z", "Control+Shift+z"]) await page.keyboard.press(key);
  expect(await written(page)).toContain("one two");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/page/keys");
  expect((await read(id)).html).toContain("one two");
});

test("Markdown that is written in the rich editor: a new page is saved without a question, without a connection the bar says so", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page?source=markdown`);
  await page.waitForSelector("#rich-text, .cm-content:visible");
  if (!(await rich(page).isVisible())) await change(page, "rich").click();
  await page.getByLabel("Name", { exact: true }).fill("Fresh");
  await rich(page).click();
  await page.keyboard.type("one");
  await page.keyboard.press("Control+s");
  await page.waitForURL("**/page/fresh/edit");
  await page.context().setOffline(true);
  await page.keyboard.type(" two");
  await page.keyboard.press("Control+s");
  await page
    .getByText("The page could not be saved: There is no connection. Your text is kept in this browser.")
    .waitFor();
  await page.getByText("The content could not be converted: There is no connection").waitFor();
  await page.context().setOffline(false);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/page/fresh");
  const { data } = (await screens.runtime.ask("GET", "/api/pages?filter[name]=Fresh")).body;
  expect((await read(data[0].id)).markdown).toBe("one two");
});

test("while a page is saved no draft of it is, so that none is reported as gone", async () => {
  const { page, id } = await opened("Slow", { markdown: "one" }, "source");
  await page.keyboard.type(" two");
  await page.getByText("Draft saved at").waitFor();
  const drafts: string[] = [];
  page.on("request", (request) => request.url().includes("/editor/draft/") && drafts.push(request.url()));
  const save = await held(page, /\/page\/slow\/edit/);
  await page.keyboard.press("Control+s");
  await save.arrived;
  await page.keyboard.type(" three");
  await page.waitForTimeout(2000);
  expect(drafts).toEqual([]);
  save.letGo();
  await page.getByText("Page saved at").waitFor();
  await page.getByText("Draft saved at").waitFor();
  expect((await read(id)).markdown).toBe("one two");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL("**/page/slow");
  expect((await read(id)).markdown).toBe("one two three");
});
