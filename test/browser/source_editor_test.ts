/** The source editor in a browser: Markdown and HTML written by keys, toolbar, lists and menus, as a person would. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { pictureForm } from "../support/data/sample_gallery.ts";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";

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
const source = (page: Page) => page.locator("#source-text");
const written = (page: Page) => page.locator("textarea[name=content]").inputValue();
const focused = (page: Page) => page.evaluate("document.activeElement.id");
const save = async (page: Page) => {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
};

/** Opens the source editor of a page, also where the rich one opens first. */
async function opened(made: { slug: string }, look = {}): Promise<Page> {
  const page = await screens.visit(undefined, look);
  await page.goto(editorOf(made));
  await page.locator("#rich-text, #source-text").first().waitFor();
  if (await page.locator("#rich-text").isVisible()) await page.getByRole("button", { name: "Source" }).click();
  await source(page).click();
  return page;
}

const press = async (page: Page, ...keys: readonly string[]) => {
  // Browsers tell the editor of a moved cursor in a task of its own.
  for (const key of keys) await page.keyboard.press(key, { delay: 20 });
};
const type = async (page: Page, ...lines: readonly string[]) => {
  for (const [index, line] of lines.entries()) {
    if (index > 0) await press(page, "Enter");
    await page.keyboard.type(line);
  }
};
/** Pastes as a person would; as a string, since the types of browsers are not those of tests. */
const paste = (page: Page, fill: string) =>
  page.evaluate(`{
    const data = new DataTransfer();
    ${fill}
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
const file = (name: string) =>
  `data.items.add(new File([new Uint8Array([${[...png()]}])], "${name}", { type: "image/png" }));`;

test("lists and quotes continue while Markdown is typed, and keys and the toolbar set signs", async () => {
  const made = await newPage("Written", { markdown: "start" });
  const page = await opened(made);
  await press(page, "Control+End", "Enter", "Enter");
  await type(page, "- one", "two");
  await press(page, "Tab", "Enter", "Enter", "Enter");
  await press(page, "Enter");
  await type(page, "> quoted", "on");
  await press(page, "Enter", "Enter", "Enter");
  await type(page, "Some bold");
  await press(page, "Shift+Control+ArrowLeft", "Control+b", "End");
  await type(page, " text (paired");
  await press(page, "End", "Enter", "Enter");
  await type(page, "Head");
  await press(page, "Control+Alt+2");
  const markdown = "start\n\n- one\n  - two\n\n> quoted\n> on\n\nSome **bold** text (paired)\n\n## Head";
  expect(await written(page)).toBe(markdown);
  await page.locator("#preview strong").waitFor();
  await picture(page, "source-written");
  expect(await errorsOf(page)).toEqual([]);
  await save(page);
  expect((await read(made.id)).markdown).toBe(markdown);
});

test("keys and tools toggle what they set, and undo takes back one after the other, to the page as it was", async () => {
  const made = await newPage("Undone", { markdown: "one two\nthree" });
  const page = await opened(made);
  const tool = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const steps: readonly (readonly [act: () => Promise<unknown>, becomes: string])[] = [
    [() => press(page, "Control+a", "Control+i"), "*one two*\n*three*"],
    [() => press(page, "Control+i"), "one two\nthree"],
    [() => press(page, "Control+Shift+8"), "- one two\n- three"],
    [() => tool("Task list"), "- [ ] one two\n- [ ] three"],
    [() => tool("Numbered list"), "1. one two\n2. three"],
    [() => press(page, "Control+Shift+7"), "one two\nthree"],
    [() => tool("Quote"), "> one two\n> three"],
    [() => press(page, "Control+End", "Control+u"), "> one two\n> three<u></u>"],
    [() => press(page, "Control+u"), "> one two\n> three"],
    [() => tool("Horizontal rule"), "> one two\n> three\n\n---\n"],
    [() => page.getByLabel("Kind of paragraph").selectOption("3"), "> one two\n> three\n\n### ---\n"],
  ];
  for (const [act, becomes] of steps) {
    await act();
    expect(await written(page)).toBe(becomes);
  }
  for (const [index] of steps.entries()) {
    await tool("Undo");
    expect(await written(page)).toBe(steps[steps.length - 2 - index]?.[1] ?? "one two\nthree");
  }
  expect(await page.getByRole("button", { name: "Undo" }).getAttribute("aria-disabled")).toBe("true");
  await save(page);
  expect((await read(made.id)).markdown).toBe("one two\nthree");
});

test("pictures are placed where the cursor was, beside what is typed meanwhile, and undone as one step", async () => {
  const made = await newPage("Pictured", { markdown: "before\n\nafter" });
  const page = await opened(made);
  await press(page, "Control+Home", "End");
  const { promise: waits, resolve: go } = Promise.withResolvers<void>();
  await page.route("**/editor/picture/*", async (route) => {
    await waits;
    await route.continue();
  });
  await paste(page, file("one.png") + file("two.png"));
  await page.getByText("Uploading two.png").first().waitFor();
  expect(await page.locator(".rich-uploading").count()).toBe(2);
  await type(page, " while it waits");
  go();
  await page.locator("#preview img").nth(1).waitFor();
  const address = String.raw`\(http[^)]+/gallery/[^)]+\)`;
  expect(await written(page)).toMatch(
    new RegExp(`^before !\\[one\\.png\\]${address} !\\[two\\.png\\]${address} while it waits\n\nafter$`),
  );
  expect(await page.locator(".rich-uploading").count()).toBe(0);
  await press(page, "Control+z", "Control+z");
  expect(await written(page)).toBe("before while it waits\n\nafter");
  await press(page, "Control+y");
  expect(await written(page)).toMatch(/one\.png/);
  await page.getByText("Draft saved at").waitFor();
  expect(await errorsOf(page)).toEqual([]);
});

test("lists of pages, pictures and insertions open while typing; a chosen page is a permanent link", async () => {
  const target = await newPage("Zebra [crossing]", { markdown: "x" });
  const parts = pictureForm(png(), "stripes.png", { type: "gallery", uploaded_to: target.id, name: "Stripes" });
  await screens.runtime.ask("POST", "/api/image-gallery", { parts });
  const made = await newPage("Linking", { markdown: "start" });
  const page = await opened(made);
  await press(page, "Control+a", "Delete");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  const choose = async (typed: string, choice: string) => {
    await page.keyboard.type(typed);
    await list.getByText(choice).waitFor();
    await page.waitForTimeout(100);
  };
  await choose("see [[zebra", "Zebra [crossing]");
  await picture(page, "source-pages");
  expect(await errorsOf(page)).toEqual([]);
  await press(page, "Enter");
  await choose(" and [it](zebra", "Zebra [crossing]");
  await press(page, "Enter", "End", "Enter", "Enter");
  await choose("![strip", "Stripes");
  await press(page, "Enter", "Enter", "Enter");
  await choose("/", "Horizontal rule");
  await picture(page, "source-menu");
  expect(await errorsOf(page)).toEqual([]);
  await choose("warn", "Warning box");
  await press(page, "Enter");
  await type(page, "Mind the gap");
  await press(page, "Control+End", "Enter");
  await page.keyboard.type("a / b, /warn");
  expect(await list.count()).toBe(0);
  const link = `${screens.url}/link/${target.id}`;
  expect((await written(page)).replace(/\(http[^)]+stripes\.png\)/, "(stripes)")).toBe(
    `see [Zebra \\[crossing\\]](${link}) and [it](${link})\n\n![Stripes](stripes)\n\n<p class="callout warning">Mind the gap</p>\n\na / b, /warn`,
  );
});

test("of pictures a writer is offered those that they may see", async () => {
  const { email, password } = await screens.user("Cy", ["book-view-all"]);
  const [cy, admin] = [await screens.visit({ email, password }), await screens.visit()];
  const names = async (page: Page, query: string) => {
    const response = await page.request.get("/editor/pictures", { params: { query } });
    return ((await response.json()) as { data: { name: string }[] }).data.map(({ name }) => name);
  };
  expect([await names(admin, "stripe"), await names(admin, "zzz"), await names(cy, "stripe")]).toEqual([
    ["Stripes"],
    [],
    [],
  ]);
  expect((await admin.request.get("/editor/pictures?query[]=a&query='%00")).status()).toBeLessThan(500);
});

test("links are set by dialog and by pasting an address over text; what other parts insert is one step of undo", async () => {
  const made = await newPage("Linked", { markdown: "one two" });
  const page = await opened(made);
  await press(page, "Home", "Shift+Control+ArrowRight", "Control+k");
  await page.getByLabel("Address").fill("example.com/a");
  await picture(page, "source-link");
  await press(page, "Enter");
  await press(page, "End", "Shift+Control+ArrowLeft");
  await paste(page, 'data.setData("text/plain", "https://example.com/b");');
  const linked = "[one](https://example.com/a) [two](https://example.com/b)";
  expect(await written(page)).toBe(linked);
  await page.evaluate(
    `document.querySelector("#editor").dispatchEvent(new CustomEvent("editor-insert", { detail: { html: "<p>end</p>", markdown: "**end**\\n\\nof it", at: "end" } }))`,
  );
  expect(await written(page)).toBe(`${linked}\n\n**end**\n\nof it\n`);
  await press(page, "Control+z");
  expect(await written(page)).toBe(linked);
  await page.getByRole("button", { name: "Rich text" }).click();
  await page.locator("#rich-text a").first().waitFor();
  await press(page, "Control+End");
  await page.keyboard.type(" three");
  await page.getByRole("button", { name: "Source" }).click();
  await source(page).waitFor();
  expect(await focused(page)).toBe("source-text");
  expect(await written(page)).toBe(`${linked} three`);
  await press(page, "Control+z");
  expect(await written(page)).toBe(linked);
  await press(page, "Control+y");
  await save(page);
  expect((await read(made.id)).markdown).toBe(`${linked} three`);
});

test("HTML is written by the same keys and tools", async () => {
  const made = await newPage("In HTML", { html: "<p>one</p>" });
  const page = await opened(made);
  await press(page, "Control+End", "Enter");
  await type(page, "Title");
  await press(page, "Control+Alt+2", "End", "Enter");
  await type(page, "item");
  await press(page, "Control+Shift+8", "Control+End", "Enter");
  await page.keyboard.type("/collap");
  await page.getByRole("option", { name: "Collapsible section" }).waitFor();
  await page.waitForTimeout(100);
  await press(page, "Enter");
  await page.keyboard.type("a <b>x");
  await press(page, "Shift+ArrowLeft", "Control+b");
  await picture(page, "source-html");
  expect(await errorsOf(page)).toEqual([]);
  expect(await written(page)).toBe(
    `${made.raw_html}\n<h2>Title</h2>\n<ul>\n<li>item</li>\n</ul>\n\n<details><summary>Click to open</summary>\n<p>a <b><strong>x</strong></p>\n</details>\n`,
  );
});

test("source and preview scroll along with each other, by what they show", async () => {
  const parts = Array.from({ length: 30 }, (_, index) =>
    index % 3 === 0
      ? `## Part ${index}\n\n\`\`\`sh\n${"echo\n".repeat(index)}\`\`\``
      : `## Part ${index}\n\n${"A long line of words. ".repeat(index * 4)}`,
  );
  const made = await newPage("Long", { markdown: parts.join("\n\n") });
  const page = await opened(made);
  const topOf = (side: "source" | "preview") =>
    page
      .evaluate(`(() => {
      const box = document.querySelector(${side === "source" ? '".cm-scroller"' : '"#preview"'});
      const top = box.getBoundingClientRect().top;
      const all = [...box.querySelectorAll(${side === "source" ? '".cm-line"' : '"h2"'})].filter((each) => each.textContent.includes("Part "));
      return all.find((each) => each.getBoundingClientRect().bottom > top)?.textContent.match(/\\d+/)[0];
    })()`)
      .then(Number);
  const wheel = async (selector: string, by: number) => {
    await page.locator(selector).hover();
    await page.mouse.wheel(0, by);
  };
  await wheel(".cm-scroller", 2500);
  await until(() => page.evaluate("document.querySelector('#preview').scrollTop > 500"));
  await page.waitForTimeout(200);
  const first = await topOf("source");
  expect(first).toBeGreaterThan(3);
  // A heading at the very edge of one side may be a pixel beyond that of the other.
  expect(Math.abs((await topOf("preview")) - first)).toBeLessThanOrEqual(1);
  await wheel("#preview", -1400);
  await page.waitForTimeout(200);
  const second = await topOf("preview");
  expect(second).toBeLessThan(first - 1);
  expect(Math.abs((await topOf("source")) - second)).toBeLessThanOrEqual(1);
  await picture(page, "source-scrolled");
  expect(await errorsOf(page)).toEqual([]);
});

