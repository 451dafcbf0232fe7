import { expect, test } from "bun:test";
import { isOwnHtml } from "./own_work.ts";

const filled = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const FORMATTING = "<b><i><u><s><em><tt><big><code><font><small><strong><strike>";
const PAGE =
  "<h2>Part</h2>\n<p>Call the <strong>DBA</strong> on duty, at any <a href='/hour'>hour</a>. Then look at the log of the node, " +
  "and write down what it says about the disk, and since when.</p>\n<ul>\n<li>one thing</li>\n<li>two things</li>\n</ul>\n";

test("an ordinary page of 20,000 characters is the server's own work, and one of 60,000 is not", () => {
  expect(isOwnHtml(PAGE.repeat(Math.floor(20_000 / PAGE.length)))).toBe(true);
  expect(isOwnHtml(PAGE.repeat(Math.floor(60_000 / PAGE.length)))).toBe(false);
});

test("HTML that a parser repeats, nests or parses again is judged by what it makes, and not by its length", () => {
  const nasty: Record<string, string> = {
    "formatting elements before many paragraphs": `<p>${FORMATTING}</p>${"<p>x".repeat(600)}`,
    "attributes of one before many": `<p><b ${filled("a=1 ", 4_000)}></p>${"<p>x".repeat(100)}`,
    "end tags that make elements": "</p>".repeat(2_000),
    "elements without an end": "<li>".repeat(1_500),
    "more than a thousand tags that close nothing": filled("<p></i>", 8_000),
    "signs that may be entities": `<p>${filled("&", 30_000)}</p>`,
    "special elements in a long text": `<plaintext>${filled("x ", 20_000)}`,
    "an element that is left open in a long text": `<p>${filled("x ", 20_000)}`,
    "a tag that never ends": filled("<a<", 30_000),
  };
  for (const [name, html] of Object.entries(nasty)) expect([name, isOwnHtml(html)]).toEqual([name, false]);
});

test("short HTML of any kind is the server's own work", () => {
  for (const html of ["", "a < b", "<p>a", "</p></b>", "<svg><g></svg>", `<p>${FORMATTING}</p><p>x`, "<b>".repeat(20)])
    expect([html, isOwnHtml(html)]).toEqual([html, true]);
});
