/** The bar and the drawer of the editor: saving without leaving, text that is kept in the browser, what belongs to the page beside its text. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";
import { until } from "../support/harness/until.ts";

setDefaultTimeout(60_000);

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body;
});
afterAll(() => screens.stop());

const newPage = async (name: string, body: object = { markdown: "before" }) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...body } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const revisions = async (id: number) =>
  (await screens.runtime.ask("GET", `/api/pages/${id}/revisions?sort=number`)).body.data as { summary: string }[];
const editorOf = (page: { slug: string }) => `/books/${book.slug}/page/${page.slug}/edit`;
const content = (page: Page) => page.getByLabel("Content in Markdown");
const saveButton = (page: Page) => page.getByRole("button", { name: "Save", exact: true });
const state = (page: Page) => page.locator("#draft-state");
const onThePage = (page: Page, slug: string) => page.waitForURL(`**/page/${slug}`);

test("by keyboard alone a page is saved and stays open, gets a note, and is saved and closed; two clicks save once", async () => {
  const made = await newPage("Keys");
  const page = await screens.visit();
  await page.goto(editorOf(made));
  await content(page).press("Control+End");
  await page.keyboard.type(" and after");
  await page.keyboard.press("Control+s");
  await state(page).getByText("Page saved at").waitFor();
  expect(await read(made.id)).toMatchObject({ markdown: "before and after", revision_count: 2 });
  expect(await content(page).evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.type("!");
  await page.getByText("Draft saved at").waitFor();
  // What the answer to a draft says of others.
  await page.evaluate(`document.querySelector("#editor").dispatchEvent(new CustomEvent("editor-kept", { detail: { others: [
    { name: "Ben", saved: true }, { name: "Cy", saved: false }] } }))`);
  expect(await page.locator("#editor-others").innerText()).toBe(
    "Ben has saved this page. Cy is also editing this page.",
  );
  await page.getByLabel("Name", { exact: true }).focus();
  // Save, save and continue, note.
  for (let tab = 0; tab < 3; tab++) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("#field-summary:focus").waitFor();
  await page.keyboard.type("An exclamation mark");
  expect(await errorsOf(page)).toEqual([]);
  await picture(page, "bar-note");
  await page.keyboard.press("Control+Enter");
  await onThePage(page, "keys");
  expect((await read(made.id)).markdown).toBe("before and after!");
  expect((await revisions(made.id)).map(({ summary }) => summary)).toEqual([
    "Initial publish",
    "",
    "An exclamation mark",
  ]);
  await page.getByText("The page is saved.").waitFor();

  await page.goto(editorOf(made));
  expect(await page.getByText("This is your unsaved draft").count()).toBe(0);
  await content(page).fill("Once");
  await saveButton(page).dblclick();
  await onThePage(page, "keys");
  expect((await revisions(made.id)).length).toBe(4);
});

test("a new page that is saved and stays open goes on as the editor of that page", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Fresh");
  await content(page).fill("One");
  await page.keyboard.press("Control+s");
  await page.waitForURL("**/page/fresh/edit");
  await content(page).fill("Two");
  await page.getByText("Draft saved at").waitFor();
  await page.keyboard.press("Control+s");
  await state(page).getByText("Page saved at").waitFor();
  const { data } = (await screens.runtime.ask("GET", "/api/pages?filter[name]=Fresh")).body;
  expect(data.length).toBe(1);
  expect(await read(data[0].id)).toMatchObject({ markdown: "Two", revision_count: 2 });
});

test("without a connection nothing is lost: the bar says so, the browser keeps the text, and the next opening offers it", async () => {
  const made = await newPage("Away");
  const page = await screens.visit();
  const context = page.context();
  await page.goto(editorOf(made));
  await context.setOffline(true);
  await content(page).fill("Written on the train");
  await page
    .getByText("The draft could not be saved: There is no connection. Your text is kept in this browser.")
    .waitFor();
  await saveButton(page).click();
  await page
    .getByText("The page could not be saved: There is no connection. Your text is kept in this browser.")
    .waitFor();
  expect(await page.locator("#field-content").inputValue()).toBe("Written on the train");
  await picture(page, "bar-offline");
  // As after a crash: nothing runs when the window is gone.
  const again = await context.newPage();
  await page.close({ runBeforeUnload: false });
  await context.setOffline(false);
  await again.goto(editorOf(made));
  const offer = again.getByText("This browser holds text that was not saved.");
  await offer.waitFor();
  await picture(again, "bar-offer");
  await again.getByRole("button", { name: "Show", exact: true }).click();
  await again.locator("pre").getByText("Written on the train").waitFor();
  await again.getByRole("button", { name: "Restore it" }).click();
  await again.getByText("This is your unsaved draft").waitFor();
  expect(await again.locator("#field-content").inputValue()).toBe("Written on the train");
  expect(await offer.count()).toBe(0);
  // A server that is busy is no screen of an error either.
  const busy = { status: 503, json: { error: { code: 503, message: "Too much to do" } } };
  await again.route("**/away/edit", (route) => route.fulfill(busy));
  await saveButton(again).click();
  await again.getByText("The page could not be saved: Too much to do. Your text is kept in this browser.").waitFor();
  await again.unroute("**/away/edit");
  await saveButton(again).click();
  await onThePage(again, "away");
  expect((await read(made.id)).markdown).toBe("Written on the train");
});

test("a copy is thrown away when it is asked, by a save, and by signing out", async () => {
  const made = await newPage("Copies");
  let page = await screens.visit();
  const context = page.context();
  const write = async (text: string) => {
    await page.goto(editorOf(made));
    await context.setOffline(true);
    await content(page).fill(text);
    await page.getByText("Your text is kept in this browser.").waitFor();
  };
  const reopen = async (path: string) => {
    const closed = page;
    page = await context.newPage();
    await closed.close({ runBeforeUnload: false });
    await context.setOffline(false);
    await page.goto(path);
  };
  const kept = () => page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('lectern-text')).length");
  await write("first");
  await reopen(editorOf(made));
  await page.getByRole("button", { name: "Throw it away" }).click();
  expect(await kept()).toBe(0);

  await write("second");
  await context.setOffline(false);
  await saveButton(page).click();
  await onThePage(page, "copies");
  expect([await kept(), (await read(made.id)).markdown]).toEqual([0, "second"]);

  await write("third");
  await reopen("/");
  expect(await kept()).toBe(1);
  await page.locator("header summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  expect(await kept()).toBe(0);
});

test("discarding asks first, and leaves neither draft nor copy", async () => {
  const made = await newPage("Discarded");
  const page = await screens.visit();
  await page.goto(editorOf(made));
  await content(page).fill("not this");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  const dialog = page.locator("dialog[open]");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await page.locator("#field-content").inputValue()).toBe("not this");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await dialog.getByRole("button", { name: "Discard" }).click();
  await onThePage(page, "discarded");
  await page.goto(editorOf(made));
  expect(await page.locator("#field-content").inputValue()).toBe("before");
  expect(await page.getByText("This browser holds text").count()).toBe(0);
});

test("the drawer has what belongs to the page: files, pictures, tags, place and owner", async () => {
  const made = await newPage("Drawer", { markdown: "Text", tags: [{ name: "state", value: "draft" }] });
  const { id: ben } = await screens.user("Ben", ["book-view-all"]);
  const chapter = (await screens.runtime.ask("POST", "/api/chapters", { body: { book_id: book.id, name: "Nights" } }))
    .body;
  const page = await screens.visit();
  await page.goto(editorOf(made));
  const files = page.locator("#drawer-files");
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await files
    .locator("input[type=file]")
    .setInputFiles([file("one.txt", "1"), file("two.txt", "2"), file("three.txt", "3")]);
  await files.getByRole("link", { name: "three.txt" }).waitFor();
  const act = async (name: string, action: string) => {
    await files.getByLabel(`Actions for “${name}”`).click();
    await files.getByRole("button", { name: action }).filter({ visible: true }).click();
  };
  const listed = async () => {
    const { data } = (await screens.runtime.ask("GET", `/api/attachments?sort=order&filter[uploaded_to]=${made.id}`))
      .body;
    return data.map(({ name }: { name: string }) => name);
  };
  await act("three.txt", "Move up");
  await files
    .locator("li", { hasText: "three.txt" })
    .locator("xpath=following-sibling::li")
    .getByText("two.txt")
    .waitFor();
  await act("one.txt", "Rename");
  await page.keyboard.type("First steps");
  await page.keyboard.press("Enter");
  await files.getByRole("link", { name: "First steps" }).waitFor();
  await act("two.txt", "Delete");
  const dialog = page.locator("dialog[open]");
  await dialog.getByText("Delete “two.txt”?").waitFor();
  expect(await errorsOf(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await files.getByRole("link", { name: "two.txt" }).waitFor({ state: "detached" });
  expect(await listed()).toEqual(["First steps", "three.txt"]);
  const chooser = page.waitForEvent("filechooser");
  await act("three.txt", "Replace");
  await (await chooser).setFiles(file("new.txt", "new"));
  await until(async () => {
    const { data } = (await screens.runtime.ask("GET", "/api/attachments?filter[name]=new.txt")).body;
    return data.length === 1;
  });
  await content(page).press("Control+End");
  await act("First steps", "Insert into the text");
  expect(await page.locator("#field-content").inputValue()).toMatch(/^Text\[First steps\]\(.*\/attachments\/\d+\)$/);
  await content(page).press("Control+z");
  expect(await page.locator("#field-content").inputValue()).toBe("Text");

  const body = new FormData();
  for (const [name, value] of Object.entries({ type: "gallery", uploaded_to: String(made.id), name: "Rack" }))
    body.set(name, value);
  body.set("image", new File([png()], "rack.png", { type: "image/png" }));
  await screens.runtime.ask("POST", "/api/image-gallery", { parts: body });
  await page.reload();
  await page.getByRole("button", { name: "Insert the picture “Rack”" }).click();
  expect(await page.locator("#field-content").inputValue()).toContain("/uploads/images/gallery/");

  await page.getByLabel("Tag name").nth(1).fill("sta");
  await page.locator("datalist option[value=state]").waitFor({ state: "attached" });
  await page.getByLabel("Tag name").nth(1).fill("state");
  await page.getByLabel("Value", { exact: true }).nth(1).focus();
  await page.locator("datalist option[value=draft]").waitFor({ state: "attached" });
  await page.getByLabel("Place", { exact: true }).selectOption({ label: "Runbooks › Nights" });
  await page.getByLabel("Owner").selectOption({ label: "Ben" });
  await picture(page, "drawer");
  expect(await errorsOf(page)).toEqual([]);
  await saveButton(page).click();
  await onThePage(page, "drawer");
  expect(await read(made.id)).toMatchObject({ chapter_id: chapter.id, owned_by: { id: ben } });
});

test("on a phone saving is in sight at any place, and the drawer is below the text", async () => {
  const made = await newPage("Phone", { markdown: "Line\n\n".repeat(60) });
  for (const scheme of ["light", "dark"] as const) {
    const page = await screens.visit(undefined, { size: "phone", scheme });
    await page.goto(editorOf(made));
    await content(page).waitFor();
    const inSight = () =>
      saveButton(page).evaluate((button) => {
        const { top, bottom, left, right } = button.getBoundingClientRect();
        return top >= 0 && bottom <= 844 && left >= 0 && right <= 390;
      });
    expect(await inSight()).toBe(true);
    await page.getByText("Note", { exact: true }).click();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await picture(page, `bar-phone-${scheme}`);
    await page.keyboard.press("Escape");
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    expect(await inSight()).toBe(true);
    expect(await page.getByLabel("Place", { exact: true }).isVisible()).toBe(false);
    await page.getByText("Details", { exact: true }).click();
    expect(await page.getByLabel("Place", { exact: true }).isVisible()).toBe(true);
    await picture(page, `drawer-phone-${scheme}`);
    expect(await errorsOf(page)).toEqual([]);
  }
});

test("without scripts the bar and the drawer are a plain form", async () => {
  const made = await newPage("Bare");
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto(editorOf(made));
  await content(page).fill("after");
  await page.getByText("Note", { exact: true }).click();
  await page.getByLabel("What did you change?").fill("By hand");
  await page.getByLabel("Tag name").first().fill("state");
  await page.getByLabel("Place", { exact: true }).selectOption({ label: "Runbooks › Nights" });
  await page.getByRole("button", { name: "Save and continue" }).click();
  expect(new URL(page.url()).pathname).toBe(editorOf(made));
  expect(await page.getByText("The page is saved.").count()).toBe(1);
  expect(await read(made.id)).toMatchObject({
    markdown: "after",
    chapter_id: expect.any(Number),
    tags: [{ name: "state" }],
  });
  expect((await revisions(made.id)).at(-1)?.summary).toBe("By hand");
  await page.getByRole("button", { name: "Discard", exact: true }).click();
  await page.getByRole("heading", { name: "Discard your draft?" }).waitFor();
  await page.getByRole("button", { name: "Discard", exact: true }).click();

  await page.goto(`/books/${book.slug}/page/bare/attachments`);
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
  await page.getByLabel("Files").setInputFiles([file("a.txt"), file("b.txt")]);
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("button", { name: "Edit b.txt" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Second");
  await page.getByLabel("Position on the page").fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("tbody tr").first().textContent()).toContain("Second");
});
