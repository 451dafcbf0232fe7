/** Two people write one page at once: they are told while they write, their changes are merged, and they decide what collides. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(60_000);
const WRITER = ["book-view-all", "page-view-all", "page-update-all", "revision-view-all"];

let screens: ScreenRuntime;
let book: { id: number; slug: string };
let ben: { email: string; password: string };
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Shared" } })).body;
  ben = await screens.user("Ben", WRITER);
});
afterAll(() => screens.stop());

const newPage = async (name: string, content: object) =>
  (await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book.id, name, ...content } })).body;
const read = async (id: number) => (await screens.runtime.ask("GET", `/api/pages/${id}`)).body;
const editorOf = (page: { slug: string }) => `/books/${book.slug}/page/${page.slug}/edit`;
const content = (page: Page) => page.getByLabel("Content in Markdown");
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();
const left = (page: Page) => page.waitForURL((url) => !url.pathname.endsWith("/edit"));

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `conflict-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

/** Ben saves a page by its editor. */
async function benSaves(made: { slug: string }, text: string): Promise<Page> {
  const page = await screens.visit(ben);
  await page.goto(editorOf(made));
  await content(page).fill(text);
  await save(page);
  await left(page);
  return page;
}

test("a writer is told while writing that another one saves, and changes of other passages are merged", async () => {
  const made = await newPage("Rota", { markdown: "Ada is on call.\n\nThe end." });
  const ann = await screens.visit();
  await ann.goto(editorOf(made));
  await content(ann).fill("Ada is on call.\n\nThe very end.");
  await ann.getByText("Draft saved at").waitFor();
  await benSaves(made, "Bob is on call.\n\nThe end.");
  await content(ann).press("End");
  await content(ann).press("!");
  const notice = ann.getByRole("status").filter({ hasText: "Ben saved this page while you write." });
  await notice.waitFor();
  await sound(ann, "told");
  const [tab] = await Promise.all([ann.waitForEvent("popup"), notice.getByRole("link").click()]);
  await tab.getByRole("heading", { name: "Changes of “Rota”" }).waitFor();
  expect(await tab.locator(".difference ins").first().textContent()).toBe("Added: Bob");
  expect(await ann.locator("#field-content").inputValue()).toContain("The very end");
  await save(ann);
  await left(ann);
  const saved = ann.getByRole("status").filter({ hasText: "The page is saved, with the change of Ben." });
  await sound(ann, "merged");
  expect((await read(made.id)).markdown).toMatch(/^Bob is on call\.!?\n\nThe very end\.!?$/);
  await saved.getByRole("link", { name: "Show what changed" }).click();
  expect(await ann.locator(".difference ins").first().textContent()).toBe("Added: Bob");
});

test("a save that stays shows what was merged", async () => {
  const made = await newPage("Stay", { markdown: "one\n\ntwo" });
  const ann = await screens.visit();
  await ann.goto(editorOf(made));
  await benSaves(made, "one\n\nsecond");
  await content(ann).fill("first\n\ntwo");
  await ann.keyboard.press("Control+s");
  await ann.getByText("The page is saved, with the change of Ben.").waitFor();
  expect(await ann.locator("#field-content").inputValue()).toBe("first\n\nsecond");
  expect((await read(made.id)).markdown).toBe("first\n\nsecond");
  expect(await ann.getByText("This browser holds text").count()).toBe(0);
});

test("who does not type is told after a while too, and not while the window is hidden", async () => {
  const made = await newPage("Quiet", { markdown: "one" });
  const ann = await screens.visit();
  await ann.clock.install();
  await ann.goto(editorOf(made));
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { markdown: "two" } });
  const asked: string[] = [];
  ann.on("request", (request) => {
    if (request.method() === "GET" && request.url().includes("/editor/draft/")) asked.push(request.url());
  });
  await ann.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })");
  await ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await ann.clock.runFor("01:00:00");
  expect(asked).toEqual([]);
  await ann.evaluate("delete document.hidden");
  await ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await ann.getByText("You saved this page in another window.").waitFor();
  await ann.clock.runFor("24:00:00");
  expect(asked.length).toBeWithin(2, 60);
});

test("what collides is decided by keyboard, and the choices are kept when it is saved once more meanwhile", async () => {
  const passages = ["Ada is on call.", "Nights are hard.", "The end."];
  const tags = [{ name: "state", value: "new" }];
  const made = await newPage("Decide", { markdown: passages.join("\n\n"), tags });
  const ann = await screens.visit();
  await ann.goto(editorOf(made));
  const theirs = ["Bob is on call.", "Nights are quiet.", "The end."];
  const body = { markdown: theirs.join("\n\n"), name: "Decided", tags: [{ name: "state", value: "done" }] };
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body });
  await content(ann).fill("Eve is on call.\n\nNights are long.\n\nThe end, then.");
  await ann.getByLabel("Value").first().fill("draft");
  await save(ann);
  await ann.getByRole("heading", { name: "Two changes of “Decided”" }).waitFor();
  await sound(ann, "asked");
  expect(await ann.locator("fieldset.collision legend").allTextContents()).toEqual([
    "Passage 1 of 2",
    "Passage 2 of 2",
    "Tag “state”",
  ]);
  const group = (name: string) => ann.getByRole("group", { name });
  // Without a choice nothing is sent.
  await save(ann);
  expect(await ann.getByRole("heading", { name: "Two changes of “Decided”" }).count()).toBe(1);
  await group("Passage 1 of 2").getByRole("radio", { name: "Mine", exact: true }).focus();
  await ann.keyboard.press("Space");
  await ann.keyboard.press("Tab");
  await group("Passage 2 of 2").getByRole("radio").last().focus();
  await ann.keyboard.press("Space");
  await group("Tag “state”").getByRole("radio", { name: "Mine", exact: true }).check();
  await benSaves({ slug: "decided" }, ["Ivy is on call.", ...theirs.slice(1)].join("\n\n"));
  await save(ann);
  await ann.getByText("The page was saved once more.").waitFor();
  await ann.getByText("Choose what stays. Undecided: 1").waitFor();
  await sound(ann, "asked-again");
  expect(await ann.locator("input[type=radio]:checked").count()).toBe(2);
  await group("Passage 1 of 2").getByRole("radio", { name: "Both, mine last" }).check();
  await save(ann);
  await left(ann);
  const saved = await read(made.id);
  expect(saved.markdown).toBe(
    "Ivy is on call.\n\nEve is on call.\n\nNights are quiet.\n\nNights are long.\n\nThe end, then.",
  );
  expect([saved.name, saved.tags]).toMatchObject(["Decided", [{ name: "state", value: "draft" }]]);
  expect((await screens.runtime.ask("GET", `/api/drafts/page/${made.id}`)).body.draft).toBeNull();
  await ann.goto(editorOf(saved));
  await content(ann).waitFor();
  expect(await ann.getByText("This browser holds text").count()).toBe(0);
});

