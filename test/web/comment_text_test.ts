import { expect, test } from "bun:test";
import type { Visit } from "lectern/contracts";
import { markup } from "../../plugins/content/markup/markup.ts";
import { commentInput, commentText } from "../../plugins/web/reading/comment_text.ts";

const sent = (text: string, format = "markdown") =>
  commentText({ text: (field: string) => ({ text, format })[field] ?? "" } as unknown as Visit);

test("a comment without formatting is edited as Markdown that says the same", async () => {
  for (const html of [
    "<p>one</p>",
    "<p>one<br>two</p><p>three</p>",
    '<p>&lt;b&gt;"it\'s"&lt;/b&gt; &amp; &amp;amp;</p>',
    "<p># no heading<br>- no list<br>1. none<br>&gt; no quote</p>",
    "<p>2 * 3 * 4, snake_case, _a_ `b` [c](d) ~~e~~ a\\*b</p>",
    "<p>a | b<br>--- | ---</p><p>====</p>",
  ]) {
    const { text, format } = commentInput({ html });
    expect([html, format]).toEqual([html, "markdown"]);
    expect((await markup.commentOfMarkdown(text)).replaceAll("<br>\n", "<br>")).toBe(html);
  }
  expect(commentInput({ html: "<p>snake_case is 3.5</p>" }).text).toBe("snake_case is 3.5");
});

test("Markdown is edited as it was typed, HTML with formatting as HTML", () => {
  expect(commentInput({ html: "<p><strong>a</strong></p>", markdown: "**a**" })).toEqual({
    text: "**a**",
    format: "markdown",
  });
  expect(sent("**a**\r\nb")).toEqual({ markdown: "**a**\nb" });
  for (const html of ["<p>a <strong>b</strong></p>", "<ul><li>a</li></ul>", '<p><a href="/x">a</a></p>']) {
    expect(commentInput({ html })).toEqual({ text: html, format: "html" });
    expect(sent(html, "html")).toEqual({ html });
  }
});
