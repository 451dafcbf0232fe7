/** Pages in Markdown in the rich editor: what it opens, and what it asks before it writes Markdown. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Handbook" } })).body;
});
afterAll(() => screens.stop());

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const editorOf = (page: { slug: string }) => `/books/${book.slug}/page/${page.slug}/edit`;
const rich = (page: Page) => page.getByRole("textbox", { name: "Content", exact: true });
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
};

const type = async (page: Page, ...lines: readonly string[]) => {
  for (const [index, line] of lines.entries()) {
    if (index > 0) await page.keyboard.press("Enter");
    await page.keyboard.type(line);
  }
};
const press = async (page: Page, ...keys: readonly string[]) => {
  // Browsers tell the editor of a moved cursor in a task of its own.
  for (const key of keys) await page.keyboard.press(key, { delay: 20 });
};

const openedRich = async (made: { slug: string }): Promise<Page> => {
  const page = await screens.visit();
  await page.goto(editorOf(made));
  if ((await rich(page).count()) === 0) await page.getByRole("button", { name: "Rich text" }).click();
  await rich(page).waitFor();
  return page;
};

test("a page in Markdown is switched to the rich editor and stored as Markdown; the choice is remembered", async () => {
  const markdown =
    "# Title\n\nText with **bold**\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```js\na < b\n```";
  const made = await newPage("Marked", { markdown });
  const page = await screens.visit();
  await page.goto(editorOf(made));
  const remembered = page.waitForResponse((answer) => answer.url().endsWith("/editor/choice"));
  await page.getByRole("button", { name: "Rich text" }).click();
  await rich(page).locator("strong").waitFor();
  await remembered;
  await picture(page, "rich-markdown");
  expect(await errorsOf(page)).toEqual([]);
  await page.reload();
  await rich(page).locator("strong").waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Marked again");
  await save(page);
  expect((await read(made.id)).markdown).toBe(markdown);
  await page.goto(editorOf(await read(made.id)));
  await rich(page).locator("strong").click();
  await press(page, "End");
  await type(page, " more");
  await page.getByText("Draft saved at").waitFor();
  await page.getByRole("button", { name: "Source" }).click();
  await page.getByLabel("Content in Markdown").waitFor();
  expect(await page.locator("#field-content").inputValue()).toContain("Text with **bold more**");
  await page.getByRole("button", { name: "Rich text" }).click();
  await rich(page).waitFor();
  await save(page);
  const saved = await read(made.id);
  expect(saved.markdown).toContain("Text with **bold more**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |");
  expect(saved.editor).toBe("markdown");
  const odd = await newPage("Odd", { markdown: "Title\n=====\n\n* star" });
  await page.goto(editorOf(odd));
  await page.getByText("This page opens in the source editor").waitFor();
  expect(await page.locator("#field-content").inputValue()).toBe("Title\n=====\n\n* star");
  await picture(page, "rich-reason");
  expect(await errorsOf(page)).toEqual([]);
});

test("what Markdown cannot hold is shown before the editor is switched", async () => {
  const made = await newPage("Lossy", { markdown: "plain" });
  const page = await screens.visit();
  await page.goto(editorOf(made));
  await page.getByRole("button", { name: "Rich text" }).click();
  await rich(page).click();
  await page.getByRole("button", { name: "Align right" }).click();
  await page.getByRole("button", { name: "Source" }).click();
  const dialog = page.getByRole("dialog", { name: "What would change" });
  await dialog.waitFor();
  expect(await dialog.locator("del").textContent()).toContain("text-align: right");
  await picture(page, "rich-loss");
  expect(await errorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Stay here" }).click();
  expect(await rich(page).count()).toBe(1);
});

test("what Markdown cannot hold is shown before the page is saved, also where it was pasted", async () => {
  const made = await newPage("Lossy save", { markdown: "plain" });
  const page = await openedRich(made);
  await rich(page).click();
  await page.getByRole("button", { name: "Align right" }).click();
  await press(page, "Control+s");
  const dialog = page.getByRole("dialog", { name: "What would change" });
  await dialog.waitFor();
  expect(await dialog.locator("del").textContent()).toContain("text-align: right");
  expect(await errorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Stay here" }).click();
  expect((await read(made.id)).markdown).toBe("plain");
  await page.getByRole("button", { name: "Align right" }).click();
  await press(page, "Control+End", "Enter");
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/html", "<p data-pm-slice='0 0 []' style='text-align: center'>centred</p>");
    data.setData("text/plain", "centred");
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.waitFor();
  expect(await dialog.locator("del").allTextContents()).toEqual([expect.stringContaining("text-align: center")]);
  await dialog.getByRole("button", { name: "Go on anyway" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
  expect((await read(made.id)).markdown).toBe("plain\n\ncentred");
});

test("what Markdown holds is saved without a question", async () => {
  const made = await newPage("Lossless", { markdown: "plain" });
  const page = await openedRich(made);
  await rich(page).click();
  await press(page, "Control+End", "Enter");
  await type(page, "## Steps", "- one", "two", "", "1. first", "", "[] open", "done", "", "> quoted");
  await press(page, "Enter", "Enter");
  await type(page, "Some **bold** and `code`", "/table");
  await press(page, "Enter");
  await type(page, "a");
  await press(page, "Control+End", "Enter");
  await type(page, "/rule");
  await press(page, "Enter", "Control+End");
  await type(page, "", "```ts", "a < b");
  await press(page, "Control+Enter");
  await save(page);
  expect((await read(made.id)).markdown).toMatch(
    /^plain\n\n## Steps\n\n- one[\s\S]*- \[ \] open[\s\S]*\| a \|[\s\S]*---\n\n```ts\na < b\n```$/,
  );
});

test("a writer of Markdown who is signed out meanwhile gets the message, with the text", async () => {
  const made = await newPage("Signed out", { markdown: "plain" });
  const page = await openedRich(made);
  await rich(page).click();
  await press(page, "Control+End");
  await type(page, " words");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  expect(await page.getByLabel("Content").inputValue()).toContain("plain words");
});

test("a draft keeps what Markdown cannot hold, and shows it on opening, before anything is saved without it", async () => {
  const made = await newPage("Lossy draft", { markdown: "plain" });
  const page = await openedRich(made);
  await rich(page).click();
  await page.getByRole("button", { name: "Align right" }).click();
  await page.getByText("Draft saved at").waitFor();
  const { draft } = (await screens.runtime.ask("GET", `/api/drafts/page/${made.id}`)).body;
  expect([draft.markdown, draft.html]).toEqual(["plain", '<p style="text-align: right;">plain</p>']);
  page.once("dialog", (leaving) => leaving.accept());
  await page.reload();
  await page.getByText("Markdown cannot hold all of this draft.").waitFor();
  expect(await rich(page).locator("p").getAttribute("style")).toContain("right");
  await picture(page, "rich-draft");
  expect(await errorsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "What would change" });
  await dialog.getByRole("button", { name: "Stay here" }).click();
  await page.getByRole("button", { name: "Source" }).click();
  const remembered = page.waitForResponse((answer) => answer.url().endsWith("/editor/choice"));
  await dialog.getByRole("button", { name: "Go on anyway" }).click();
  await remembered;
  expect(await page.locator("#field-content").inputValue()).toBe("plain");
  await page.goto(editorOf(made));
  await page.getByLabel("Content in Markdown").waitFor();
  await save(page);
  expect((await read(made.id)).markdown).toBe("plain");
});
