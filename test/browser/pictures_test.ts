/** Images in the editor: picked, pasted and dropped, into new pages and existing ones, never as base64 in the text. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens({ env: { FILE_UPLOAD_SIZE_LIMIT: "1" } });
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Shown" } })).body;
});
afterAll(() => screens.stop());

const content = (page: Page) => page.getByLabel("Content in Markdown");
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const file = (name: string, mimeType = "image/png", bytes: Uint8Array = png()) => ({
  name,
  mimeType,
  buffer: Buffer.from(bytes),
});
const pageBy = async (slug: string) => {
  const { data } = (await screens.runtime.ask("GET", `/api/pages?filter[slug]=${slug}`)).body;
  return (await screens.runtime.ask("GET", `/api/pages/${data[0].id}`)).body;
};
const namesIn = (markdown: string) =>
  [...markdown.matchAll(/!\[([^\]]+)\]\(http[^)]+\/uploads\/images\/gallery\//g)].map(([, name]) => name);

/** Passes files to the text as a paste or a drop would. */
const give = (page: Page, event: "paste" | "drop", names: readonly string[]) =>
  page.evaluate(`{
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)})
      data.items.add(new File([new Uint8Array([${[...png()]}])], name, { type: name.endsWith(".png") ? "image/png" : "image/tiff" }));
    const target = document.querySelector("#source-text, #rich-text");
    const { left, bottom } = target.lastElementChild.getBoundingClientRect();
    const how = { bubbles: true, cancelable: true, clientX: left + 400, clientY: bottom - 2 };
    target.dispatchEvent("${event}" === "paste"
      ? new ClipboardEvent("paste", { ...how, clipboardData: data })
      : new DragEvent("drop", { ...how, dataTransfer: data }));
  }`);

test("a new page takes pictures that are picked, pasted and dropped, in their order, and no base64", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Racks");
  await content(page).fill("Before\n\nAfter");
  for (const key of ["Control+Home", "ArrowDown"]) await page.keyboard.press(key, { delay: 20 });
  await page.getByLabel("Add images").setInputFiles([file("one.png"), file("two.png"), file("three.png")]);
  await page.locator("#preview img[src*='gallery']").nth(2).waitFor();
  const written = await page.locator("#field-content").inputValue();
  expect(namesIn(written)).toEqual(["one.png", "two.png", "three.png"]);
  expect(written).toStartWith("Before\n\n![one.png]");
  expect(written).toEndWith(")\n\nAfter");
  await give(page, "paste", ["four.png"]);
  await page.locator("#preview img[src*='gallery']").nth(3).waitFor();
  await give(page, "drop", ["five.png"]);
  await page.locator("#preview img[src*='gallery']").nth(4).waitFor();
  await picture(page, "pictures-new-page");
  expect(await errorsOf(page)).toEqual([]);
  // Until it is saved nobody else sees it; then it is one page, created once.
  const ask = screens.runtime.ask;
  const reader = await screens.runtime.person("Reader", ["access-api", "page-view-all", "book-view-all"]);
  expect((await ask("GET", "/api/pages", { as: reader.token })).body.total).toBe(0);
  await save(page);
  await page.waitForURL("**/page/racks");
  const made = await pageBy("racks");
  expect(made.markdown).not.toContain("base64");
  expect(namesIn(made.markdown)).toEqual(["one.png", "two.png", "three.png", "four.png", "five.png"]);
  expect([made.draft, made.revision_count]).toEqual([false, 1]);
  const gallery = (await ask("GET", `/api/image-gallery?filter[uploaded_to]=${made.id}`)).body;
  expect(gallery.total).toBe(5);
  expect((await ask("GET", "/api/pages", { as: reader.token })).body.total).toBe(1);
  const log = (await ask("GET", "/api/audit-log?filter[type]=page_create")).body;
  expect(log.total).toBe(1);
});

