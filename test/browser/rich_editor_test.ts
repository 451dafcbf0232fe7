/** The rich editor in a browser: what it opens, writes and leaves alone, by keyboard as a person would. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
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

async function opened(made: { slug: string }, look = {}): Promise<Page> {
  const page = await screens.visit(undefined, look);
  await page.goto(editorOf(made));
  await rich(page).waitFor();
  return page;
}

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
const htmlOf = async (made: { id: number }) => (await read(made.id)).raw_html.replaceAll(/ id="[^"]*"/g, "");

test("a page in HTML is written by keys and signs, and saved as HTML", async () => {
  const made = await newPage("Written", { html: "<p>start</p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Control+End", "Enter");
  await type(page, "## Steps", "- one", "two");
  await press(page, "Tab", "Enter", "Enter", "Enter");
  await type(page, "1. first", "", "[] open", "done");
  await press(page, "Enter", "Enter");
  await type(page, "> quoted", "", "Some **bold**, `code` and ");
  await press(page, "Control+i");
  await type(page, "italic");
  await press(page, "Control+i", "Enter");
  await type(page, "```ts", "a < b");
  await press(page, "Control+Enter");
  await picture(page, "rich-written");
  expect(await errorsOf(page)).toEqual([]);
  await page.locator("#rich-text input[type=checkbox]").last().click();
  await save(page);
  expect(await htmlOf(made)).toBe(`<p>start</p>
<h2>Steps</h2>
<ul>
<li>one
<ul>
<li>two</li>
</ul></li>
</ul>
<ol>
<li>first</li>
</ol>
<ul>
<li class="task-list-item"><input type="checkbox" disabled> open</li>
<li class="task-list-item"><input type="checkbox" disabled checked> done</li>
</ul>
<blockquote><p>quoted</p></blockquote>
<p>Some <strong>bold</strong>, <code>code</code> and <em>italic</em></p>
<pre><code class="language-ts">a &lt; b</code></pre>
<p></p>`);
});

test("undo covers signs, keys and the toolbar, back to the page as it was", async () => {
  const made = await newPage("Undone", { html: "<p>as it was</p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Control+End", "Enter");
  await type(page, "- item");
  await press(page, "Control+a", "Control+b");
  await page.getByRole("button", { name: "Align centre" }).click();
  await page.getByRole("button", { name: "Horizontal rule" }).click();
  for (let step = 0; step < 12; step++) await press(page, "Control+z");
  expect(await page.getByRole("button", { name: "Undo" }).getAttribute("aria-disabled")).toBe("true");
  await save(page);
  expect((await read(made.id)).raw_html).toBe(made.raw_html);
});

test("the menu of a slash is chosen from by keyboard, and inserts callouts, tables and sections", async () => {
  const made = await newPage("Inserted", { html: "<p>first</p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Control+End", "Enter");
  await page.keyboard.type("/");
  const menu = page.getByRole("listbox", { name: "Insert" });
  await menu.waitFor();
  await picture(page, "rich-menu");
  expect(await errorsOf(page)).toEqual([]);
  await page.keyboard.type("warn");
  expect(await menu.getByRole("option").allTextContents()).toEqual(["Warning box"]);
  await press(page, "Enter");
  await type(page, "Mind the gap", "/table");
  await press(page, "Enter");
  await type(page, "a");
  await press(page, "Tab");
  await type(page, "b");
  await page.getByRole("button", { name: "Delete column" }).click();
  await type(page, "c");
  await page.getByRole("button", { name: "Insert row below" }).click();
  await picture(page, "rich-table");
  expect(await errorsOf(page)).toEqual([]);
  await press(page, "Control+End");
  await type(page, "/colla");
  await press(page, "Enter");
  await type(page, "More");
  await press(page, "Control+End");
  await type(page, "inside/not a menu");
  expect(await menu.count()).toBe(0);
  await save(page);
  expect(await htmlOf(made)).toBe(`<p>first</p>
<p class="callout warning">Mind the gap</p>
<table>
<thead>
<tr><th>a</th><th>c</th></tr>
</thead>
<tbody>
<tr><td></td><td></td></tr>
<tr><td></td><td></td></tr>
<tr><td></td><td></td></tr>
</tbody>
</table>
<details><summary>More</summary>
<p>inside/not a menu</p></details>`);
});

test("links are set by dialog and by pasting an address over text", async () => {
  const made = await newPage("Linked", { html: "<p>one two</p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Home", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Control+k");
  await page.getByLabel("Address").fill("example.com/a");
  await picture(page, "rich-link");
  expect(await errorsOf(page)).toEqual([]);
  await press(page, "Enter");
  await press(page, "End", "Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowLeft");
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/plain", "https://example.com/b");
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
  await press(page, "End");
  await type(page, " three");
  await save(page);
  expect(await htmlOf(made)).toBe(
    '<p><a href="https://example.com/a">one</a> <a href="https://example.com/b">two</a> three</p>',
  );
});

test("two brackets open a list of the pages that the writer may see, and a choice is a permanent link", async () => {
  const target = await newPage("Zebra crossing", { html: "<p>x</p>" });
  const made = await newPage("Linking", { html: "<p>see </p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Control+End");
  await type(page, " [[zebra");
  const list = page.getByRole("listbox", { name: "Pages" });
  await list.getByText("Zebra crossing").waitFor();
  await picture(page, "rich-pages");
  expect(await errorsOf(page)).toEqual([]);
  await press(page, "Enter");
  await type(page, " there");
  await save(page);
  expect(await htmlOf(made)).toBe(`<p>see <a href="${screens.url}/link/${target.id}">Zebra crossing</a> there</p>`);
});

test("pictures are pasted into the text, and drafts of it kept, as in the source editor", async () => {
  const made = await newPage("Pictured", { html: "<p>before</p>" });
  const page = await opened(made);
  await rich(page).click();
  await press(page, "Control+End");
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([${[...png()]}])], "rack.png", { type: "image/png" }));
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
  await rich(page).locator("img[src*='gallery']").waitFor();
  await type(page, " after");
  await page.getByText("Draft saved at").waitFor();
  await page.context().close();
  const again = await opened(made);
  expect(await again.getByText("This is your unsaved draft").count()).toBe(1);
  expect(await rich(again).locator("img[src]").getAttribute("alt")).toBe("rack");
  await save(again);
  expect(await htmlOf(made)).toMatch(/^<p>before<img src="http[^"]*rack\.png" alt="rack"> after<\/p>$/);
});

test("who may not change the editor stays in the editor of the page", async () => {
  const { email, password } = await screens.user("Ben", ["book-view-all", "page-view-all", "page-update-all"]);
  const page = await screens.visit({ email, password });
  await page.goto(editorOf(await newPage("In HTML", { html: "<p>x</p>" })));
  await rich(page).waitFor();
  expect(await page.getByRole("button", { name: "Source" }).count()).toBe(0);
  await page.goto(editorOf(await newPage("In Markdown", { markdown: "x" })));
  expect(await page.locator("#field-content").inputValue()).toBe("x");
  expect(await page.getByRole("button", { name: "Rich text" }).count()).toBe(0);
});

test("the rich editor fits a phone, in the dark and in German", async () => {
  const made = await newPage("Small", {
    html: `<h2>Small</h2><table><thead><tr>${"<th>a long heading</th>".repeat(6)}</tr></thead><tbody><tr>${"<td>1</td>".repeat(6)}</tr></tbody></table><pre><code>${"x".repeat(200)}</code></pre>`,
  });
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark", language: "de" });
  await page.goto(editorOf(made));
  await page.getByRole("textbox", { name: "Inhalt", exact: true }).locator("td").first().click();
  await picture(page, "rich-phone-dark");
  expect(await errorsOf(page)).toEqual([]);
});
