import { describe, expect, test } from "bun:test";
import { createRequire } from "node:module";
import { toHtml } from "./markdown.ts";
import { isHeavy, newConverter } from "./marked_converter.ts";
import { markup } from "./markup.ts";
import { serialize } from "./serialize.ts";
import { parse } from "./tree.ts";

/** Markdown and the `raw_html` it is stored as (content-api 9.6 and recorded answers). */
const PAGES: Record<string, [string, string]> = {
  "headings and emphasis": [
    "# Tools\n\nUse *light* and **heavy** hammers",
    '<h1 id="bkmrk-tools">Tools</h1>\n<p id="bkmrk-use-light-and-heavy-">Use <em>light</em> and <strong>heavy</strong> hammers</p>\n',
  ],
  "task list": [
    "- [ ] sweep\n- [x] mop",
    '<ul id="bkmrk-sweep-mop">\n<li class="task-list-item"><input disabled type="checkbox"> sweep</li>\n<li class="task-list-item"><input checked disabled type="checkbox"> mop</li>\n</ul>\n',
  ],
  table: [
    "| part | price |\n|:---|---:|\n| bolt | 3 |",
    '<table id="bkmrk-part-price-bolt-3">\n<thead>\n<tr>\n<th align="left">part</th>\n<th align="right">price</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">bolt</td>\n<td align="right">3</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  "table without alignment": [
    "| k | v |\n|---|--:|\n| a | 1 |",
    '<table id="bkmrk-k-v-a-1">\n<thead>\n<tr>\n<th>k</th>\n<th align="right">v</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>a</td>\n<td align="right">1</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  "code fence": [
    "```js\nlet a = 1 && 2;\n```",
    '<pre id="bkmrk-let-a-%3D-1-%26%26-2%3B"><code class="language-js">let a = 1 &amp;&amp; 2;\n</code></pre>\n',
  ],
  strike: ["~~gone~~ ~here~", '<p id="bkmrk-gone-here"><s>gone</s> <s>here</s></p>\n'],
  "bare address": [
    "See https://example.com now",
    '<p id="bkmrk-see-https%3A%2F%2Fexample.">See https://example.com now</p>\n',
  ],
  "soft and hard breaks": [
    "one\ntwo  \nthree\\\nfour",
    '<p id="bkmrk-one-two-three-four">one\ntwo<br>\nthree<br>\nfour</p>\n',
  ],
  "raw html": ["<div>kept</div>\n\nand text", '<div id="bkmrk-kept">kept</div>\n<p id="bkmrk-and-text">and text</p>\n'],
  "picture and link": [
    '![plan](/plan.png "Plan") [site](https://example.com)',
    '<p id="bkmrk-site"><img src="/plan.png" alt="plan" title="Plan"> <a href="https://example.com">site</a></p>\n',
  ],
  "quote and rule": [
    "> said\n\n---\n\n1. first\n2. second",
    '<blockquote id="bkmrk-said">\n<p>said</p>\n</blockquote>\n<hr id="bkmrk-">\n<ol id="bkmrk-first-second">\n<li>first</li>\n<li>second</li>\n</ol>\n',
  ],
  "nested list": [
    "- a\n    - b\n        - c",
    '<ul id="bkmrk-a-b-c">\n<li>a\n<ul>\n<li>b\n<ul>\n<li>c</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>\n',
  ],
  escapes: [
    "\\*not em\\* `code <b>`",
    '<p id="bkmrk-%2Anot-em%2A-code-%3Cb%3E">*not em* <code>code &lt;b&gt;</code></p>\n',
  ],
  "carriage returns": ["a\r\nb\r\n\r\nc", '<p id="bkmrk-a-b">a\nb</p>\n<p id="bkmrk-c">c</p>\n'],
};