test("saving waits for pictures that are on their way", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Hasty");
  await page.route("**/editor/picture/*", async (route) => {
    await page.getByText("Images are still uploading").waitFor();
    await route.continue();
  });
  await page.getByLabel("Add images").setInputFiles(file("slow.png"));
  await save(page);
  await page.waitForURL("**/page/hasty");
  expect(namesIn((await pageBy("hasty")).markdown)).toEqual(["slow.png"]);
});

test("files that are refused are listed by name, and the text stays", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Faults");
  await content(page).fill("Kept");
  const errors = page.locator("#uploads [role=alert]");
  await page.getByLabel("Add images").setInputFiles([file("big.png", "image/png", new Uint8Array(2_000_000))]);
  expect(await errors.allTextContents()).toEqual(["big.png is larger than 1 MB."]);
  await give(page, "drop", ["old.tiff", "fine.png"]);
  expect(await errors.allTextContents()).toEqual([
    "old.tiff is not a supported image. Supported formats: JPEG, PNG, GIF, WebP and AVIF.",
  ]);
  await page.locator("#preview img[src*='gallery']").waitFor();
  await page
    .getByLabel("Add images")
    .setInputFiles(file("lie.png", "image/png", new TextEncoder().encode("no picture")));
  await errors.filter({ hasText: "lie.png: " }).waitFor();
  await picture(page, "pictures-faults");
  expect(await errorsOf(page)).toEqual([]);
  await page.route("**/editor/picture/*", (route) => route.abort());
  await page.getByLabel("Add images").setInputFiles(file("lost.png"));
  await errors.filter({ hasText: "lost.png could not be uploaded" }).waitFor();
  const written = await page.locator("#field-content").inputValue();
  expect(written).toStartWith("Kept");
  expect(namesIn(written)).toEqual(["fine.png"]);
  expect(written).not.toContain("Uploading");
});

test("a writer who may not add images gets a message", async () => {
  const who = await screens.user("Dee", ["book-view-all", "page-view-all", "page-create-all"]);
  const page = await screens.visit(who);
  await page.goto(`/books/${book.slug}/create-page`);
  await content(page).fill("Words of Dee");
  await page.getByLabel("Add images").setInputFiles(file("mine.png"));
  await page.locator("#uploads [role=alert]").filter({ hasText: "You do not have permission" }).waitFor();
  expect((await page.locator("#field-content").inputValue()).trim()).toBe("Words of Dee");
});

test("without scripts chosen pictures are added to the text, which comes back with them", async () => {
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Plain");
  await content(page).fill("Words");
  await page.getByLabel("Add images").setInputFiles([file("a.png"), file("b.pdf", "application/pdf"), file("c.png")]);
  await page.getByRole("button", { name: "Add selected images" }).click();
  const written = await page.locator("#field-content").inputValue();
  expect(written).toStartWith("Words\n\n![a.png](http");
  expect(namesIn(written)).toEqual(["a.png", "c.png"]);
  expect(await page.locator(".editor-pictures .fault").textContent()).toContain("b.pdf: ");
  expect(await page.locator("#preview img").count()).toBe(2);
  await picture(page, "pictures-without-scripts");
  await page.getByLabel("Add images").setInputFiles(file("d.png"));
  await save(page);
  const made = await pageBy("plain");
  expect(namesIn(made.markdown)).toEqual(["a.png", "c.png", "d.png"]);
  expect((await screens.runtime.ask("GET", `/api/image-gallery?filter[uploaded_to]=${made.id}`)).body.total).toBe(3);
  await page.goto(`/books/${book.slug}/page/plain/edit`);
  await page.getByLabel("Add images").setInputFiles(file("e.png"));
  await save(page);
  expect(namesIn((await pageBy("plain")).markdown)).toEqual(["a.png", "c.png", "d.png", "e.png"]);
});

