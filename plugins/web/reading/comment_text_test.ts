import { expect, test } from "bun:test";
import type { Visit } from "lectern/contracts";
import { commentHtml, commentInput } from "./comment_text.ts";

const sent = (text: string, format = "plain") =>
  commentHtml({ text: (field: string) => ({ text, format })[field] ?? "" } as unknown as Visit);

test("plain text becomes paragraphs and is converted back unchanged", () => {
  for (const text of ["one", "one\ntwo\n\nthree", `<b>"it's"</b> & &amp;`, "  a\n\n\n\nb"]) {
    const typed = commentInput(sent(text));
    expect(typed.format).toBe("plain");
    expect(sent(typed.text)).toBe(sent(text));
  }
  expect(sent("a <b>\r\nc\r\n\r\nd")).toBe("<p>a &lt;b&gt;<br>c</p><p>d</p>");
  expect(sent(" \n\n ")).toBe("");
});

test("a comment with formatting is edited as HTML", () => {
  for (const html of ["<p>a <strong>b</strong></p>", "<ul><li>a</li></ul>", '<p><a href="/x">a</a></p>']) {
    expect(commentInput(html)).toEqual({ text: html, format: "html" });
    expect(sent(html, "html")).toBe(html);
  }
});
