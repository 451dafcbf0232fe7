/**
 * What is pasted into the rich editor: HTML of word processors and web pages as blocks, lists and tables without what would reach for the
 * page. The fixtures are what programs put on the clipboard; that of LibreOffice is the output of Debian's.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

const PASTED = join(import.meta.dir, "../fixtures/editor/pasted");

let screens: ScreenRuntime;
let page: Page;
beforeAll(async () => {
  screens = await openScreens();
  const { ask } = screens.runtime;
  const book = (await ask("POST", "/api/books", { body: { name: "Handbook" } })).body;
  const made = (await ask("POST", "/api/pages", { body: { book_id: book.id, name: "Pasted", html: "<p></p>" } })).body;
  page = await screens.visit();
  await page.goto(`/books/${book.slug}/page/${made.slug}/edit`);
  await page.getByRole("textbox", { name: "Content", exact: true }).click();
});
afterAll(() => screens.stop());

const paste = (data: Readonly<Record<string, string>>) =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(data)})) data.setData(type, text);
    document.querySelector("#rich-text").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
const written = () => page.evaluate("String(new FormData(document.querySelector('#editor')).get('content'))");
const empty = async () => {
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
};

for (const file of readdirSync(PASTED).filter((name) => name.endsWith(".clipboard")))
  test(`the HTML of ${file} is cleaned`, async () => {
    await empty();
    await paste({ "text/html": readFileSync(join(PASTED, file), "utf8"), "text/plain": "x" });
    const expected = readFileSync(join(PASTED, file.replace(".clipboard", ".written")), "utf8");
    expect(`${await written()}\n`).toBe(expected);
  });

test("nothing that was pasted is refused by the policy, and the screen is in order", async () => {
  await picture(page, "rich-pasted");
  expect(await errorsOf(page)).toEqual([]);
});
