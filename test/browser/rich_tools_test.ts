/** Tools of the rich editor, as a person uses them: find and replace, counting, what is inserted, the keys of blocks and the tools of tables. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
let page: Page;
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Handbook" } })).body;
  page = await screens.visit();
  // What a test has written is left as it is.
  page.on("dialog", (dialog) => dialog.accept());
});
afterAll(() => screens.stop());

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const rich = () => page.getByRole("textbox", { name: "Content", exact: true });
const written = async () =>
  String(await page.evaluate("new FormData(document.querySelector('#editor')).get('content')")).replaceAll(
    / id="[^"]*"/g,
    "",
  );
const press = async (...keys: readonly string[]) => {
  // Browsers tell the editor of a moved cursor in a task of its own.
  for (const key of keys) await page.keyboard.press(key, { delay: 20 });
};
const tool = (name: string) => page.getByRole("button", { name, exact: true }).click();
/** Opens a new page with this content, the cursor at its end. */
async function open(name: string, html: string) {
  const made = await newPage(name, { html });
  await page.goto(`/books/${book.slug}/page/${made.slug}/edit`);
  await rich().click();
  await press("Control+End");
  return made;
}

test("words are found, counted and replaced by keyboard, each as one step of undo", async () => {
  await open(
    "Found",
    "<p>The disk is a <strong>Disk</strong>.</p><ul><li>diskette</li></ul><pre><code>disk</code></pre>",
  );
  await press("Control+f");
  const panel = page.getByRole("region", { name: "Find and replace" });
  await page.keyboard.type("disk");
  expect(await panel.getByRole("status").textContent()).toBe("1 of 4");
  expect(await rich().locator(".rich-found").count()).toBe(4);
  await picture(page, "rich-find");
  expect(await errorsOf(page)).toEqual([]);
  await panel.getByLabel("Whole words").check();
  expect(await panel.getByRole("status").textContent()).toBe("1 of 3");
  await panel.getByLabel("Match case").check();
  expect(await panel.getByRole("status").textContent()).toBe("1 of 2");
  await panel.getByLabel("Match case").uncheck();
  await panel.getByLabel("Find", { exact: true }).press("Enter");
  expect(await panel.getByRole("status").textContent()).toBe("2 of 3");
  await press("Control+h");
  await panel.getByLabel("Replace by").fill("drive");
  await panel.getByLabel("Replace by").press("Enter");
  expect(await written()).toContain("<p>The disk is a <strong>drive</strong>.</p>");
  await picture(page, "rich-replace");
  await panel.getByRole("button", { name: "Replace all" }).click();
  expect(await panel.getByRole("status").textContent()).toBe("Replaced: 2");
  expect(await written()).toBe(
    "<p>The drive is a <strong>drive</strong>.</p>\n<ul>\n<li>diskette</li>\n</ul>\n<pre><code>drive</code></pre>",
  );
  await panel.getByLabel("Find", { exact: true }).press("Escape");
  expect(await panel.count()).toBe(0);
  expect(await rich().evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await press("Control+z");
  expect(await written()).toContain("<p>The disk is a <strong>drive</strong>.</p>");
  await press("Control+z");
  expect(await written()).toContain("<p>The disk is a <strong>Disk</strong>.</p>");
});

test("words and characters are counted, of the selection too", async () => {
  await open("Counted", "<p>Two words</p><p>über 1,5 l</p>");
  await page.getByText("Words: 5, characters: 19").waitFor();
  await press("Control+Home", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight");
  await page.getByText("Selected words: 1, characters: 3").waitFor();
});

test("Markdown that is pasted is offered as formatted text, in one step of undo", async () => {
  await open("Pasted Markdown", "<p>before</p>");
  const paste = (text: string) =>
    page.evaluate(`{
      const data = new DataTransfer();
      data.setData("text/plain", ${JSON.stringify(text)});
      document.querySelector("#rich-text").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
  await press("Enter");
  await paste("plain words, 2 * 3 * 4");
  expect(await page.getByText("looks like Markdown").isVisible()).toBe(false);
  await press("Enter");
  await paste("## Steps\n\n- one\n- **two**");
  const offer = page.getByRole("button", { name: "Paste as formatted text" });
  await offer.waitFor();
  await picture(page, "rich-offer");
  expect(await errorsOf(page)).toEqual([]);
  const plain = "<p>before</p>\n<p>plain words, 2 * 3 * 4</p>\n<p>## Steps</p>\n<p>- one</p>\n<p>- **two**</p>";
  expect(await written()).toBe(plain);
  await offer.click();
  await rich().locator("h2").waitFor();
  expect(await written()).toBe(
    "<p>before</p>\n<p>plain words, 2 * 3 * 4</p>\n<h2>Steps</h2>\n<ul>\n<li>one</li>\n<li><strong>two</strong></li>\n</ul>",
  );
  await press("Control+z");
  expect(await written()).toBe(plain);
});

test("the menu inserts templates, includes of parts of pages, diagrams and files", async () => {
  const template = await newPage("Report", { html: "<h2>Report</h2><p>What happened</p>" });
  await screens.runtime.ask("PUT", `/api/pages/${template.id}/template`, { body: { template: true } });
  const other = await newPage("Rota", { html: '<h2 id="bkmrk-weekdays">Weekdays</h2><p id="bkmrk-ada">Ada</p>' });
  const made = await open("Inserted", "<p>text</p>");
  const choose = async (typed: string) => {
    await page.keyboard.type(`/${typed}`);
    await page.getByRole("listbox", { name: "Insert" }).getByRole("option").first().waitFor();
    await press("Enter");
  };
  await press("Enter");
  await choose("template");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("option", { name: "Report" }).waitFor({ state: "attached" });
  await picture(page, "rich-template");
  expect(await errorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Insert at the start" }).click();
  await rich().locator("h2").waitFor();
  await press("Control+End");
  await choose("include");
  await dialog.getByLabel("Search").fill("rota");
  await dialog.getByRole("option", { name: "Rota" }).waitFor({ state: "attached" });
  await dialog.getByRole("option", { name: "Ada" }).waitFor({ state: "attached" });
  await dialog.getByLabel("Part of the page").selectOption({ label: "Ada" });
  await picture(page, "rich-include");
  expect(await errorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Insert", exact: true }).click();
  await rich().getByText("{{@").waitFor();
  await press("Control+End", "Enter");
  await choose("diagram");
  await press("Control+End");
  const chooser = page.waitForEvent("filechooser");
  await page.keyboard.type("/file");
  await press("Enter");
  await (await chooser).setFiles({ name: "rota.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") });
  await rich().getByText("rota.pdf").waitFor();
  expect(await page.getByText("Uploading rota.pdf").count()).toBe(0);
  const [attachment] = (await screens.runtime.ask("GET", `/api/attachments?filter[uploaded_to]=${made.id}`)).body.data;
  expect(attachment.name).toBe("rota.pdf");
  expect(await written()).toBe(`<h2>Report</h2>
<p>What happened</p>
<p>text</p>
<p>{{@${other.id}#bkmrk-ada}}</p>
<pre><code class="language-mermaid">flowchart LR
  A[Start] --&gt; B{Decision}
  B --&gt;|Yes| C[Done]
  B --&gt;|No| A</code></pre>
<p><a href="${screens.url}/attachments/${attachment.id}">rota.pdf</a></p>`);
});

test("what the screen around the editor inserts comes at the cursor, the start or the end, as one step of undo", async () => {
  await open("Told", "<p>one</p>");
  const insert = (at: string, html: string) =>
    page.evaluate(
      `document.querySelector("#editor").dispatchEvent(new CustomEvent("editor-insert", { detail: ${JSON.stringify({ html, markdown: "", at })} }))`,
    );
  await insert("cursor", "<em>two</em>");
  await insert("cursor", "<p>three</p>");
  await insert("start", "<h2>zero</h2>");
  await insert("end", "<p>four</p>");
  expect(await written()).toBe("<h2>zero</h2>\n<p>one<em>two</em></p>\n<p>three</p>\n<p>four</p>");
  await press("Control+z", "Control+z");
  expect(await written()).toBe("<p>one<em>two</em></p>\n<p>three</p>");
});

test("keys make headings and lists of paragraphs, and Tab moves in lists and tables", async () => {
  await open("Keys", "<p>a</p>");
  for (const level of [1, 2, 3, 4, 5, 6]) {
    await press(`Control+Alt+${level}`);
    expect(await written()).toBe(`<h${level}>a</h${level}>`);
  }
  await press("Control+Alt+0");
  expect(await written()).toBe("<p>a</p>");
  const lists = { "7": "<ol>\n<li>a</li>\n</ol>", "8": "<ul>\n<li>a</li>\n</ul>" };
  for (const [key, list] of Object.entries(lists)) {
    await press(`Control+Shift+Digit${key}`);
    expect(await written()).toBe(list);
    await press(`Control+Shift+Digit${key}`);
    expect(await written()).toBe("<p>a</p>");
  }
  await press("Control+Shift+Digit9");
  expect(await written()).toBe(
    '<ul>\n<li class="task-list-item"><input type="checkbox" disabled="disabled"> a</li>\n</ul>',
  );
  await press("Control+Shift+Digit9", "Control+Shift+Digit8", "Enter");
  await page.keyboard.type("b");
  await press("Tab");
  expect(await written()).toBe("<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ul>");
  await press("Shift+Tab");
  expect(await written()).toBe("<ul>\n<li>a</li>\n<li>b</li>\n</ul>");
  await open("Cells", "<table><tbody><tr><td>1</td><td>2</td></tr></tbody></table>");
  await rich().locator("td").first().click();
  await press("Home", "Tab", "End");
  await page.keyboard.type("x");
  await press("Shift+Tab", "End");
  await page.keyboard.type("y");
  await press("Tab", "Tab");
  await page.keyboard.type("z");
  expect(await written()).toBe(
    "<table>\n<tbody>\n<tr><td>1y</td><td>2x</td></tr>\n<tr><td>z</td><td></td></tr>\n</tbody>\n</table>",
  );
});

test("cells are merged and split", async () => {
  await open("Merged", "<table><tbody><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></tbody></table>");
  await rich().locator("td").first().click();
  await press("Home", "Shift+ArrowRight", "Shift+ArrowRight");
  await tool("Merge cells");
  expect(await written()).toBe(
    '<table>\n<tbody>\n<tr><td colspan="2"><p>1</p>\n<p>2</p></td></tr>\n<tr><td>3</td><td>4</td></tr>\n</tbody>\n</table>',
  );
  await tool("Split cell");
  expect(await written()).toBe(
    "<table>\n<tbody>\n<tr><td><p>1</p>\n<p>2</p></td><td></td></tr>\n<tr><td>3</td><td>4</td></tr>\n</tbody>\n</table>",
  );
});

test("words are coloured, raised, lowered and aligned, and cleared of it all", async () => {
  await open("Formats", "<p>a b</p>");
  await press("Control+a");
  await tool("Subscript");
  expect(await written()).toBe("<p><sub>a b</sub></p>");
  await tool("Subscript");
  await tool("Superscript");
  expect(await written()).toBe("<p><sup>a b</sup></p>");
  await tool("Colours");
  await page.getByLabel("Text colour").fill("#ff0000");
  await tool("Set text colour");
  await rich().locator("[style*=color]").waitFor();
  await tool("Colours");
  await page.getByLabel("Background colour").fill("#00ff00");
  await tool("Set background colour");
  await rich().locator("[style*=background]").waitFor();
  const coloured = await written();
  expect(coloured).toContain("color: #ff0000;");
  expect(coloured).toContain("background-color: #00ff00;");
  await tool("Align right");
  expect(await written()).toStartWith('<p style="text-align: right;">');
  await tool("Clear formatting");
  expect(await written()).toBe("<p>a b</p>");
  for (const key of ["l", "e", "r", "j"]) await press(`Control+Shift+${key}`);
  expect(await written()).toBe('<p style="text-align: justify;">a b</p>');
});
