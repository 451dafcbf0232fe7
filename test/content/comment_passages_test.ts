/**
 * Comments in Markdown and comments on passages over the API: what is stored and answered, passages through changes of their page, and that what
 * clients of the original send is answered as before.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { checksumOf } from "../../plugins/content/markup/passages.ts";
import { type Answer, bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

let runtime: TestRuntime;
let book: number;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  book = (await runtime.ask("POST", "/api/books", { body: { name: "Runbooks" } })).body.id;
});
afterAll(() => runtime.stop());

async function pageOf(html: string): Promise<number> {
  return (await runtime.ask("POST", "/api/pages", { body: { book_id: book, name: "Failover", html } })).body.id;
}

function say(page: number, comment: object): Promise<Answer> {
  return runtime.ask("POST", "/api/comments", { body: { page_id: page, html: "<p>x</p>", ...comment } });
}

const commentOf = async (id: number) => (await runtime.ask("GET", `/api/comments/${id}`)).body;
const change = (page: number, body: object) => runtime.ask("PUT", `/api/pages/${page}`, { body });

test("a comment in Markdown has HTML and what was typed, until it is changed in HTML", async () => {
  const page = await pageOf("<p>Call the DBA</p>");
  const markdown = "Which **DBA**?\n\n> Call\n\n<script>alert(1)</script>";
  const html =
    "<p>Which <strong>DBA</strong>?</p><blockquote>\n<p>Call</p>\n</blockquote><p>&lt;script&gt;alert(1)&lt;/script&gt;</p>";
  const made = await runtime.ask("POST", "/api/comments", { body: { page_id: page, markdown } });
  expect([made.status, made.body]).toMatchObject([200, { html, markdown }]);
  const { id } = made.body;
  expect(await commentOf(id)).toMatchObject({ html, markdown });
  const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
  expect(comments.active[0].comment).toMatchObject({ html, markdown });
  const put = (body: object) => runtime.ask("PUT", `/api/comments/${id}`, { body });
  expect((await put({ archived: true })).body).toMatchObject({ html, markdown });
  expect((await put({ markdown: "*Who*?" })).body).toMatchObject({ html: "<p><em>Who</em>?</p>", markdown: "*Who*?" });
  const changed = (await put({ html: "<p>Who</p>" })).body;
  expect([changed.html, "markdown" in changed]).toEqual(["<p>Who</p>", false]);
});

test("a preview is the HTML that a comment would have; what is too large is refused by its field", async () => {
  const preview = (markdown: string) => runtime.ask("POST", "/api/comments/preview", { body: { markdown } });
  expect((await preview("a\n[b](javascript:alert(1))")).body.html).not.toContain("javascript:");
  expect((await preview("- a")).body).toEqual({ html: "<ul>\n<li>a</li>\n</ul>" });
  const large = await preview("x".repeat(70_000));
  expect([large.status, Object.keys(large.body.error.validation)]).toEqual([422, ["markdown"]]);
  const none = await runtime.ask("POST", "/api/comments", {
    body: { page_id: await pageOf("<p>x</p>"), markdown: " " },
  });
  expect(none.body.error.validation).toEqual({ html: ["The html field is required."] });
});

test("a passage is followed through changes of its page, marked once it is gone, and found again", async () => {
  const page = await pageOf("<p>Call the DBA at any hour.</p><p>Then call the night shift.</p>");
  const { body } = await say(page, { quote: "the night shift" });
  const first = `bkmrk-then-call-the-night-:${checksumOf("Then call the night shift.")}:10-25`;
  expect(body).toMatchObject({
    content_ref: first,
    passage: { quote: "the night shift", content_ref: first, outdated: false },
  });
  await change(page, { html: "<p>New.</p><p>Call the DBA at any hour.</p><p>And then call the night\nshift.</p>" });
  const moved = `bkmrk-and-then-call-the-ni:${checksumOf("And then call the night\nshift.")}:14-29`;
  expect(await commentOf(body.id)).toMatchObject({
    ...{ content_ref: first, updated_at: body.updated_at },
    passage: { quote: "the night shift", content_ref: moved, outdated: false },
  });
  await change(page, { html: "<p>Call nobody.</p>" });
  expect((await commentOf(body.id)).passage).toEqual({ quote: "the night shift", content_ref: moved, outdated: true });
  const { comments } = (await runtime.ask("GET", `/api/pages/${page}`)).body;
  expect(comments.active[0].comment.passage.outdated).toBe(true);
  await change(page, { markdown: "And then call the night shift." });
  expect((await commentOf(body.id)).passage).toMatchObject({ outdated: false });
});

test("a reference of the original's clients names its passage while it fits the page, and is answered as sent", async () => {
  const page = await pageOf("<p>Discuss</p>");
  const sent = `bkmrk-discuss:${checksumOf("Discuss")}:0-4`;
  const { body } = await say(page, { content_ref: sent });
  expect(body).toMatchObject({ content_ref: sent, passage: { quote: "Disc", content_ref: sent } });
  await change(page, { html: "<p>Let us Discuss</p>" });
  expect(await commentOf(body.id)).toMatchObject({ content_ref: sent, passage: { outdated: false } });
  const other = (await say(page, { content_ref: "bkmrk-discuss:120:0-7" })).body;
  expect([other.content_ref, "passage" in other]).toEqual(["bkmrk-discuss:120:0-7", false]);
});

test("a passage that went while the comment was written is kept as outdated; a quote alone has to be there", async () => {
  const page = await pageOf("<p>Discuss</p>");
  const { body } = await say(page, { content_ref: "bkmrk-gone:0:0-4", quote: "no  more\nthere" });
  expect(body.passage).toEqual({ quote: "no more there", content_ref: "bkmrk-gone:0:0-4", outdated: true });
  const refused = await say(page, { quote: "no more there" });
  expect([refused.status, refused.body.error.validation]).toEqual([422, { quote: ["The quote is not in the page."] }]);
  expect((await say(page, { quote: "x".repeat(1_001) })).status).toBe(422);
});

test("a passage of what a page includes is not taken for gone", async () => {
  const source = await pageOf("<p>Included words</p>");
  const page = await pageOf(`<p>Own words</p><p>{{@${source}}}</p>`);
  const { body } = await say(page, { content_ref: "bkmrk-included-words:0:0-8", quote: "Included" });
  expect(body.passage).toMatchObject({ quote: "Included", outdated: false });
  await change(page, { html: `<p>Own</p><p>{{@${source}}}</p>` });
  expect((await commentOf(body.id)).passage.outdated).toBe(false);
});

test("webhooks and handlers of events get the HTML of a comment in Markdown as of any other", async () => {
  const page = await pageOf("<p>x</p>");
  const made = await runtime.ask("POST", "/api/comments", {
    body: { page_id: page, html: "<p>not this</p>", markdown: "**this**" },
  });
  expect(made.body).toMatchObject({ html: "<p><strong>this</strong></p>", markdown: "**this**" });
});