test("find and replace, Tab that leaves, and what is written without a connection", async () => {
  const made = await newPage("Searched", { markdown: "cat Cat dog\n\n```python\ndef cat(): pass\n```" });
  const page = await opened(made);
  // Python is a language that is loaded when code in it is there.
  await page.locator(".tok-keyword", { hasText: "def" }).waitFor();
  await press(page, "Control+f");
  await page.keyboard.type("cat");
  await page.getByRole("textbox", { name: "Replace with" }).fill("bird");
  await picture(page, "source-search");
  expect(await errorsOf(page)).toEqual([]);
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Replace all" }).click();
  expect(await written(page)).toBe("bird bird dog\n\n```python\ndef bird(): pass\n```");
  await press(page, "Escape");
  await press(page, "Control+z");
  expect(await written(page)).toContain("cat Cat dog");
  await press(page, "Control+Home");
  await page.keyboard.type("offline ");
  await page.context().setOffline(false);
  await page.getByText("Draft saved at").waitFor();
  await press(page, "Control+End", "ArrowUp", "Escape", "Tab");
  expect(await focused(page)).not.toBe("source-text");
  await page.getByText("Words: 8").waitFor();
  await save(page);
  expect((await read(made.id)).markdown).toStartWith("offline cat Cat dog");
});

