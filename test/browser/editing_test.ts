/** Editing in a browser: creating and changing content, images in the text, drafts, two editors at once. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;

let screens: ScreenRuntime;
let book: { id: number; slug: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body;
});
afterAll(() => screens.stop());

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const editorOf = (page: { slug: string }) => `/books/${book.slug}/page/${page.slug}/edit`;
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `editing-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

test("a book, a chapter and a shelf are made, changed and deleted by their forms", async () => {
  const page = await screens.visit();
  await page.goto("/create-book");
  await sound(page, "new-book");
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("Description").fill("For those on call");
  await page
    .getByLabel("Cover")
    .setInputFiles({ name: "cover.png", mimeType: "image/png", buffer: Buffer.from(png()) });
  await page.getByLabel("Tag name").first().fill("team");
  await page.getByLabel("Value").first().fill("ops");
  await page.getByRole("button", { name: "Add a tag" }).click();
  await page.getByLabel("Tag name").nth(2).fill("state");
  await save(page);
  const { data } = (await screens.runtime.ask("GET", "/api/books?sort=-id&count=1")).body;
  const made = (await screens.runtime.ask("GET", `/api/books/${data[0].id}`)).body;
  expect(made).toMatchObject({ name: NASTY, description: "For those on call", cover: { type: "cover_book" } });
  expect(made.tags.map(({ name, value }: { name: string; value: string }) => `${name}=${value}`)).toEqual([
    "team=ops",
    "state=",
  ]);
  await page.goto(`/books/${made.slug}/edit`);
  await sound(page, "edit-book");
  expect(await page.locator("h1").textContent()).toContain(NASTY);
  await page.getByLabel("Name", { exact: true }).fill("");
  await page.locator("form[action$=edit]").evaluate((form) => form.setAttribute("novalidate", ""));
  await save(page);
  expect(await page.getByText("The name must be at least 1 characters.").count()).toBe(1);
  expect(await page.getByLabel("Description").inputValue()).toBe("For those on call");
  await page.getByLabel("Name", { exact: true }).fill("On call");
  await page.getByLabel("Remove the current cover").check();
  await save(page);
  expect((await screens.runtime.ask("GET", `/api/books/${made.id}`)).body).toMatchObject({
    name: "On call",
    cover: null,
  });

  await page.goto("/books/on-call/create-chapter");
  await sound(page, "new-chapter");
  await page.getByLabel("Name", { exact: true }).fill("Nights");
  await save(page);
  await page.goto("/books/on-call/chapter/nights/move");
  await sound(page, "move-chapter");
  await page.getByRole("radio", { name: "Runbooks" }).check();
  await page.getByRole("button", { name: "Move" }).click();
  expect(new URL(page.url()).pathname).toBe("/books/runbooks/chapter/nights");

  await page.goto("/create-shelf");
  await page.getByLabel("Name", { exact: true }).fill("Desk");
  await page.getByRole("button", { name: "Add “On call” to the shelf" }).click();
  await page.getByRole("button", { name: "Remove “On call” from the shelf" }).waitFor();
  await page.getByRole("button", { name: "Add “Runbooks” to the shelf" }).click();
  await page.getByRole("button", { name: "Remove “Runbooks” from the shelf" }).waitFor();
  await sound(page, "new-shelf");
  await save(page);
  const shelves = (await screens.runtime.ask("GET", "/api/shelves?filter[slug]=desk")).body.data;
  const shelf = (await screens.runtime.ask("GET", `/api/shelves/${shelves[0].id}`)).body;
  expect(shelf.books.map(({ name }: { name: string }) => name)).toEqual(["On call", "Runbooks"]);

  await page.goto("/books/on-call/delete");
  await sound(page, "delete-book");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Cancel");
  await page.getByRole("button", { name: "Delete" }).click();
  expect((await screens.runtime.ask("GET", `/api/books/${made.id}`)).status).toBe(404);
});

test("a form finds its book, chapter and shelf though they were renamed meanwhile", async () => {
  const { ask } = screens.runtime;
  const book = (await ask("POST", "/api/books", { body: { name: "Early book" } })).body;
  const chapter = (await ask("POST", "/api/chapters", { body: { book_id: book.id, name: "Early chapter" } })).body;
  const shelf = (await ask("POST", "/api/shelves", { body: { name: "Early shelf", books: [book.id] } })).body;
  const forms = [
    ["/books/early-book/chapter/early-chapter/edit", `/api/chapters/${chapter.id}`],
    ["/books/early-book/edit", `/api/books/${book.id}`],
    ["/shelves/early-shelf/edit", `/api/shelves/${shelf.id}`],
  ] as const;
  const page = await screens.visit();
  for (const [form, path] of forms) {
    await page.goto(form);
    await page.getByLabel("Description").fill("Written slowly");
    await ask("PUT", path, { body: { name: `Late ${path}` } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    expect((await ask("GET", path)).body.description).toBe("Written slowly");
  }
});

test("a page is written in Markdown with a live preview, a picture pasted, and tags", async () => {
  const page = await screens.visit();
  await page.goto(`/books/${book.slug}/create-page`);
  await page.getByLabel("Name", { exact: true }).fill("Failover");
  await page.getByLabel("Content in Markdown").fill("# Call the DBA\n\nAt **any** hour. <script>alert(1)</script>");
  await page.locator("#preview strong").waitFor();
  expect(await page.locator("#preview script").count()).toBe(0);
  await sound(page, "new-page");
  await save(page);
  await page.waitForURL((url) => url.pathname === `/books/${book.slug}/page/failover`);
  const { data } = (await screens.runtime.ask("GET", "/api/pages?filter[slug]=failover")).body;
  await page.goto(editorOf({ slug: "failover" }));
  await page.getByLabel("Content in Markdown").focus();
  // As a string, since the types of browsers are not those of tests.
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([${[...png()]}])], "rack.png", { type: "image/png" }));
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }`);
  await page.locator("#preview img").waitFor();
  await save(page);
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
  const saved = await read(data[0].id);
  expect(saved.markdown).toMatch(/!\[rack\.png\]\(http[^)]+\/uploads\/images\/gallery\//);
  expect((await screens.runtime.ask("GET", "/api/image-gallery")).body.data).toHaveLength(1);
});

test("what is typed survives a closed window, is offered again, and can be thrown away", async () => {
  const made = await newPage("Draft me", { markdown: "as saved" });
  const page = await screens.visit();
  await page.goto(editorOf(made));
  await page.getByLabel("Content in Markdown").fill("as typed");
  await page.getByText("Draft saved at").waitFor();
  await page.context().close();
  expect((await read(made.id)).markdown).toBe("as saved");
  const again = await screens.visit();
  await again.goto(editorOf(made));
  expect(await again.locator("#field-content").inputValue()).toBe("as typed");
  expect(await again.getByText("This is your unsaved draft").count()).toBe(1);
  await sound(again, "draft");
  await again.getByRole("button", { name: "Discard the draft" }).click();
  await again.goto(editorOf(made));
  expect(await again.locator("#field-content").inputValue()).toBe("as saved");
});

test("of two editors the second is warned, shown the difference, and decides", async () => {
  const made = await newPage("Both", { markdown: "one two three" });
  const { email, password } = await screens.user("Ben", ["book-view-all", "page-view-all", "page-update-all"]);
  const [ann, ben] = [await screens.visit(), await screens.visit({ email, password })];
  await ann.goto(editorOf(made));
  await ben.goto(editorOf(made));
  await ben.getByLabel("Content in Markdown").fill("one two four");
  await ben.getByText("Draft saved at").waitFor();
  await ann.reload();
  expect(await ann.getByText("Ben is also editing this page.").count()).toBe(1);
  await save(ben);
  await ben.waitForURL((url) => !url.pathname.endsWith("/edit"));
  await ann.getByLabel("Content in Markdown").fill("one five three");
  await save(ann);
  await ann.getByRole("heading", { name: "Two changes of “Both”" }).waitFor();
  expect(await ann.locator(".collision .shown-changes").allInnerTexts()).toEqual([
    "one twofive three",
    "one two threefour",
  ]);
  expect((await read(made.id)).markdown).toBe("one two four");
  await sound(ann, "conflict");
  await ann.getByRole("radio", { name: "Mine", exact: true }).check();
  await save(ann);
  await ann.waitForURL((url) => !url.pathname.endsWith("/edit"));
  expect((await read(made.id)).markdown).toBe("one five three");
});

test("without scripts a page is looked at, saved, moved, copied and deleted all the same", async () => {
  const made = await newPage("Plain", { html: "<p>plain</p>" });
  const page = await screens.visit(undefined, { scripts: false });
  await page.goto(editorOf(made));
  await page.getByLabel("Content in HTML").fill("<p>look <em>here</em></p>");
  await page.getByRole("button", { name: "Preview" }).click();
  expect(await page.locator("#preview em").textContent()).toBe("here");
  await save(page);
  expect((await read(made.id)).raw_html).toContain("<em>here</em>");
  const path = `/books/${book.slug}/page/plain`;
  await page.goto(`${path}/copy`);
  await page.getByLabel("Name", { exact: true }).fill("Plain again");
  await page.getByRole("radio", { name: "Runbooks", exact: true }).check();
  await page.getByRole("button", { name: "Copy" }).click();
  expect(new URL(page.url()).pathname).toBe(`/books/${book.slug}/page/plain-again`);
  await page.goto(`${path}/move?q=Night`);
  await page.getByRole("radio", { name: "Runbooks › Nights" }).check();
  await page.getByRole("button", { name: "Move" }).click();
  expect((await read(made.id)).chapter_id).toBeGreaterThan(0);
  await page.goto(`${path}/delete`);
  await page.getByRole("button", { name: "Delete" }).click();
  expect((await screens.runtime.ask("GET", `/api/pages/${made.id}`)).status).toBe(404);
});

test("files and links are hung on a page and taken away", async () => {
  const made = await newPage("Files", { html: "<p>x</p>" });
  const page = await screens.visit();
  const path = `/books/${book.slug}/page/files/attachments`;
  await page.goto(path);
  await page.getByLabel("Name", { exact: true }).fill(NASTY);
  await page.getByLabel("Files").setInputFiles({ name: "map.txt", mimeType: "text/plain", buffer: Buffer.from("map") });
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Elsewhere");
  await page.getByLabel("Or the URL of a link").fill("javascript:alert(1)");
  await page.getByRole("button", { name: "Add" }).click();
  expect(await page.getByText("The provided link may not be safe.").count()).toBe(1);
  await page.getByLabel("Or the URL of a link").fill("https://example.com");
  await page.getByRole("button", { name: "Add" }).click();
  await sound(page, "attachments");
  const plain = await screens.visit(undefined, { size: "phone", scripts: false });
  await plain.goto(path);
  const names = () => plain.locator("tbody tr td:first-child").allTextContents();
  expect((await names()).map((name) => name.trim())).toEqual([NASTY, "Elsewhere"]);
  expect(await plain.getByRole("button", { name: "Move “Elsewhere” down" }).isDisabled()).toBe(true);
  await plain.getByRole("button", { name: "Move “Elsewhere” up" }).click();
  await plain.getByText("The attachment is saved.").waitFor();
  expect((await names()).map((name) => name.trim())).toEqual(["Elsewhere", NASTY]);
  await plain.getByRole("button", { name: "Move “Elsewhere” down" }).click();
  await plain.getByText("The attachment is saved.").waitFor();
  expect((await names()).map((name) => name.trim())).toEqual([NASTY, "Elsewhere"]);
  await page.getByRole("button", { name: "Delete" }).first().click();
  await page.locator("dialog[open]").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The attachment is deleted.").waitFor();
  expect((await screens.runtime.ask("GET", `/api/attachments?filter[uploaded_to]=${made.id}`)).body.total).toBe(1);
});

test("who may not write is refused, whatever they send", async () => {
  const { email, password } = await screens.user("Cy", ["book-view-all", "page-view-all"]);
  const made = await newPage("Not yours", { html: "<p>x</p>" });
  const page = await screens.visit({ email, password });
  for (const path of [editorOf(made), `/books/${book.slug}/create-page`, "/create-book"]) {
    await page.goto(path);
    expect(await page.locator("main").textContent()).toContain("You do not have permission");
  }
  const refused = await page.request.post(editorOf(made), {
    form: { name: "Mine", source: "html", content: "<p>mine</p>" },
  });
  expect(refused.status()).toBe(403);
  expect((await read(made.id)).name).toBe("Not yours");
});

test("the editor fits a phone in the dark", async () => {
  const made = await newPage("Small", { markdown: "# Small\n\n| a | b |\n|---|---|\n| 1 | 2 |" });
  const page = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  await page.goto(editorOf(made));
  await sound(page, "phone-dark");
});
