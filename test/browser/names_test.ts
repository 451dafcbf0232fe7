/**
 * Names in content shadow nothing: neither ids that the screens use, where such names are removed, nor properties that the
 * screens' scripts read, which work even where a document is full of them.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
/** Built-ins that the screens' scripts and htmx use, of documents, forms and windows. */
const BUILT_IN =
  "getElementById querySelector querySelectorAll createElement execCommand adoptNode body documentElement addEventListener dataset elements requestSubmit submit dispatchEvent cookie".split(
    " ",
  );
const DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw=";
const HOSTILE = BUILT_IN.map(
  (name) =>
    `<img name="${name}" id="${name}" alt="x" src="/favicon.svg"><input type="checkbox" name="${name}" id="${name}"><p><a id="${name}" name="${name}">x</a></p>`,
).join("");

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Names" } })).body;
});
afterAll(() => screens.stop());

const newPage = async (name: string, html: string) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, html } })).body;
const pathOf = ({ slug }: { slug: string }) => `/books/${book.slug}/page/${slug}`;
/** Names that are shadowed on the document, the window, and the first form. */
const shadowed = (page: Page) =>
  page.evaluate(`${JSON.stringify(BUILT_IN)}.filter((name) =>
    [document, window, ...document.forms].some((place) => place[name] instanceof Element && !["body", "documentElement"].includes(name) ||
      (["body", "documentElement"].includes(name) && place === document && !["BODY", "HTML"].includes(place[name].tagName))))`);
/** Puts unfiltered markup into every document that the browser loads. */
const inject = (page: Page, markup: string) =>
  page.route(
    (url) => url.protocol === "http:",
    async (route) => {
      if (route.request().resourceType() !== "document") return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace(/<main[^>]*>/, (main) => main + markup);
      return route.fulfill({ response, body });
    },
  );

test("what is shown of a page shadows nothing, and its anchors lead where they led", async () => {
  const long = "<p>x</p>".repeat(200);
  const made = await newPage(
    "Hostile",
    `${HOSTILE}<p id="bkmrk-there"><a href="#bkmrk-end">down</a> <a href="#old">further</a></p>${long}<h2 id="bkmrk-end">End</h2>${long}<p><a name="old">Old</a></p>`,
  );
  expect(made.html).toContain('name="getElementById"');
  const page = await screens.visit();
  await page.goto(pathOf(made));
  expect(await shadowed(page)).toEqual([]);
  expect(await page.locator("time[data-local]").count()).toBeGreaterThan(0);
  expect(await errorsOf(page).then((errors) => errors.filter((error) => !error.startsWith("label")))).toEqual([]);
  for (const [link, target] of [
    ["down", "#bkmrk-end"],
    ["further", "a[name=old]"],
  ] as const) {
    await page.getByRole("link", { name: link }).click();
    await page.waitForFunction(
      `(({ top }) => top >= -2 && top < innerHeight)(document.querySelector(${JSON.stringify(target)}).getBoundingClientRect())`,
    );
  }
  await page.locator("a[data-dialog]").first().dispatchEvent("click");
  await page.locator("#dialog[open] .confirm").waitFor();
});

test("the editor keeps drafts and shows a preview whatever the preview is called", async () => {
  const made = await newPage("Edited", "<p>before</p>");
  const page = await screens.visit();
  await page.goto(`${pathOf(made)}/edit`);
  await page.getByRole("button", { name: "Source" }).click();
  await page.locator(".cm-content").fill(`${HOSTILE}<p>typed</p>`);
  await page.locator("#preview").getByText("typed").waitFor();
  expect(await shadowed(page)).toEqual([]);
  await page.getByText("Draft saved at").waitFor();
  expect(await errorsOf(page).then((errors) => errors.filter((error) => /rror/.test(error)))).toEqual([]);
});

test("the rich editor shows such a page, which shadows nothing there either", async () => {
  const made = await newPage("Rich", `${HOSTILE}<p>before</p>`);
  // The writer may have chosen the other editor before.
  await screens.runtime.ask("PUT", "/api/users/me", { body: { editor: "rich" } });
  const page = await screens.visit();
  await page.goto(`${pathOf(made)}/edit`);
  await page.getByRole("textbox", { name: "Content", exact: true }).getByText("before").waitFor();
  expect(await shadowed(page)).toEqual([]);
  expect(await errorsOf(page).then((errors) => errors.filter((error) => /rror/.test(error)))).toEqual([]);
});

test("the scripts work in a document that is full of such names", async () => {
  const made = await newPage("Injected", "<p>before</p>");
  const page = await screens.visit();
  // The test itself reads the document by some of them.
  const ours = new Set(["querySelectorAll", "documentElement", "dispatchEvent"]);
  const marks = BUILT_IN.filter((name) => !ours.has(name))
    .map((name) => `<img name="${name}" alt="" src="${DOT}">`)
    .join("");
  await inject(page, marks);
  const errors: string[] = [];
  // htmx and the editors read properties of the document as well; the filter guards them.
  page.on("pageerror", ({ stack = "" }) => void (/htmx|editor_rich|editor_source/.test(stack) || errors.push(stack)));
  await page.goto(pathOf(made));
  expect(await page.evaluate("document.getElementById instanceof Element")).toBe(true);
  expect(await page.locator("time[data-local]").count()).toBeGreaterThan(0);
  await page.locator("a[data-dialog]").first().dispatchEvent("click");
  await page.locator("#dialog[open] .confirm").waitFor();
  await page.goto(`${pathOf(made)}/edit`);
  await page.locator("textarea[name=content]").fill("<p>typed among names</p>");
  await page.getByText("Draft saved at").waitFor();
  expect(errors).toEqual([]);
});