test("a draft that is opened again shows its own text, from its book as well, and what is erased is no draft", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Half done");
  await content(page).fill("**as drafted**");
  await page.getByText("Draft saved at").waitFor();
  await page.goto(`/books/${book.slug}`);
  await page.getByRole("link", { name: "Half done" }).first().click();
  expect(await page.locator("#preview strong").textContent()).toBe("as drafted");
  await picture(page, "pictures-reopened");
  expect(await errorsOf(page)).toEqual([]);
  await page.getByRole("button", { name: "Discard the draft" }).click();
  const drafts = async () =>
    (await screens.runtime.ask("GET", "/api/pages?filter[draft]=true&filter[name]=Half done")).body.total;
  expect(await drafts()).toBe(0);
  const edited = await pageBy("racks");
  await page.goto(`/books/${book.slug}/page/racks/edit`);
  await content(page).fill("*another text*");
  await page.getByText("Draft saved at").waitFor();
  await page.reload();
  expect(await page.locator("#preview em").textContent()).toBe("another text");
  expect(edited.markdown).not.toContain("another text");

  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Half done");
  await page.getByText("Draft saved at").waitFor();
  expect(await drafts()).toBe(1);
  const gone = page.waitForResponse("**/editor/draft/**");
  await page.getByLabel("Name", { exact: true }).fill("");
  await gone;
  expect(await drafts()).toBe(0);
});

test("one draft in two windows: the second is warned, shown the difference, and decides", async () => {
  const one = await screens.visit();
  await one.goto(`/books/${book.slug}/create-page`);
  await one.getByLabel("Name", { exact: true }).fill("Twice");
  await content(one).fill("one text");
  await one.getByText("Draft saved at").waitFor();
  const two = await one.context().newPage();
  await two.goto(`/books/${book.slug}/create-page`);
  await two.getByRole("link", { name: "Twice" }).click();
  await content(two).fill("second text");
  await two.getByText("Draft saved at").waitFor();
  await content(one).fill("first text");
  await one.getByText("This draft was changed in another window").waitFor();
  await save(one);
  await one.getByRole("heading", { name: "You changed this draft in another window" }).waitFor();
  await picture(one, "pictures-two-windows");
  expect(await one.locator(".difference del").allTextContents()).toEqual(["Removed: second"]);
  expect(await errorsOf(one)).toEqual([]);
  await one.getByRole("button", { name: "Overwrite that change" }).click();
  await one.waitForURL("**/page/twice");
  expect((await pageBy("twice")).markdown).toBe("first text");
});

test("a new page that was saved in one window is made a second time in another only after that was said", async () => {
  const one = await screens.visit();
  await one.goto(`/books/${book.slug}/create-page`);
  await one.getByLabel("Name", { exact: true }).fill("Made once");
  await content(one).fill("text");
  await one.getByText("Draft saved at").waitFor();
  const two = await one.context().newPage();
  await two.goto(`/books/${book.slug}/create-page`);
  await two.getByRole("link", { name: "Made once" }).click();
  await save(one);
  await one.waitForURL("**/page/made-once");
  await content(two).fill("more text");
  await two.getByText("saved as a page or thrown away in another window").waitFor();
  await save(two);
  await two.getByText("Save it again to create another page").waitFor();
  expect(await two.locator("#field-content").inputValue()).toBe("more text");
  expect(await errorsOf(two)).toEqual([]);
  const made = async () => (await screens.runtime.ask("GET", "/api/pages?filter[name]=Made once")).body.total;
  expect(await made()).toBe(1);
  await save(two);
  await two.waitForURL("**/page/made-once-*");
  expect(await made()).toBe(2);
});

test("one page that is changed in two windows: neither overwrites what the other has kept", async () => {
  const made = (
    await screens.runtime.ask("POST", "/api/pages", {
      body: { book_id: book.id, name: "Changed twice", markdown: "old" },
    })
  ).body;
  const one = await screens.visit();
  const two = await one.context().newPage();
  const path = `/books/${book.slug}/page/${made.slug}/edit`;
  for (const page of [one, two]) await page.goto(path);
  await content(one).fill("from the first");
  await one.getByText("Draft saved at").waitFor();
  await content(two).fill("from the second");
  await two.getByText("This draft was changed in another window").waitFor();
  await one.reload();
  expect(await one.locator("#field-content").inputValue()).toBe("from the first");
  expect(await two.locator("#field-content").inputValue()).toBe("from the second");
});
