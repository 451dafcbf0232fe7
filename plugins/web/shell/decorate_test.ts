import { expect, test } from "bun:test";
import { cachedDecoration } from "./decorate.ts";
import { framed, frameSources } from "./frames.ts";

const ui = { language: "en", t: (text: string, { place = "" } = {}) => text.replace(":place", String(place)) };
const frames = { ...frameSources("https://*.youtube.com", "https://docs.example.com"), framed };
const htmlOf = async (html: string) => (await cachedDecoration(html, ui, { frames })).html;

test("styles become rules, without declarations that could end a rule, load a resource or move the element", async () => {
  const { html, style } = await cachedDecoration(
    `<p style="text-align: center; width: 1px">a</p><p style="x}y{: 1; background: url(//evil.test); position: fixed; Width: 2px">b</p>
<p style="font-family: 'a; content: &quot;(&quot;; margin: calc(1px; width: 3px /* x">c</p><p title='" style="color: red'>d</p>`,
    ui,
    { frames },
  );
  expect(html).toStartWith('<p data-style="0">a</p><p data-style="1">b</p>\n<p>c</p>');
  expect(style).toBe(
    '.page-content [data-style="0"]{text-align:center;width:1px}\n.page-content [data-style="1"]{width:2px}',
  );
});

test("colours are adapted to dark mode", async () => {
  const { style } = await cachedDecoration(
    '<p style="color: #000 !important; background-color: rgb(255, 255, 0)">a</p>',
    ui,
    { frames },
  );
  expect(style).toContain("color:oklch(from #000 max(l, 0.78) c h) !important");
  expect(style).toContain("background-color:oklch(from rgb(255, 255, 0) min(l, 0.35) c h)");
  expect(style).toContain('@media screen{[data-theme="dark"] .page-content [data-style="0"]{');
});

test("code of a known language is highlighted, with unchanged text", async () => {
  const html = await htmlOf('<pre id="x"><code class="language-js">if (a &lt; 1) alert("&amp;lt;");</code></pre>');
  expect(html).toContain('<span class="hljs-keyword">if</span>');
  expect(html.replace(/<[^>]*>/g, "")).toBe('if (a &lt; 1) alert("&amp;lt;");');
  expect(await htmlOf('<pre><code class="language-dockerfile">FROM x</code></pre>')).toContain("hljs-keyword");
  for (const language of ["nope", "../common", "constructor", ""])
    expect(await htmlOf(`<pre><code class="language-${language}">&lt;b&gt;</code></pre>`)).toBe(
      `<pre tabindex="0"><code class="language-${language}">&lt;b&gt;</code></pre>`,
    );
});

test("headings form an outline, keep their size, and those with an id are the table of contents", async () => {
  const { html, headings } = await cachedDecoration(
    '<h4 id="bkmrk-a">One <em>&amp; two</em></h4><h5>none</h5><h2 class="x" id="b">Three</h2><h6 id="c"> </h6><h1 id="d">Four</h1>',
    ui,
    { frames },
  );
  expect(headings).toEqual([
    { level: 2, id: "bkmrk-a", text: "One & two" },
    { level: 2, id: "b", text: "Three" },
    { level: 2, id: "d", text: "Four" },
  ]);
  expect(html).toContain('<h3 class="like-h5">none</h3><h2 class="x like-h2" id="b">');
});

test("headings with an id end with a link to themselves, unless they are within a link or a summary", async () => {
  const anchor = (id: string) => `<a class="anchor" href="#${id}" aria-label="Link to this section"></a>`;
  expect(await htmlOf('<h2 id="a">One</h2><h2>Two</h2><h2 id="c"></h2>')).toBe(
    `<h2 id="a" class="like-h2">One${anchor("a")}</h2><h2 class="like-h2">Two</h2><h2 id="c" class="like-h2"></h2>`,
  );
  for (const within of [
    '<a href="/x"><h2 id="a">One</h2></a>',
    '<details><summary><h2 id="a">One</h2></summary></details>',
  ])
    expect(await htmlOf(within)).not.toContain("anchor");
});

