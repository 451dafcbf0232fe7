import { expect, test } from "bun:test";
import { dressed } from "./dress.ts";

test("styles become rules, and what could end a rule or load something is left out", () => {
  const html =
    '<p style="text-align: center; color: red">a</p><p style="x}y{: 1; background: url(//evil.test); width: 1px">b</p><p title="a &lt; style=&quot;x">c</p>';
  const { html: written, style } = dressed(html);
  expect(written).toBe('<p data-style="0">a</p><p data-style="1">b</p><p title="a &lt; style=&quot;x">c</p>');
  expect(style).toBe('[data-style="0"]{text-align: center;color: red}\n[data-style="1"]{width: 1px}');
  expect(dressed('<p>style="x: y"</p>')).toEqual({ html: '<p>style="x: y"</p>', style: undefined, headings: [] });
});

test("code of a known language is coloured and stays what it was", () => {
  const { html } = dressed('<pre id="x"><code class="language-js">if (a &lt; 1) alert("&amp;lt;");</code></pre>');
  expect(html).toContain('<span class="hljs-keyword">if</span>');
  expect(html.replace(/<[^>]*>/g, "")).toBe("if (a &lt; 1) alert(&quot;&amp;lt;&quot;);");
  expect(dressed('<pre><code class="language-nope">&lt;b&gt;</code></pre>').html).toBe(
    '<pre tabindex="0"><code class="language-nope">&lt;b&gt;</code></pre>',
  );
});

test("headings with an id are the table of contents, in words", () => {
  const { headings } = dressed(
    '<h2 id="bkmrk-a">One <em>&amp; two</em></h2><h3>none</h3><h3 class="x" id="b">Three</h3><h2 id="c"> </h2>',
  );
  expect(headings).toEqual([
    { level: 2, id: "bkmrk-a", text: "One & two" },
    { level: 3, id: "b", text: "Three" },
  ]);
});
