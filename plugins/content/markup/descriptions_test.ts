import { describe, expect, test } from "bun:test";
import { markup } from "./markup.ts";

/** Input, and the resulting description_html and description (content-api 4.2 and recorded answers). */
const ANSWERS: [{ description?: string; description_html?: string }, string, string][] = [
  [{ description_html: "<p>A <em>b</em> <strong>c</strong></p>" }, "<p>A <em>b</em> <strong>c</strong></p>", "A b c"],
  [{ description_html: "<h1>x</h1><p>y</p>" }, "<p>y</p>", "x\ny"],
  [{ description_html: "<script>alert(1)</script><p>z</p>" }, "<p>z</p>", "z"],
  [{ description_html: "plain text" }, "<p>plain text</p>", "plain text"],
  [{ description_html: '<p style="x">s<br>t</p>' }, "<p>s<br>t</p>", "s\nt"],
  [
    { description_html: "<ul><li>one</li></ul><ol><li>two</li></ol>" },
    "<ul><li>one</li></ul><ol><li>two</li></ol>",
    "one\ntwo",
  ],
  [{ description_html: "<p>kept</p><h1>gone</h1>" }, "<p>kept</p>", "kept\ngone"],
  [{ description: "ignored", description_html: "<p>wins</p>" }, "<p>wins</p>", "wins"],
  [
    { description_html: '<p>Plain <a href="https://example.com" title="t" target="_blank" rel="x">link</a></p>' },
    '<p>Plain <a href="https://example.com" title="t" target="_blank">link</a></p>',
    "Plain link",
  ],
  [
    { description_html: "<p>a <span class='x'>b</span> <code>c</code> <img src='x'></p>" },
    "<p>a <span>b</span> <code>c</code> </p>",
    "a b \nc",
  ],
  [{ description_html: '<p>a <a href="javascript:x">b</a></p>' }, "<p>a </p>", "a b"],
  [{ description_html: "" }, "<p></p>", ""],
  [{ description_html: "<p> </p>" }, "<p></p>", ""],
  [{ description: "" }, "<p></p>", ""],
  [{ description: "A\nB" }, "<p>A<br>\nB</p>", "A\nB"],
  [{ description: "A\r\nB" }, "<p>A<br>\nB</p>", "A\r\nB"],
  [{ description: "x & <b>y</b>" }, "<p>x &amp; &lt;b&gt;y&lt;/b&gt;</p>", "x & <b>y</b>"],
  [
    { description: "First line\nSecond & <third>" },
    "<p>First line<br>\nSecond &amp; &lt;third&gt;</p>",
    "First line\nSecond & <third>",
  ],
];

describe("descriptions", () => {
  test.each(ANSWERS)("%p is returned as %p and %p", (input, html, plain) => {
    const stored = markup.describe(input);
    expect(stored?.description).toBe(plain);
    expect(markup.describeHtml(stored?.description_html ?? "", stored?.description ?? "")).toBe(html);
  });

  test("nothing sent means nothing to store", () => expect(markup.describe({})).toBeUndefined());

  test("HTML of which nothing is allowed is stored empty", () => {
    expect(markup.describe({ description_html: "plain text" })?.description_html).toBe("");
  });

  test("an item without any description has an empty paragraph", () =>
    expect(markup.describeHtml("", "")).toBe("<p></p>"));
});

describe("comments", () => {
  test.each([
    ["<p>First <strong>thought</strong></p>", "<p>First <strong>thought</strong></p>"],
    ['<p onclick="x()">safe</p><script>alert(1)</script><h1>big</h1>', "<p>safe</p>"],
    ["just words & more", "<p>just words &amp; more</p>"],
    [
      'see <a href="/x" class="y">this</a> please<p>and</p> then',
      '<p>see <a href="/x">this</a> please</p><p>and</p><p> then</p>',
    ],
    ["<p>a</p>\n<p>b</p>", "<p>a</p><p>b</p>"],
    ["", ""],
  ])("%p is stored as %p", async (sent, stored) => expect(await markup.comment(sent)).toBe(stored));
});