test("a draft that is opened again after others saved still knows what it was made from", async () => {
  const made = await newPage("Again", { markdown: "one two" });
  const ann = await screens.visit();
  await ann.goto(editorOf(made));
  await content(ann).fill("one two, mine");
  await ann.getByText("Draft saved at").waitFor();
  await ann.goto("/");
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { markdown: "one two, theirs" } });
  for (const letter of ["!", "?"]) {
    await ann.goto(editorOf(made));
    await ann.getByText("You saved this page in another window.").waitFor();
    await content(ann).press("End");
    await content(ann).press(letter);
    await ann.getByText("Draft saved at").waitFor();
  }
  await save(ann);
  await ann.getByRole("heading", { name: "Two changes of “Again”" }).waitFor();
  await ann.getByRole("radio", { name: "Mine", exact: true }).check();
  await ann.getByRole("button", { name: "Edit the merged text" }).click();
  expect(await ann.locator("#field-content").inputValue()).toBe("one two, mine!?");
  await save(ann);
  await left(ann);
  expect((await read(made.id)).markdown).toBe("one two, mine!?");
});

test("a save leaves the draft that another window of the user holds, and it is merged later", async () => {
  const made = await newPage("Windows", { markdown: "one\n\ntwo" });
  const first = await screens.visit();
  await first.goto(editorOf(made));
  const second = await first.context().newPage();
  await second.goto(editorOf(made));
  await content(second).fill("one\n\nsecond");
  await second.getByText("Draft saved at").waitFor();
  await second.close();
  await content(first).fill("first\n\ntwo");
  await first.getByText("This draft was changed in another window").waitFor();
  await save(first);
  await left(first);
  expect((await read(made.id)).markdown).toBe("first\n\ntwo");
  await first.goto(editorOf(made));
  expect(await first.locator("#field-content").inputValue()).toBe("one\n\nsecond");
  await save(first);
  await left(first);
  expect(await first.getByText("The page is saved, with your change from another window.").count()).toBe(1);
  expect((await read(made.id)).markdown).toBe("first\n\nsecond");
});

test("a page in the rich editor is decided on a phone, and edited on with the merged text", async () => {
  const made = await newPage("Rich", { html: "<ul><li>Ada is on call.</li></ul><p>The end.</p>" });
  const ann = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  await ann.goto(editorOf(made));
  const text = ann.getByRole("textbox", { name: "Content", exact: true });
  await text.getByText("Ada is on call.").click();
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, {
    body: { html: "<ul><li>Bob is on call.</li></ul><p>Theirs.</p>" },
  });
  await ann.keyboard.press("End");
  await ann.keyboard.type(" Always.");
  await ann.getByText("You saved this page in another window.").waitFor();
  await save(ann);
  await ann.getByRole("heading", { name: "Two changes of “Rich”" }).waitFor();
  await ann.getByText("Their whole page beside yours").click();
  await sound(ann, "rich-phone");
  await ann.getByRole("radio", { name: "Mine", exact: true }).check();
  await ann.getByRole("button", { name: "Edit the merged text" }).click();
  await text.getByText("Theirs.").click();
  await ann.keyboard.press("End");
  await ann.keyboard.type(" Both.");
  await save(ann);
  await left(ann);
  const { raw_html } = await read(made.id);
  expect(raw_html.replace(/ id="[^"]*"|\n/g, "")).toBe("<ul><li>Ada is on call. Always.</li></ul><p>Theirs. Both.</p>");
});

test("without scripts, of a page that has another format by now, on a phone in the dark", async () => {
  const made = await newPage("Formats", { markdown: "One\n\nTwo" });
  const ann = await screens.visit(undefined, { scripts: false, size: "phone", scheme: "dark" });
  await ann.goto(editorOf(made));
  await screens.runtime.ask("PUT", `/api/pages/${made.id}`, { body: { html: "<p>1</p><p>Two</p>" } });
  await content(ann).fill("One\n\nII");
  await save(ann);
  await ann.getByText("the merged page is HTML").waitFor();
  await picture(ann, "conflict-formats");
  await save(ann);
  expect((await read(made.id)).raw_html.replace(/ id="[^"]*"|\n/g, "")).toBe("<p>1</p><p>II</p>");
});
