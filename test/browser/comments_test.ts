/** Comments and revisions of a page in a browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const PAGE = "/books/runbooks/page/failover";

let screens: ScreenRuntime;
let book: number;
beforeAll(async () => {
  screens = await openScreens();
  book = (await screens.runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
  const body = { book_id: book, name: "Failover", html: "<p>Call the DBA.</p>" };
  await screens.runtime.ask("POST", "/api/pages", { body });
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `reading-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

test("comments are made, answered, changed, archived and deleted; nothing typed is lost", async () => {
  const page = await screens.visit();
  await page.goto(PAGE);
  const comment = (text: string | RegExp) => page.locator("article.comment").filter({ hasText: text });
  await page.getByLabel("Add a comment").fill(`First ${NASTY}\nsecond line`);
  await page.getByRole("button", { name: "Add the comment", exact: true }).click();
  expect(await page.getByRole("status").textContent()).toContain("Your comment is added.");
  expect(await comment("First").textContent()).toContain(NASTY.replace("&amp;", "&"));
  expect(await comment("First").locator(".page-content br").count()).toBe(1);
  expect(await page.locator("img[src=x]").count()).toBe(0);

  await comment("First").getByText("Reply").first().click();
  await comment("First").locator("form[action*=reply_to] textarea").fill("An answer");
  await comment("First").getByRole("button", { name: "Reply" }).click();
  expect(await page.locator(".comments li li").filter({ hasText: "An answer" }).count()).toBe(1);

  await comment("An answer").getByText("Edit").first().click();
  await comment("An answer").locator("form[action$=edit] textarea").fill("A better answer");
  await comment("An answer").getByRole("button", { name: "Save" }).click();
  expect(await comment("A better answer").count()).toBe(1);
  await picture(page, "reading-comments");

  await comment("First").getByText("Edit").first().click();
  expect(await comment("First").locator("form[action$=edit] textarea").inputValue()).toBe(
    `First ${NASTY}\nsecond line`,
  );
  await comment("First").locator("form[action$=edit] textarea").fill("   ");
  await comment("First").getByRole("button", { name: "Save" }).click();
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Your comment");
  expect(await page.locator(".fault").textContent()).toContain("A comment cannot be empty.");
  await sound(page, "comment-refused");
  await page.getByLabel("Text").fill(`First ${NASTY}, and more`);
  await page.getByRole("button", { name: "Save" }).click();
  expect(await comment("First").textContent()).toContain("and more");

  await comment("First").getByRole("button", { name: "Resolve" }).click();
  expect(await page.getByRole("status").textContent()).toContain("The thread is resolved.");
  expect(await comment("First").isVisible()).toBe(false);
  await page.getByText("Resolved threads (1)").click();
  expect(await comment("First").isVisible()).toBe(true);
  expect(await errorsOf(page)).toEqual([]);
  // A link leads to a comment that is folded.
  await page.goto("/books");
  await page.goto(`${PAGE}#comment-2`);
  await comment("A better answer").waitFor();
  expect(await comment("A better answer").evaluate((each) => each.matches(":target"))).toBe(true);
  await comment("First").getByRole("button", { name: "Reopen" }).click();
  expect(await page.getByRole("status").textContent()).toContain("The thread is open again.");

  await comment("A better answer").getByRole("button", { name: "Delete" }).click();
  await page.locator("dialog").getByRole("button", { name: "Delete" }).click();
  expect(await page.getByRole("status").textContent()).toContain("deleted");
  expect(await comment("A better answer").count()).toBe(0);
});

test("what is typed is Markdown, with buttons, keys and a preview, and is edited as it was typed", async () => {
  const page = await screens.visit();
  await page.goto(PAGE);
  const field = page.getByLabel("Add a comment");
  await field.focus();
  await page.getByRole("group", { name: "Formatting" }).waitFor();
  await field.pressSequentially("Ask Ann");
  await field.press("Control+Shift+ArrowLeft");
  await field.press("Control+b");
  expect(await field.inputValue()).toBe("Ask **Ann**");
  await field.press("Control+b");
  expect(await field.inputValue()).toBe("Ask Ann");
  await field.press("End");
  await field.press("Enter");
  await field.pressSequentially("one");
  await page.getByRole("button", { name: "List" }).click();
  expect(await field.inputValue()).toBe("Ask Ann\n\n- one");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.locator(".comment-preview li", { hasText: "one" }).waitFor();
  expect(await field.isVisible()).toBe(false);
  await sound(page, "comment-preview");
  await page.getByRole("button", { name: "Write on" }).click();
  await field.press("End");
  await field.press("Control+Enter");
  const made = page.locator("article.comment").filter({ hasText: "Ask Ann" });
  expect(await made.locator(".page-content li").textContent()).toBe("one");
  await made.getByText("Edit").first().click();
  expect(await made.locator("form[action$=edit] textarea").inputValue()).toBe("Ask Ann\n\n- one");
});

test("a passage is selected, commented on, marked without moving the text, and leads to its comment and back", async () => {
  const { ask } = screens.runtime;
  const html = "<p>Call the DBA at any hour.</p><p>Then call <strong>the night</strong> shift.</p>";
  const { id } = (await ask("POST", "/api/pages", { body: { book_id: book, name: "Night", html } })).body;
  const page = await screens.visit();
  await page.goto("/books/runbooks/page/night");
  const places = () =>
    page.evaluate(`[...document.querySelectorAll("article.page .page-content p")].map((each) => {
      const text = document.createRange();
      text.selectNodeContents(each);
      const [box, { left, top }] = [text, each.parentElement].map((of) => of.getBoundingClientRect());
      return [box.left - left, box.top - top, box.width, box.height].map(Math.round);
    })`);
  const before = await places();
  // As a person selects, over the end of an element.
  await page.evaluate(`{
    const [, second] = document.querySelectorAll(".page-content p");
    getSelection().setBaseAndExtent(second.querySelector("strong").firstChild, 0, second.lastChild, 6);
  }`);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  expect(await page.getByLabel("Words of the page").inputValue()).toBe("the night shift");
  await page.keyboard.type("Who is that?");
  await page.getByRole("button", { name: "Add the comment", exact: true }).click();
  const mark = page.getByRole("link", { name: "Comment #1 on this passage" });
  await mark.waitFor();
  expect(await page.locator("mark").allTextContents()).toEqual(["the night", " shift"]);
  expect(await places()).toEqual(before);
  await sound(page, "passage");
  await mark.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**#comment-1");
  expect(await page.evaluate("document.activeElement.id")).toBe("comment-1");
  await page.locator("p.passage a").click({ position: { x: 40, y: 9 } });
  expect(await page.evaluate("document.activeElement.className")).toBe("passage-link");

  const { comments } = (await ask("GET", `/api/pages/${id}`)).body;
  expect(comments.active[0].comment.passage).toMatchObject({ quote: "the night shift", outdated: false });
  await ask("PUT", `/api/pages/${id}`, { body: { html: `<p>New.</p>${html.replace("Then", "After that")}` } });
  await page.reload();
  await mark.waitFor();
  expect(await page.locator("mark").allTextContents()).toEqual(["the night", " shift"]);
  await ask("PUT", `/api/pages/${id}`, { body: { html: "<p>Call nobody.</p>" } });
  await page.reload();
  await page.getByText("Outdated").waitFor();
  expect(await page.locator("mark").count()).toBe(0);
});

test("without scripts a passage is quoted, commented on and linked, and a preview is a screen", async () => {
  const html = "<p>Call the DBA.</p><p>Then call the night shift.</p>";
  await screens.runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Bare", html } });
  const page = await screens.visit(undefined, { scripts: false, size: "phone", scheme: "dark" });
  await page.goto("/books/runbooks/page/bare");
  await page.getByText("About a passage").click();
  await page.getByLabel("Words of the page").fill("the day shift");
  await page.getByLabel("Add a comment").fill("Who is *that*?");
  await page.getByRole("button", { name: "Preview" }).click();
  expect(await page.locator(".comment-preview em").textContent()).toBe("that");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.getByRole("alert").textContent()).toContain("The quote is not in the page.");
  expect(await page.getByRole("textbox", { name: "Text", exact: true }).inputValue()).toBe("Who is *that*?");
  await page.getByLabel("Words of the page").fill("the night  shift");
  await page.getByRole("button", { name: "Save" }).click();
  expect(await page.locator("p.passage a").getAttribute("href")).toBe("#bkmrk-then-call-the-night-");
});

test("@ offers who may read the page, in comments and both editors", async () => {
  const { ask } = screens.runtime;
  const { id } = await screens.user("Zora", ["access-api", "page-view-all", "book-view-all"]);
  await screens.user("Zorro", ["access-api"]);
  const { slug } = (await ask("GET", `/api/users/${id}`)).body;
  const page = await screens.visit();
  await page.goto(PAGE);
  const field = page.getByLabel("Add a comment");
  await field.focus();
  await page.getByRole("group", { name: "Formatting" }).waitFor();
  await field.pressSequentially("Ask @zor");
  await page.getByRole("option", { name: "Zora" }).waitFor();
  expect(await page.getByRole("option").allTextContents()).toEqual([`Zora · @${slug}`]);
  await sound(page, "mention");
  await field.press("Enter");
  expect(await field.inputValue()).toBe(`Ask @${slug} `);

  const body = { book_id: book, name: "Asked", markdown: "Text" };
  const made = (await ask("POST", "/api/pages", { body })).body;
  await page.goto("/books/runbooks/page/asked/edit");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" @zor");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "Zora" }).click();
  expect(await page.locator(".cm-content").textContent()).toBe(`Text @${slug} `);
  await ask("PUT", `/api/pages/${made.id}`, { body: { html: "<p>Text</p>" } });
  const other = await screens.visit();
  await other.goto("/books/runbooks/page/asked/edit");
  await other.locator("#rich-text").click();
  await other.keyboard.press("Control+End");
  await other.keyboard.type(" @zor");
  await other.locator("#rich-people li", { hasText: "Zora" }).waitFor();
  await other.keyboard.press("Enter");
  expect(await other.locator("#rich-text p").first().textContent()).toBe(`Text @${slug} `);
});

test("a comment finds its page that was renamed meanwhile, and stays on the screen where the page is gone", async () => {
  const { ask } = screens.runtime;
  const book = (await ask("POST", "/api/books", { body: { name: "Restless" } })).body;
  const { id } = (await ask("POST", "/api/pages", { body: { book_id: book.id, name: "Old", html: "<p>x</p>" } })).body;
  const page = await screens.visit();
  await page.goto("/books/restless/page/old");
  await page.getByLabel("Add a comment").fill("Written slowly");
  await ask("PUT", `/api/pages/${id}`, { body: { name: "New" } });
  await page.getByRole("button", { name: "Add the comment", exact: true }).click();
  await page.waitForURL("**/page/new#comment1");
  await page.getByLabel("Add a comment").fill("Written too late");
  await ask("DELETE", `/api/pages/${id}`);
  await page.getByRole("button", { name: "Add the comment", exact: true }).click();
  await page.getByText("Page not found").waitFor();
  expect(await page.getByLabel("Text").inputValue()).toBe("Written too late");
  expect(await errorsOf(page)).toEqual([]);
});

