import { expect, test } from "bun:test";
import { marked, place } from "./place.ts";

const MARK = "zmark";
const draw = async ({ tex, isBlock }: { tex: string; isBlock: boolean }) =>
  `<i title="${isBlock ? "block" : "line"}">${tex.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</i>`;
const toHtml = (markdown: string) => Bun.markdown.html(markdown);
const placed = (markdown: string, html = toHtml(markdown)) =>
  place({ html, markdown, sample: toHtml(marked(markdown, MARK)), mark: MARK }, draw);

test("place() puts formulas where their signs are, whatever became of their text", async () => {
  expect(await placed("Let $a*b*c$ be $x < y$.")).toBe(
    '<p>Let <i title="line">a*b*c</i> be <i title="line">x &lt; y</i>.</p>\n',
  );
  expect(await placed("$$\na\n+ b\n- c\n$$\n\nText")).toBe('<p><i title="block">a\n+ b\n- c</i></p>\n<p>Text</p>\n');
  expect(await placed("- $\\frac{1}{2}$\n- **$z$** $5")).toBe(
    '<ul>\n<li><i title="line">\\frac{1}{2}</i></li>\n<li><strong><i title="line">z</i></strong> $5</li>\n</ul>\n',
  );
});

test("place() leaves code, escaped signs and links alone", async () => {
  const markdown = "`$a$` and \\$x\\$ as $x$\n\n```\n$b$\n```\n\n[$c$](/$d$) $e$";
  expect(await placed(markdown)).toBe(
    '<p><code>$a$</code> and $x$ as <i title="line">x</i></p>\n<pre><code>$b$\n</code></pre>\n<p><a href="/$d$">$c$</a> <i title="line">e</i></p>\n',
  );
});

test("place() knows signs that the page has besides, such as those of included pages", async () => {
  const markdown = "One $x$ here.\n\n{{@5}}\n\nTwo $y$ there.";
  const html = toHtml(markdown).replace("{{@5}}", "Costs $5, or $z$ of another page, $x$");
  expect(await placed(markdown, html)).toBe(
    '<p>One <i title="line">x</i> here.</p>\n<p>Costs $5, or $z$ of another page, $x$</p>\n<p>Two <i title="line">y</i> there.</p>\n',
  );
  expect(await placed("$x$", "<p>Another text</p>")).toBe("<p>Another text</p>");
});
