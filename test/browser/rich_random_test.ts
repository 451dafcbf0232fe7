/** Random edits by keys, signs and tools: what the rich editor writes is saved, opened again, and is the same document, for every seed. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(120_000);

/** Those that have found something once. */
const SEEDS = [2, 7, 18, 30];
const EDITS = 150;
const BEGUN = `<h2>Start</h2><p>Some <strong>bold</strong> and <a href="https://example.com">linked</a> text</p>
<ul><li>one<ul><li>two</li></ul></li></ul><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<blockquote><p>quoted</p></blockquote><pre><code class="language-ts">a &lt; b</code></pre><p class="callout info">mind</p>
<details><summary>more</summary><p>inside</p></details><iframe src="about:blank"></iframe>`;

let screens: ScreenRuntime;
let page: Page;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Handbook" } })).body;
  page = await screens.visit();
});
afterAll(() => screens.stop());

/** Makes the edits within the page, and returns what was done, for the message of a failure. */
const edit = (seed: number): Promise<string[]> =>
  page.evaluate(`((seed, edits) => {
    const editor = document.querySelector("#rich-text").editor;
    const { view } = editor;
    const Text = view.state.selection.constructor;
    let state = seed * 2654435761;
    const random = (below) => {
      state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0;
      return state % below;
    };
    const any = (list) => list[random(list.length)];
    const done = [];
    const type = (text) => {
      for (const sign of text) {
        const { from, to } = view.state.selection;
        const isTaken = view.someProp("handleTextInput", (handle) => handle(view, from, to, sign, () => view.state.tr.insertText(sign, from, to)));
        if (!isTaken) view.dispatch(view.state.tr.insertText(sign, from, to));
      }
    };
    const key = (name, more = {}) => {
      const event = new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more });
      const isTaken = view.someProp("handleKeyDown", (handle) => handle(view, event));
      const { empty, $from, from } = view.state.selection;
      if (!isTaken && name === "Backspace" && empty && $from.parentOffset > 0) view.dispatch(view.state.tr.delete(from - 1, from));
      if (!isTaken && !empty && /Backspace|Delete/.test(name)) view.dispatch(view.state.tr.deleteSelection());
    };
    const ctrl = { ctrlKey: true };
    const moves = [
      ["word", () => type(any(["word ", "a", "b c", "é ü", "**x**", " & < > "]))],
      ["sign", () => type(any(["- ", "1. ", "# ", "## ", "> ", "[] ", "---", "\`\`\`ts "]))],
      ["enter", () => key("Enter")],
      ["break", () => key("Enter", { shiftKey: true })],
      ["backspace", () => key("Backspace")],
      ["delete", () => key("Delete")],
      ["tab", () => key("Tab")],
      ["back tab", () => key("Tab", { shiftKey: true })],
      ["mark", () => key(any(["b", "i", "u", "e"]), ctrl)],
      ["heading", () => key(String(random(7)), { ...ctrl, altKey: true })],
      ["list", () => key(any(["7", "8", "9"]), { ...ctrl, shiftKey: true })],
      ["undo", () => key("z", ctrl)],
      ["redo", () => key("y", ctrl)],
      ["tool", () => {
        const buttons = [...document.querySelectorAll(".rich-toolbar:not([hidden]) button:not([aria-disabled=true])")];
        const tool = any(buttons.filter(({ dataset }) => !/^(?:link|colours|picture|find|insert)$/.test(dataset.tool)));
        done.push(tool.dataset.tool);
        tool.click();
      }],
    ];
    for (let count = 0; count < edits; count++) {
      if (random(3) === 0) {
        const [a, b] = [random(view.state.doc.content.size + 1), random(view.state.doc.content.size + 1)];
        const doc = view.state.doc;
        const [$from, $to] = [doc.resolve(a), doc.resolve(random(2) === 0 ? a : Math.min(a + (b % 30), doc.content.size))];
        view.dispatch(view.state.tr.setSelection(Text.between($from, $to)));
      }
      const [name, run] = any(moves);
      done.push(name + "@" + view.state.selection.from + "-" + view.state.selection.to);
      run();
      view.state.doc.check();
    }
    return done;
  })(${seed}, ${EDITS})`);
const drawn = () =>
  page.evaluate(
    `document.querySelector("#rich-text").innerHTML.replace(/<br class="ProseMirror-trailingBreak">|<img class="ProseMirror-separator"[^>]*>| (?:draggable|contenteditable)="[^"]*"| ?ProseMirror-\\w+/g, "").replaceAll(' class=""', "")`,
  ) as Promise<string>;
const shown = async (slug: string) => {
  await page.goto(`/books/${book.slug}/page/${slug}/edit`);
  await page.getByRole("textbox", { name: "Content", exact: true }).waitFor();
};

/** HTML as the server stores it, without ids and line breaks. */
const plain = (html: string) =>
  html
    .replaceAll(/ id="bkmrk-[^"]*"/g, "")
    .replaceAll(/(checked|disabled)="[^"]*"/g, "$1")
    .replaceAll("\n", "");
const BLOCK = "(?:p|h[1-6]|li|t[dh]|div)";
const INLINE = "(?:strong|em|u|s|code|sub|sup|a|span)";
/** HTML without the white space that no browser shows, and elements around it. */
const folded = (html: string) =>
  html
    .replaceAll(/[ \t]+/g, " ")
    .replaceAll(new RegExp(` ((?:</?${INLINE}[^>]*>)+) `, "g"), " $1")
    .replaceAll(new RegExp(` +(?=(?:</${INLINE}>)*(?:</${BLOCK}>|<br>))`, "g"), "")
    .replaceAll(new RegExp(`(?<=(?:<${BLOCK}[^>]*>|<br>)(?:<${INLINE}[^>]*>)*) +`, "g"), "")
    .replaceAll(new RegExp(`<(${INLINE})[^>]*></\\1>`, "g"), "");

for (const seed of SEEDS)
  test(`what is left by random edits of seed ${seed} is the same when it is saved and opened again`, async () => {
    const { ask } = screens.runtime;
    const made = (await ask("POST", "/api/pages", { body: { book_id: book.id, name: `Seed ${seed}`, html: BEGUN } }))
      .body;
    await shown(made.slug);
    const edits = await edit(seed);
    const before = folded(await drawn());
    const written = String(await page.evaluate("new FormData(document.querySelector('#editor')).get('content')"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    const { raw_html } = (await ask("GET", `/api/pages/${made.id}`)).body;
    expect([plain(raw_html), edits]).toEqual([plain(written).trimEnd(), edits]);
    await shown(made.slug);
    expect([await page.getByRole("dialog").count(), folded(await drawn()), edits]).toEqual([0, before, edits]);
  });
