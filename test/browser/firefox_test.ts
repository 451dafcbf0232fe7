/** Both editors in Firefox, which puts a cursor, composes text and undoes otherwise than Chromium: written, formatted, saved, read. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "puppeteer-core";
import { startFirefox } from "../support/harness/firefox.ts";
import { openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);

let screens: ScreenRuntime;
let firefox: Browser;
let page: Page;
let book: { id: number; slug: string };
const complaints: string[] = [];
beforeAll(async () => {
  [screens, firefox] = await Promise.all([openScreens(), startFirefox()]);
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Handbook" } })).body;
  page = await firefox.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${screens.url}/login`);
  await page.type("main input[type=email]", "admin@example.com");
  await page.type("main input[type=password]", "correct horse battery");
  await Promise.all([page.waitForNavigation(), page.click("main form button:not([type=button])")]);
});
afterAll(async () => {
  await firefox.close();
  await screens.stop();
});

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const open = async (made: { slug: string }, editor: string) => {
  await page.goto(`${screens.url}/books/${book.slug}/page/${made.slug}/edit`);
  await (await page.waitForSelector(editor, { visible: true }))?.click();
};
/** Presses keys, such as "Control+b"; what is no key is typed. */
const keys = async (...all: readonly string[]) => {
  for (const each of all) {
    const parts = each.split("+");
    const held = parts.slice(0, -1) as ("Control" | "Shift" | "Alt")[];
    for (const key of held) await page.keyboard.down(key);
    await page.keyboard.press((parts.at(-1) ?? "") as "Enter", { delay: 20 });
    for (const key of held.toReversed()) await page.keyboard.up(key);
  }
};
const save = async () => {
  // Firefox complains of requests that a navigation cuts off, such as that for the preview.
  await page.waitForNetworkIdle();
  await Promise.all([page.waitForNavigation(), page.click("button[name=act][value=save]")]);
};

test("Markdown is typed, formatted, completed, undone, saved and read back", async () => {
  const made = await newPage("Marked", { markdown: "start" });
  await open(made, "#source-text");
  await keys("Control+End", "Enter", "Enter");
  await page.keyboard.type("- one");
  await keys("Enter");
  await page.keyboard.type("two");
  await keys("Shift+Control+ArrowLeft", "Control+b", "End", "Enter", "Tab");
  await page.keyboard.type("three");
  await keys("Enter", "Enter", "Enter", "Enter");
  await page.keyboard.type("[[mark");
  await page.waitForSelector(".cm-tooltip-autocomplete li");
  await new Promise((resolve) => setTimeout(resolve, 150));
  await keys("Enter");
  await page.keyboard.type(" gone");
  await keys("Control+z");
  await page.waitForSelector("#preview strong");
  await save();
  expect((await read(made.id)).markdown).toBe(
    `start\n\n- one\n- **two**\n  - three\n\n[Marked](${screens.url}/link/${made.id})`,
  );
});

test("rich text is typed, formatted, saved and read back, and its page is switched to the source and back", async () => {
  const made = await newPage("Rich", { html: "<p>start</p>" });
  await open(made, "#rich-text");
  await keys("Control+End", "Enter");
  await page.keyboard.type("## Steps");
  await keys("Enter");
  await page.keyboard.type("- one");
  await keys("Enter");
  await keys("Control+b");
  await page.keyboard.type("two");
  await keys("Control+b");
  await page.click(".rich-switch [data-mode=source]");
  await page.waitForSelector("#source-text", { visible: true });
  await keys("Control+End");
  await page.keyboard.type("<p>from source</p>");
  await page.click(".rich-switch [data-mode=rich]");
  await page.waitForSelector("#rich-text", { visible: true });
  await save();
  expect((await read(made.id)).raw_html.replaceAll(/ id="[^"]*"/g, "")).toBe(
    "<p>start</p>\n<h2>Steps</h2>\n<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul><p>from source</p>",
  );
});

test("neither the policy nor a script has complained", () => {
  expect(complaints).toEqual([]);
});
