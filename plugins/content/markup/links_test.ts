import { describe, expect, test } from "bun:test";
import { markup } from "./markup.ts";

const OLD = "https://docs.test/books/a";
const NEW = "https://docs.test/books/b";
const MOVED = new Map([
  [OLD, NEW],
  [`${OLD}/page/x`, `${NEW}/page/y`],
]);

describe("links to something that moved", () => {
  test.each([
    [`<p><a href="${OLD}">go</a></p>`, `<p><a href="${NEW}">go</a></p>`],
    [`<p><a href="${OLD}#bkmrk-x">go</a></p>`, `<p><a href="${NEW}#bkmrk-x">go</a></p>`],
    [`<p><a href="${OLD}?a=1&amp;b=2">go</a></p>`, `<p><a href="${NEW}?a=1&amp;b=2">go</a></p>`],
    [`<p><a href="${OLD}/page/x#s">go</a></p>`, `<p><a href="${NEW}/page/y#s">go</a></p>`],
    [`<p><a href="${OLD}/chapter/c">go</a></p>`, `<p><a href="${NEW}/chapter/c">go</a></p>`],
  ])("%p becomes %p", async (html, wanted) => {
    expect(await markup.relink({ html, markdown: "" }, MOVED)).toEqual({ html: wanted, markdown: "" });
  });

  test.each([
    `<p><a href="${OLD}b">other book</a></p>`,
    `<p><a href="${OLD}-2/page/x">other book</a></p>`,
    `<p>${OLD}</p>`,
    '<p><a href="#top">up</a></p>',
    "",
  ])("%p has nothing to change", async (html) =>
    expect(await markup.relink({ html, markdown: "" }, MOVED)).toBeUndefined(),
  );

  test.each([
    [`[go](${OLD}/page/x#bkmrk-here)`, `[go](${NEW}/page/y#bkmrk-here)`],
    [`[go](${OLD} "title")`, `[go](${NEW} "title")`],
    [`[go](<${OLD}>) <${OLD}>`, `[go](<${NEW}>) <${NEW}>`],
    [`[go][1]\n\n[1]: ${OLD}`, `[go][1]\n\n[1]: ${NEW}`],
    [`<a href="${OLD}">go</a>`, `<a href="${NEW}">go</a>`],
    [`[go](${OLD}b) and [go](${OLD})`, `[go](${OLD}b) and [go](${NEW})`],
  ])("the Markdown %p becomes %p", async (markdown, wanted) => {
    expect(await markup.relink({ html: "", markdown }, MOVED)).toEqual({ html: "", markdown: wanted });
  });

  test("bare addresses in Markdown are text", async () => {
    expect(await markup.relink({ html: "", markdown: `see ${OLD}` }, MOVED)).toBeUndefined();
  });
});