test("revisions tell what was changed, any two are compared, and one is brought back or deleted", async () => {
  const { id } = (
    await screens.runtime.ask("POST", "/api/pages", {
      body: { book_id: book, name: "Rota", markdown: `# Rota\n\nAda is on call.\n\n${NASTY}` },
    })
  ).body;
  await screens.runtime.ask("PUT", `/api/pages/${id}`, { body: { markdown: `# Rota\n\nBob is on call.\n\n${NASTY}` } });
  const page = await screens.visit();
  await page.goto("/books/runbooks/page/rota");
  await page.getByRole("button", { name: "Revisions" }).click();
  await page.getByRole("link", { name: "#2" }).click();
  expect(await page.locator(".difference del").textContent()).toContain("Ada");
  expect(await page.locator(".difference ins").textContent()).toContain("Bob");
  expect(await page.locator(".difference").textContent()).toContain("<img src=x");
  expect(await page.getByRole("button", { name: "Restore this revision" }).count()).toBe(0);
  await sound(page, "revision");
  await page.getByRole("link", { name: "Show them in the page" }).click();
  expect(await page.locator(".shown-changes del").textContent()).toContain("Ada");
  expect(await page.locator(".shown-changes ins").textContent()).toContain("Bob");
  expect(await page.locator(".comparison .difference del").textContent()).toContain("Ada");
  await sound(page, "compared-revisions");
  await page.goto("/books/runbooks/page/rota/revisions");
  await page.getByLabel("Compare from revision #2").check();
  await page.getByLabel("Compare to revision #1").check();
  await page.getByRole("button", { name: "Compare the selected revisions" }).click();
  expect(await page.locator(".shown-changes ins").textContent()).toContain("Ada");
  await page.goto("/books/runbooks/page/rota/revisions");
  await page.getByRole("link", { name: "#1" }).click();
  await page.getByRole("button", { name: "Restore this revision" }).click();
  await page.getByText("Restore revision #1?").waitFor();
  expect((await screens.runtime.ask("GET", `/api/pages/${id}`)).body.markdown).toContain("Bob");
  await page.getByRole("dialog").getByRole("button", { name: "Restore this revision" }).click();
  await page.locator(".page-content").waitFor();
  expect(await page.getByRole("status").textContent()).toContain("Revision #1");
  expect(await page.locator(".page-content").first().textContent()).toContain("Ada is on call.");
  await page.goto("/books/runbooks/page/rota/revisions");
  expect(await page.locator("main table").textContent()).toContain("Restored from #1");
  await page.getByRole("link", { name: "#1" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Revision #1 is deleted.").waitFor();
  expect(await page.getByRole("link", { name: "#1" }).count()).toBe(0);
  const telephone = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  const { data } = (await screens.runtime.ask("GET", `/api/pages/${id}/revisions?filter[number]=2`)).body;
  await telephone.goto(`/books/runbooks/page/rota/revisions/${data[0].id}`);
  await sound(telephone, "revision-phone-dark");
});

test("who may comment changes and deletes their own comments, and nobody else's", async () => {
  const { body } = await screens.runtime.ask("GET", "/api/pages?filter[slug]=failover");
  await screens.runtime.ask("POST", "/api/comments", {
    body: { page_id: body.data[0].id, html: "<p>By the <em>other</em></p>" },
  });
  const ann = await screens.visit(
    await screens.user("Ann", [
      "access-api",
      "page-view-all",
      "book-view-all",
      "comment-create-all",
      "comment-update-own",
      "comment-delete-own",
    ]),
    { size: "phone", scheme: "dark" },
  );
  await ann.goto(PAGE);
  await ann.getByLabel("Add a comment").fill("Mine");
  await ann.getByRole("button", { name: "Add the comment", exact: true }).click();
  const comment = (text: string) => ann.locator("article.comment").filter({ hasText: text });
  expect(await comment("Mine").locator(".actions").textContent()).toMatch(/Reply.*Edit.*Resolve.*Delete/s);
  expect(await comment("By the other").locator(".actions").textContent()).not.toMatch(/Edit|Resolve|Delete/);
  await comment("Mine").getByText("Edit").first().click();
  await sound(ann, "comments-phone-dark");
  const { comments } = (await screens.runtime.ask("GET", `/api/pages/${body.data[0].id}`)).body;
  const theirs = comments.active.find(({ comment: { html } }: { comment: { html: string } }) => html.includes("other"))
    .comment.id;
  const answer = await ann.evaluate(
    `fetch("${PAGE}/comments/${theirs}/delete", { method: "POST" }).then(({ status }) => status)`,
  );
  expect(answer).toBe(403);
  const admin = await screens.visit();
  await admin.goto(PAGE);
  const other = admin.locator("article.comment").filter({ hasText: "By the other" });
  await other.getByText("Edit").first().click();
  expect(await other.locator("form[action$=edit] textarea").inputValue()).toBe("<p>By the <em>other</em></p>");
});
