/**
 * Reading in a browser: navigation, a page with all that content can hold, search, exports. Comments and revisions are in
 * comments_test.ts.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { png } from "../support/data/sample_pictures.ts";
import { errorsOf, openScreens, picture, type ScreenRuntime } from "../support/harness/screens.ts";

setDefaultTimeout(90_000);
const NASTY = `<img src=x onerror=alert(1)>"'>&amp;`;
const PAGE = "/books/runbooks/page/failover";

const CONTENT = `<p>When the primary is gone, <strong>call the DBA</strong> and read on. See <a href="https://example.com">the
contract</a>, press <kbd>Ctrl</kbd> and run <code>pg_ctl promote</code>.</p>
<p class="callout info">The standby is <code>db2</code>.</p><p class="callout success">Backups ran last night.</p>
<p class="callout warning">Never start the old primary again.</p><p class="callout danger">There is no way back.</p>
<h1 id="bkmrk-steps">Steps</h1><ol><li>Look<ul><li>at the lag</li><li>at the logs</li></ul></li><li>Promote</li></ol>
<h3 id="bkmrk-check">Check</h3><ul><li class="task-list-item"><input type="checkbox" checked disabled> Told everybody</li>
<li class="task-list-item"><input type="checkbox" disabled> Wrote it down</li></ul>
<h4 id="bkmrk-script">The script</h4><pre id="bkmrk-code"><code class="language-bash"># promote the standby, with a line that is far too long for any screen of any telephone in the world
if [ "$ROLE" = standby ]; then
  pg_ctl promote -D "/var/lib/postgresql/16" && echo 1
fi</code></pre><pre><code class="language-ts">export const answer: number = 42; // of course
class Deck extends Map&lt;string, Card&gt; { static from(text = \`x\`) { return /[a-z]+/.test(text) ? true : null; } }</code></pre>
<pre><code class="language-json">{"a": [1, true, null, "x"]}</code></pre><pre><code class="language-html">&lt;p class="a"&gt;b &amp;amp; c&lt;/p&gt;</code></pre>
<h2 id="bkmrk-hosts">Hosts</h2><table><thead><tr><th></th><th>Role</th><th>Address</th><th>Data centre</th><th>Version of the server</th><th>Who is on call there</th></tr></thead>
<tbody><tr><td>db1</td><td style="background-color: #fffbcc; color: #333">primary</td><td>10.0.0.1</td><td>Frankfurt</td><td>16.4</td><td>Ada</td></tr></tbody></table>
<blockquote><p>Hope is no strategy.</p></blockquote><details><summary>More</summary><p>Hidden at first.</p></details>
<p style="text-align: center; color: rgb(0, 0, 0)">In the middle, black on white.</p><p><img src="PICTURE"></p>
<p dir="rtl">هذا نص <bdi>PostgreSQL</bdi> من اليمين إلى اليسار</p><hr><iframe src="https://video.test/embed/1"></iframe>
<div hx-post="/logout" hx-trigger="load" style="position: fixed; inset: 0">Nothing of the kind.</div>`;

let screens: ScreenRuntime;
let failover: { id: number };
beforeAll(async () => {
  screens = await openScreens();
  const make = async (path: string, body: object) => (await screens.runtime.ask("POST", path, { body })).body;
  const cover = new FormData();
  cover.set("name", "Runbooks");
  cover.set("description_html", "<p>How we <strong>operate</strong> what we run.</p>");
  cover.set("tags[0][name]", "team");
  cover.set("tags[0][value]", "ops");
  cover.set("image", new File([png()], "cover.png", { type: "image/png" }));
  const book = (await screens.runtime.ask("POST", "/api/books", { parts: cover })).body;
  const other = await make("/api/books", { name: NASTY, description: NASTY, tags: [{ name: NASTY, value: NASTY }] });
  await make("/api/shelves", { name: "Operations", description: "All of it", books: [book.id, other.id] });
  await make("/api/pages", { book_id: book.id, name: "Before all", markdown: "Read *this* first.\n\n- [x] done" });
  const chapter = await make("/api/chapters", { book_id: book.id, name: "Database", description: "Everything stored" });
  failover = await make("/api/pages", { chapter_id: chapter.id, name: "Failover", html: "<p>Call the DBA.</p>" });
  await make("/api/pages", { chapter_id: chapter.id, name: "Restore", markdown: "# From a backup" });
  await make("/api/pages", { book_id: book.id, name: "Afterwards", html: "<p>Drink tea.</p>" });
  await make("/api/pages", { book_id: other.id, name: NASTY, html: "<p>x</p>", tags: [{ name: NASTY, value: "" }] });
  const form = new FormData();
  form.set("type", "gallery");
  form.set("uploaded_to", String(failover.id));
  form.set("image", new File([png()], "plan.png", { type: "image/png" }));
  const { url } = (await screens.runtime.ask("POST", "/api/image-gallery", { parts: form })).body;
  await screens.runtime.ask("PUT", `/api/pages/${failover.id}`, {
    body: {
      html: CONTENT.replace("PICTURE", url),
      tags: [
        { name: "team", value: "ops" },
        { name: "urgent", value: "" },
      ],
    },
  });
  await make("/api/attachments", { uploaded_to: failover.id, name: NASTY, link: "https://example.com/plan" });
});
afterAll(() => screens.stop());

async function sound(page: Page, name: string): Promise<void> {
  await picture(page, `reading-${name}`);
  expect([name, await errorsOf(page)]).toEqual([name, []]);
}

const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["home", "/"],
  ["shelves", "/shelves"],
  ["shelf", "/shelves/operations"],
  ["books", "/books"],
  ["book", "/books/runbooks"],
  ["chapter", "/books/runbooks/chapter/database"],
  ["page", PAGE],
  ["search", "/search?query=dba"],
  ["search-empty", "/search"],
  ["person", "/user/admin"],
  ["revisions", `${PAGE}/revisions`],
];

test("every screen is sound, on a desk and on a telephone, in light and in dark", async () => {
  await screens.runtime.ask("POST", "/api/comments", {
    body: { page_id: failover.id, html: "<p>Which <strong>DBA</strong>?</p>" },
  });
  const desk = await screens.visit();
  for (const [name, path] of SCREENS) {
    await desk.goto(path);
    await sound(desk, name);
  }
  const telephone = await screens.visit(undefined, { size: "phone", scheme: "dark" });
  for (const [name, path] of SCREENS) {
    await telephone.goto(path);
    await sound(telephone, `${name}-phone-dark`);
  }
});

test("people find their way from the start to a page, through its book and on", async () => {
  const page = await screens.visit();
  await page.goto("/");
  await page
    .getByRole("region", { name: "Shelves" })
    .getByRole("link", { name: /Operations/ })
    .click();
  await page
    .locator("main")
    .getByRole("link", { name: /Runbooks/ })
    .click();
  expect(await page.locator("h1").textContent()).toBe("Runbooks");
  expect(await page.locator(".book-contents").textContent()).toMatch(
    /Before all.*Database.*Failover.*Restore.*Afterwards/s,
  );
  await page.locator("main").getByRole("link", { name: "Failover" }).click();
  await page.waitForURL(`**${PAGE}`);
  expect(await page.locator(".side [aria-current=page]").textContent()).toBe("Failover");
  expect(await page.locator(".crumbs").textContent()).toMatch(/Shelves.*Operations.*Runbooks.*Database.*Failover/s);
  await page.getByRole("link", { name: /Next/ }).click();
  expect(await page.locator("h1").textContent()).toBe("Restore");
  await page.getByRole("link", { name: /Previous/ }).click();
  await page.getByRole("link", { name: "The script" }).click();
  expect(new URL(page.url()).hash).toBe("#bkmrk-script");
  await page.goto(`/link/${failover.id}`);
  expect(new URL(page.url()).pathname).toBe(PAGE);
  expect((await page.goto("/link/99999"))?.status()).toBe(404);
  expect((await page.goto("/books/runbooks/page/nothing"))?.status()).toBe(404);
});

test("content looks as its author meant it, in its place and without a will of its own", async () => {
  const page = await screens.visit();
  await page.goto(PAGE);
  await page.waitForTimeout(300);
  expect(new URL(page.url()).pathname).toBe(PAGE);
  expect(await page.locator(".page-content .hljs-keyword").count()).toBeGreaterThan(3);
  expect(await page.evaluate("getComputedStyle(document.querySelector('p[data-style]')).textAlign")).toBe("center");
  expect(
    await page.evaluate("getComputedStyle(document.querySelector('.page-content > div:last-child')).position"),
  ).toBe("static");
  expect(await page.getByRole("checkbox", { name: "Done" }).isDisabled()).toBe(true);
  expect(await page.locator("iframe").count()).toBe(0);
  expect(await page.evaluate("document.querySelector('.page-content img').naturalWidth > 0")).toBe(true);
  await page.emulateMedia({ media: "print" });
  for (const hidden of ["header.top", ".side", ".comments", ".neighbours"])
    expect([hidden, await page.locator(hidden).isVisible()]).toEqual([hidden, false]);
  await picture(page, "reading-page-print");
});

test("what people wrote in names and descriptions stays text", async () => {
  const page = await screens.visit();
  const dialogs: string[] = [];
  page.on("dialog", async (dialog) => {
    dialogs.push(dialog.message());
    await dialog.dismiss();
  });
  const { data } = (await screens.runtime.ask("GET", "/api/books?sort=-id&count=1")).body;
  const listed = (await screens.runtime.ask("GET", `/api/pages?filter[book_id]=${data[0].id}`)).body.data[0];
  for (const path of [
    "/",
    "/books",
    "/shelves/operations",
    `/books/${data[0].slug}`,
    `/link/${listed.id}`,
    PAGE,
    "/search?query=onerror",
  ]) {
    await page.goto(path);
    expect([path, await page.locator("img[src=x]").count()]).toEqual([path, 0]);
    expect([path, (await page.locator("main").textContent())?.includes("<img src=x")]).toEqual([path, true]);
    expect([path, await errorsOf(page)]).toEqual([path, []]);
  }
  await page.goto(`/search?query=${encodeURIComponent(NASTY)}&type=${encodeURIComponent(NASTY)}`);
  expect(await page.getByLabel("Search terms").inputValue()).toBe(NASTY);
  expect(dialogs).toEqual([]);
});

test("content leaves as a file, for who may export", async () => {
  const page = await screens.visit();
  await page.goto(PAGE);
  await page.locator("main").getByText("More", { exact: true }).first().click();
  await picture(page, "reading-more");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export as Markdown" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("failover.md");
  const sees = ["page-view-all", "book-view-all", "chapter-view-all", "revision-view-all"];
  const theirs = await screens.visit(await screens.user("Reader", ["access-api", ...sees]));
  await theirs.goto(PAGE);
  expect(await theirs.locator("main .actions a").allInnerTexts()).toEqual([" Revisions"]);
  expect(await theirs.getByLabel("Add a comment").count()).toBe(0);
  expect(await errorsOf(theirs)).toEqual([]);
  expect((await theirs.goto(`${PAGE}/export/html`))?.status()).toBe(403);
  expect((await theirs.goto("/books/runbooks/export/nothing"))?.status()).toBeGreaterThanOrEqual(403);
});

test("users without permissions see nothing, and guests are asked to sign in", async () => {
  const nobody = await screens.visit(await screens.user("Nobody", ["access-api", "revision-view-all"]));
  for (const path of ["/books/runbooks", PAGE, `${PAGE}/revisions`, `/link/${failover.id}`, "/shelves/operations"])
    expect([path, (await nobody.goto(path))?.status()]).toEqual([path, 404]);
  await nobody.goto("/");
  await sound(nobody, "home-empty");
  await nobody.goto("/search?query=dba");
  expect(await nobody.locator("main").textContent()).not.toContain("Failover");
  const stranger = await screens.visit(null);
  for (const path of ["/", PAGE]) {
    await stranger.goto(path);
    expect(new URL(stranger.url()).pathname).toBe("/login");
  }
});

test("everything is there without scripts, and on a telephone the book is folded above its page", async () => {
  const plain = await screens.visit(undefined, { scripts: false });
  await plain.goto(PAGE);
  await plain.getByLabel("Add a comment").fill("Without scripts");
  await plain.getByRole("button", { name: "Add the comment", exact: true }).click();
  expect(await plain.locator("main").textContent()).toContain("Without scripts");
  await plain.locator("header").getByRole("searchbox").fill("failover");
  await plain.locator("header").getByRole("searchbox").press("Enter");
  await plain.locator(".results").getByRole("link", { name: "Failover" }).click();
  const telephone = await screens.visit(undefined, { size: "phone" });
  await telephone.goto(PAGE);
  const inside = telephone.locator(".side").getByRole("link", { name: "Restore" });
  expect(await inside.isVisible()).toBe(false);
  await telephone.locator(".side .fold > summary").click();
  expect(await inside.isVisible()).toBe(true);
});