test("lines have the direction of their text; the editor fits a phone, in the dark and in German", async () => {
  const made = await newPage("Small", {
    markdown: `# Small\n\nשלום עולם\n\n${"x".repeat(300)}\n\n- [a](https://example.com) **b**`,
  });
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark", language: "de" });
  await page.goto(editorOf(made));
  await source(page).click();
  expect(await page.getByRole("textbox", { name: "Inhalt in Markdown" }).count()).toBe(1);
  const direction = (text: string) =>
    page.evaluate(
      `getComputedStyle([...document.querySelectorAll(".cm-line")].find((line) => line.textContent.includes("${text}"))).direction`,
    );
  expect([await direction("Small"), await direction("שלום")]).toEqual(["ltr", "rtl"]);
  await picture(page, "source-phone-dark");
  expect(await errorsOf(page)).toEqual([]);
});

test("without scripts, and until the editor is there, the textarea is what is written in", async () => {
  const made = await newPage("Plain", { markdown: "plain" });
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto(editorOf(made));
  await page.getByLabel("Content in Markdown").fill("written **plainly**");
  await save(page);
  expect((await read(made.id)).markdown).toBe("written **plainly**");
  const late = await screens.visit();
  const { promise: waits, resolve: go } = Promise.withResolvers<void>();
  await late.route("**/editor_source.js*", async (route) => {
    await waits;
    await route.continue();
  });
  await late.goto(editorOf(made), { waitUntil: "commit" });
  await late.locator("textarea[name=content]").click();
  await press(late, "Control+Home");
  await late.keyboard.type("early ");
  go();
  await source(late).waitFor();
  await late.keyboard.type("late ");
  expect(await written(late)).toBe("early late written **plainly**");
});
