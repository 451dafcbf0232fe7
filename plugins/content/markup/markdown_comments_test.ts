import { expect, test } from "bun:test";
import { commentOfMarkdown } from "./markdown_comments.ts";

test.each([
  [
    "a\nb **c**\nd\n**e**\n**f**",
    "<p>a<br>\nb <strong>c</strong><br>\nd<br>\n<strong>e</strong><br>\n<strong>f</strong></p>",
  ],
  ["hard  \nbreak", "<p>hard<br>\nbreak</p>"],
  ["- x\n  y\n  - z\n- [x] t", "<ul>\n<li>x<br>\ny\n<ul>\n<li>z</li>\n</ul>\n</li>\n<li>☑ t</li>\n</ul>"],
  ["> q\n> r\n\n```js\nx\ny\n```", "<blockquote>\n<p>q<br>\nr</p>\n</blockquote><pre><code>x\ny\n</code></pre>"],
  ["# Head", "<p><strong>Head</strong></p>"],
  ["![alt](/x.png) ![](/y.png)", '<p><a href="/x.png">alt</a> <a href="/y.png">/y.png</a></p>'],
  ["see https://example.com/a", '<p>see <a href="https://example.com/a">https://example.com/a</a></p>'],
  ["<img src=x onerror=alert(1)> <b>x</b>", "<p>&lt;img src=x onerror=alert(1)&gt; &lt;b&gt;x&lt;/b&gt;</p>"],
  ["<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"],
  ["  \n", ""],
])("the comment %p becomes %p", (markdown, html) => {
  expect(commentOfMarkdown(markdown)).toBe(html);
});