test("content does not interfere with the screen around it", async () => {
  const html = await htmlOf(
    `<div hx-post="/logout" hx-trigger="load" data-hx-get="/x" data-dialog id="dialog" class="skip nice" autofocus tabindex="1" accesskey="s">a</div>
<svg><a hx-get="/x"></a></svg><main>b</main><p id="bkmrk-a" class="callout info">c</p>`,
  );
  expect(html).toBe(
    '<div class="nice">a</div>\n<svg><a></a></svg><div>b</div><p id="bkmrk-a" class="callout info">c</p>',
  );
});

test("content does not shadow properties of the document, forms and the window", async () => {
  for (const [hostile, harmless] of [
    ['<img name="getElementById" src="/a.png">', '<img src="/a.png" alt="" loading="lazy" decoding="async">'],
    ['<img id="querySelector" name="body" src="/a.png">', '<img src="/a.png" alt="" loading="lazy" decoding="async">'],
    ['<img id="submit">', '<img alt="" loading="lazy" decoding="async">'],
    [
      '<svg><foreignObject><img name="cookie"></foreignObject></svg>',
      '<svg><foreignObject><img alt="" loading="lazy" decoding="async"></foreignObject></svg>',
    ],
    ['<p id="addEventListener">a</p><b id="toString">b</b>', "<p>a</p><b>b</b>"],
    ['<output id="elements" name="dataset">c</output>', "<output>c</output>"],
    ['<x-y id="submit" name="reset">c</x-y>', "<x-y>c</x-y>"],
    ['<p name="forms">d</p>', "<p>d</p>"],
  ] as const)
    expect([hostile, await htmlOf(hostile)]).toEqual([hostile, harmless]);
  expect(await htmlOf('<input type="checkbox" name="dataset" id="elements">')).toBe(
    '<input type="checkbox" disabled="" aria-label="To do">',
  );
  // Targets of links are kept.
  for (const kept of [
    '<p id="bkmrk-a">a</p><a href="#bkmrk-a">b</a>',
    '<p id="intro">a</p><a name="old">b</a>',
    '<map name="plan"></map><details name="one"></details>',
  ])
    expect(await htmlOf(kept)).toBe(kept);
  expect(await htmlOf('<img id="bkmrk-plan" src="/a.png">')).toContain('id="bkmrk-plan"');
});

test("tables scroll, checkboxes, images and links have names, frames become links", async () => {
  expect(await htmlOf("<table><tbody><tr><th></th><td><table></table></td></tr></tbody></table><p>x</p>")).toBe(
    '<div class="scrolls" tabindex="0" role="figure" aria-label="Table"><table><tbody><tr><td></td><td><table></table></td></tr></tbody></table></div><p>x</p>',
  );
  expect(await htmlOf('<input type="checkbox" checked="">')).toBe(
    '<input type="checkbox" checked="" disabled="" aria-label="Done">',
  );
  expect(await htmlOf('<a href="/a.png" target="_blank"><img src="/a.png"></a>')).toBe(
    '<a href="/a.png" target="_blank" rel="noopener" aria-label="Image"><img src="/a.png" alt="" loading="lazy" decoding="async"></a>',
  );
  expect(await htmlOf('<iframe src="https://video.test/1"></iframe>')).toBe(
    '<p class="embedded"><a href="https://video.test/1" rel="noopener noreferrer">Embedded content of video.test</a></p>',
  );
  expect(await htmlOf('<iframe src="about:blank"></iframe>')).toBe(
    '<p class="embedded"><span>Embedded content of about:blank</span></p>',
  );
});

test("frames of allowed sources stay, sandboxed and with a name", async () => {
  expect(
    await htmlOf(
      '<iframe src="https://www.youtube.com/embed/x" width="560" allow="camera" name="top" sandbox="allow-top-navigation"></iframe>',
    ),
  ).toBe(
    '<iframe src="https://www.youtube.com/embed/x" width="560" title="Embedded content of www.youtube.com" sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-presentation allow-downloads" loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>',
  );
  expect(await htmlOf('<iframe src="https://evil.test/x"></iframe>')).toContain('<a href="https://evil.test/x"');
});