/** Rules of CommonMark and its extensions, without ids; the converter that plugins change agrees. */
const RULES: [string, string][] = [
  ["- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"],
  ["- a\n\n- b", "<ul>\n<li>\n<p>a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>\n"],
  ["- a\n\n  b\n- c", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>\n"],
  ["3) a\n4) b", '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>\n'],
  ["- a\n+ b", "<ul>\n<li>a</li>\n</ul>\n<ul>\n<li>b</li>\n</ul>\n"],
  ["-\n- b", "<ul>\n<li></li>\n<li>b</li>\n</ul>\n"],
  ["- # h\n  t", "<ul>\n<li>\n<h1>h</h1>\nt</li>\n</ul>\n"],
  ["1. a\n\n   ```\n   x\n   ```", "<ol>\n<li>\n<p>a</p>\n<pre><code>x\n</code></pre>\n</li>\n</ol>\n"],
  ["- a\n  > q", "<ul>\n<li>a\n<blockquote>\n<p>q</p>\n</blockquote>\n</li>\n</ul>\n"],
  [
    "- [ ] a\n\n- [x] b",
    '<ul>\n<li class="task-list-item">\n<p><input disabled type="checkbox"> a</p>\n</li>\n<li class="task-list-item">\n<p><input checked disabled type="checkbox"> b</p>\n</li>\n</ul>\n',
  ],
  [
    "1. [X] a\n2. b",
    '<ol>\n<li class="task-list-item"><input checked disabled type="checkbox"> a</li>\n<li>b</li>\n</ol>\n',
  ],
  [
    "[ ] no list\n\n- [x]no space\n- [x](/a) link",
    '<p>[ ] no list</p>\n<ul>\n<li class="task-list-item"><input checked disabled type="checkbox">no space</li>\n' +
      '<li><a href="/a">x</a> link</li>\n</ul>\n',
  ],
  [
    "- [x]\n- [x]*a*\n- [ ]\n  - a",
    "<ul>\n<li>[x]</li>\n<li>[x]<em>a</em></li>\n<li>[ ]\n<ul>\n<li>a</li>\n</ul>\n</li>\n</ul>\n",
  ],
  [
    "- [ ]no space\n\n- [] none",
    '<ul>\n<li class="task-list-item">\n<p><input disabled type="checkbox">no space</p>\n</li>\n<li>\n<p>[] none</p>\n</li>\n</ul>\n',
  ],
  ["> a\n> > b\nlazy", "<blockquote>\n<p>a</p>\n<blockquote>\n<p>b\nlazy</p>\n</blockquote>\n</blockquote>\n"],
  ["> foo\nbar\n===", "<blockquote>\n<p>foo\nbar\n===</p>\n</blockquote>\n"],
  [">", "<blockquote>\n</blockquote>\n"],
  ["One\ntwo\n===\n\nThree\n---", "<h1>One\ntwo</h1>\n<h2>Three</h2>\n"],
  ["#no\n\n####### no\n\n# yes #", "<p>#no</p>\n<p>####### no</p>\n<h1>yes</h1>\n"],
  ["    code\n\n    more", "<pre><code>code\n\nmore\n</code></pre>\n"],
  ["```\n```", "<pre><code></code></pre>\n"],
  ["~~~~ ts title\na\n~~~\n~~~~", '<pre><code class="language-ts">a\n~~~\n</code></pre>\n'],
  ["  aaa\n bbb", "<p>aaa\nbbb</p>\n"],
  ["foo  ", "<p>foo</p>\n"],
  ["`` a`b `` `&amp;`", "<p><code>a`b</code> <code>&amp;amp;</code></p>\n"],
  ["***a*** __b__ _c_ a_b_c", "<p><em><strong>a</strong></em> <strong>b</strong> <em>c</em> a_b_c</p>\n"],
  [
    "[a](<b c> 'd') [e][f] [f]\n\n[f]: /g \"h\"",
    '<p><a href="b%20c" title="d">a</a> <a href="/g" title="h">e</a> <a href="/g" title="h">f</a></p>\n',
  ],
  [
    "<https://e.com/?a=b&c> <me@e.com>",
    '<p><a href="https://e.com/?a=b&amp;c">https://e.com/?a=b&amp;c</a> <a href="mailto:me@e.com">me@e.com</a></p>\n',
  ],
  ["www.e.com me@e.com http://e.com", "<p>www.e.com me@e.com http://e.com</p>\n"],
  ["![a *b* [c](d)](e)", '<p><img src="e" alt="a b c"></p>\n'],
  ["[x](javascript:alert)", '<p><a href="javascript:alert">x</a></p>\n'],
  ["&copy; &copy &amp; &#35; &x; <", "<p>© &amp;copy &amp; # &amp;x; &lt;</p>\n"],
  ["<div>\n*a*\n\n*b*\n\n</div>", "<div>\n*a*\n<p><em>b</em></p>\n</div>\n"],
  ["<!-- c -->\n- a", "<!-- c -->\n<ul>\n<li>a</li>\n</ul>\n"],
  ["a <b class='x'>b</b> <br/>", '<p>a <b class="x">b</b> <br></p>\n'],
  ["|a|b|\n|-|:-:|", '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="center">b</th>\n</tr>\n</thead>\n</table>\n'],
  [
    "a | b\n--|--\n1 | x \\| y\n2",
    "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>x | y</td>\n</tr>\n<tr>\n<td>2</td>\n<td></td>\n</tr>\n</tbody>\n</table>\n",
  ],
  ["a~~b~~c ~~ d ~~ ~~~e~~~", "<p>a<s>b</s>c ~~ d ~~ ~~~e~~~</p>\n"],
  ['"quotes" -- dashes... [^1] $x$', '<p>"quotes" -- dashes... [^1] $x$</p>\n'],
  ["***\n---\n_ _ _", "<hr>\n<hr>\n<hr>\n"],
  ["- one  \n  two\n- three\\\n  four", "<ul>\n<li>one<br>\ntwo</li>\n<li>three<br>\nfour</li>\n</ul>\n"],
  [
    "1. one  \n   two  \n\n2. three  \n   four",
    "<ol>\n<li>\n<p>one<br>\ntwo</p>\n</li>\n<li>\n<p>three<br>\nfour</p>\n</li>\n</ol>\n",
  ],
  [
    "- one  \nlazy  \n  - two  \n    # h",
    "<ul>\n<li>one<br>\nlazy\n<ul>\n<li>two\n<h1>h</h1>\n</li>\n</ul>\n</li>\n</ul>\n",
  ],
  [
    "- [ ] one  \n  two",
    '<ul>\n<li class="task-list-item"><input disabled type="checkbox"> one<br>\ntwo</li>\n</ul>\n',
  ],
  ["one\n#two\n---", "<h2>one\n#two</h2>\n"],
  ["one\n#\n---", "<p>one</p>\n<h1></h1>\n<hr>\n"],
  ["> |a|b|\n|-|-|\n|1|2|", "<blockquote>\n<p>|a|b|\n|-|-|\n|1|2|</p>\n</blockquote>\n"],
  ["one \n two\t\nthree", "<p>one\ntwo\nthree</p>\n"],
  ["```\n\tmake  \n\t\t-x\n```", "<pre><code>\tmake  \n\t\t-x\n</code></pre>\n"],
  ["<div>\n\ta\n</div>", "<div>\n\ta\n</div>\n"],
  ["", ""],
];

describe("Markdown becomes HTML", () => {
  test.each(Object.entries(PAGES))("%s", async (_name, [markdown, wanted]) => {
    const content = await markup.store({ markdown });
    expect(content.html).toBe(wanted);
    expect(content.rendered).toBe(wanted);
    expect(content.markdown).toBe(markdown);
  });

  test.each(RULES)("%p is written in the form of the contract", (markdown, wanted) => {
    expect(serialize(parse(toHtml(markdown)))).toBe(wanted);
  });

  test.each(RULES)("%p is written the same by the converter that plugins change", (markdown, wanted) => {
    expect(serialize(parse(toHtml(markdown, newConverter())))).toBe(wanted);
  });

  test("a per cent sign in a URL is encoded unless it encodes something", () => {
    expect(serialize(parse(toHtml("[a](/100%) [b](/%41)")))).toBe(
      '<p><a href="/100%25">a</a> <a href="/%41">b</a></p>\n',
    );
  });

  test("scripts in Markdown are stored but not rendered", async () => {
    const content = await markup.store({ markdown: "a [b](javascript:x)\n\n<script>alert(1)</script>" });
    expect(content.html).toContain("<script");
    expect(content.rendered).toBe('<p id="bkmrk-a-b">a </p>\n\n');
  });
});

interface Example {
  readonly number: number;
  readonly markdown: string;
  readonly html: string;
}

describe("CommonMark", () => {
  // The package has no types.
  const { tests } = createRequire(import.meta.url)("commonmark-spec") as { tests: readonly Example[] };
  const withTabs = (text: string) => text.replaceAll("→", "\t");

  test.each([
    ["", undefined],
    [" by the converter that plugins change", newConverter()],
  ])("every example of its specification is followed%s", (_by, changed) => {
    expect(tests.length).toBe(652);
    const wrong = tests.filter(({ markdown, html }) => {
      const [made, wanted] = [toHtml(withTabs(markdown), changed), withTabs(html)];
      return serialize(parse(made)) !== serialize(parse(wanted));
    });
    expect(wrong.map(({ number }) => number)).toEqual([]);
  });
});

/** Markdown with tags as the converter writes them, which stay as they are. */
test.each([
  ["~~a~~ <del>b</del>", "<p><s>a</s> <del>b</del></p>\n"],
  ["`<del>` <DEL>a</DEL>", "<p><code>&lt;del&gt;</code> <del>a</del></p>\n"],
  [
    "|a|\n|-|\n\n<table><tr><td>b</td><td>c</td></tr></table>",
    "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table>\n<table><tbody><tr><td>b</td><td>c</td></tr></tbody></table>\n",
  ],
  ["<ul><li>[x]a</li></ul>", "<ul><li>[x]a</li></ul>\n"],
  ["- \\[x\\]a\n- \\[x]b", "<ul>\n<li>[x]a</li>\n<li>[x]b</li>\n</ul>\n"],
  ['<a href="/50%">a</a> [b](/50%)', '<p><a href="/50%">a</a> <a href="/50%25">b</a></p>\n'],
  ["[a](/x<tr><td>)", '<p><a href="/x%3Ctr%3E%3Ctd%3E">a</a></p>\n'],
])("HTML of the author is not taken for that of the converter: %j", (markdown, html) => {
  expect(serialize(parse(toHtml(markdown)))).toBe(html);
});

/** Lines that begin with tabs, in code and elsewhere. */
test.each([
  [
    "all:\n\n\t\tx\n    \ty\n\n~~~\nb:\n\t&lt;<>\n\t\n~~~",
    "<p>all:</p>\n<pre><code>\tx\n\ty\n</code></pre>\n<pre><code>b:\n\t&amp;lt;&lt;&gt;\n\t\n</code></pre>\n",
  ],
  ["- a\n\n  ```\n  \tb\n\tc\n  ```", "<ul>\n<li>\n<p>a</p>\n<pre><code>\tb\n  c\n</code></pre>\n</li>\n</ul>\n"],
  ["> ```\n> \ta\n>\tb\n> ```", "<blockquote>\n<pre><code>\ta\n  b\n</code></pre>\n</blockquote>\n"],
  [
    "\tx\n\na\n\tx\n\n```\n    x\n\tx\n```",
    "<pre><code>x\n</code></pre>\n<p>a\nx</p>\n<pre><code>    x\n\tx\n</code></pre>\n",
  ],
])("tabs at the beginning of a line of code stay: %j", (markdown, html) => {
  expect(serialize(parse(toHtml(markdown)))).toBe(html);
});

test.each([
  ["one\ntwo\n===", "<h1>one\ntwo</h1>\n"],
  ["one\n   --- \ntwo", "<h2>one</h2>\n<p>two</p>\n"],
  ["one\n    ===\n=", "<h1>one\n===</h1>\n"],
  ["one\n\n===", "<p>one</p>\n<p>===</p>\n"],
  ["one\n# two\n===", "<p>one</p>\n<h1>two</h1>\n<p>===</p>\n"],
  ["one\n== two", "<p>one\n== two</p>\n"],
])("an underline makes a heading of the paragraph right above it alone: %j", (markdown, html) => {
  expect(toHtml(markdown)).toBe(html);
  expect(toHtml(markdown, newConverter())).toBe(html);
});

describe("hostile Markdown", () => {
  const nested = Array.from({ length: 500 }, (_each, depth) => `${"  ".repeat(depth)}- a`).join("\n");
  test.each([
    ["500 nested lists", nested],
    ["20,000 openings of emphasis", "**a ".repeat(20_000)],
    ["a million brackets", "[".repeat(1_000_000)],
    ["100,000 quotes", ">".repeat(100_000)],
    ["200,000 spaces within a line", `a${" ".repeat(200_000)}b`],
    ["140,000 lines of one paragraph", "a\n".repeat(140_000)],
    ["lists in numbered lists", "1. ".repeat(2_000)],
  ])("%s are not left to the converter that plugins change, and are done within seconds", (_name, markdown) => {
    expect(isHeavy(markdown)).toBe(true);
    const start = performance.now();
    toHtml(markdown, newConverter());
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("an ordinary long page is not hostile", () => {
    const section =
      "## Part\n\nSome *words* with [links](/a) and `code`.\n\n- one\n    - two\n        - three\n\n```\n- x\n```\n\n";
    expect(isHeavy(section.repeat(1_500))).toBe(false);
  });
});
