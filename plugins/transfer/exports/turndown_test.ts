import { expect, test } from "bun:test";
import { convert, convertForEditing } from "./turndown.ts";

const TABLE: readonly [html: string, markdown: string][] = [
  ["<h1>One</h1><h3>Three</h3>", "# One\n\n### Three"],
  ["<p>a <b>b</b> <i>c</i> <code>d</code></p>", "a **b** *c* `d`"],
  ["<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>x</li><li>y</li></ol>", "- a\n- b\n    - c\n\n1. x\n2. y"],
  ['<ol start="4"><li>x</li><li>y</li></ol>', "4. x\n5. y"],
  [
    '<ul><li><input type="checkbox" checked> done</li><li><input type="checkbox"> todo</li></ul>',
    "- [x]  done\n- [ ]  todo",
  ],
  ["<blockquote><p>said</p></blockquote><hr><p>after</p>", "> said\n\n---\n\nafter"],
  ['<pre><code class="language-ts">a\nb\n</code></pre>', "```ts\na\nb\n\n```"],
  ["<pre>a\n  b</pre>", "```\na\n  b\n```"],
  ["<pre><code>```\nx\n```</code></pre>", "````\n```\nx\n```\n````"],
  [
    '<p><a href="https://example.com" title="t">link</a> and <img src="/i.png" alt="pic"></p>',
    '[link](https://example.com "t") and ![pic](/i.png)',
  ],
  [
    "<p>one<br>two</p><p>* no list</p><p># no heading</p><p>1. no number</p>",
    "one  \ntwo\n\n\\* no list\n\n\\# no heading\n\n1\\. no number",
  ],
  ["<p>a*b_c</p>", "a\\*b\\_c"],
  ['<p id="x" class="callout info">Note <strong>this</strong></p>', '<p class="callout info">Note **this**</p>'],
  ["<p>a &lt; b &amp; c &gt; &lt;script&gt;</p>", "a &lt; b &amp; c &gt; &lt;script&gt;"],
  [
    '<p>a <s>b</s> <u>c</u> <span style="color:red">d</span></p>',
    'a <s>b</s> <u>c</u> <span style="color:red">d</span>',
  ],
  [
    "<p>Press <kbd>*</kbd> or <kbd>`</kbd>, <sup>__init__</sup>, <small>[x](y) &lt;b&gt; <i>a_b</i> ~c~ \\d</small></p>",
    "Press <kbd>\\*</kbd> or <kbd>\\`</kbd>, <sup>\\_\\_init\\_\\_</sup>, <small>\\[x\\](y) &lt;b&gt; <i>a\\_b</i> \\~c\\~ \\\\d</small>",
  ],
  ['<p><a href="/a"><u title="a*b">c*d</u></a></p>', '[<u title="a*b">c\\*d</u>](/a)'],
  [
    "<table><tbody><tr><td><kbd>*</kbd></td></tr></tbody></table>",
    "<table><tbody><tr><td><kbd>*</kbd></td></tr></tbody></table>",
  ],
  ["<table><tbody><tr><td>a</td></tr></tbody></table>", "<table><tbody><tr><td>a</td></tr></tbody></table>"],
  ['<div drawio-diagram="5"><img src="/d.png"></div>', '<div drawio-diagram="5"><img src="/d.png"></div>'],
  [
    "<details><summary>More</summary><p>x <b>y</b></p></details>",
    "<details><summary>More</summary>\n\nx **y**\n\n</details>",
  ],
  ['<iframe src="https://example.com"></iframe><p>x</p>', '<iframe src="https://example.com"></iframe>\n\nx'],
  ["<!-- no --><p>yes</p>", "yes"],
  ["<p></p>", ""],
];

for (const [html, markdown] of TABLE)
  test(`${html.slice(0, 60)} becomes ${JSON.stringify(markdown).slice(0, 60)}`, () => {
    expect(convert(html)).toBe(markdown);
  });

const EDITED: readonly [html: string, markdown: string][] = [
  [
    '<table>\n<thead>\n<tr>\n<th>A</th>\n<th align="right">B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><strong>1</strong> | x</td>\n<td align="right">2<br>3</td>\n</tr>\n<tr>\n<td></td>\n<td></td>\n</tr>\n</tbody>\n</table>',
    "| A | B |\n| --- | ---: |\n| **1** \\| x | 2<br>3 |\n|  |  |",
  ],
  [
    '<table><thead><tr><th colspan="2">A</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
    '<table><thead><tr><th colspan="2">A</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  ],
  ["<p>a <s>b</s> &amp; c &lt; d &amp;lt; &lt;b&gt;</p>", "a ~~b~~ & c < d &amp;lt; &lt;b>"],
  ['<pre><code class="language-ts">a\nb\n</code></pre>', "```ts\na\nb\n```"],
  ['<ul><li class="task-list-item"><input checked disabled type="checkbox"> done</li></ul>', "- [x] done"],
];

test("what an editor writes as Markdown is as people write it", () => {
  expect(EDITED.map(([html]) => convertForEditing(html))).toEqual(EDITED.map(([, markdown]) => markdown));
});
