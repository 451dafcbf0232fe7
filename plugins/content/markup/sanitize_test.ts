import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { markup } from "./markup.ts";
import { serialize } from "./serialize.ts";
import { attributeOf, eachElement, parse } from "./tree.ts";

/** Stored HTML and its sanitised form (content-api 9.3). */
const FILTERED: [string, string][] = [
  ["<p>safe</p><script>alert(1)</script>", "<p>safe</p>"],
  ['<p onclick="alert(1)" class="k">click</p>', '<p class="k">click</p>'],
  ['<p hx-post="/logout" data-hx-trigger="load" HX-ON:click="x" title="hx-post">a</p>', '<p title="hx-post">a</p>'],
  ['<p>before <a href="javascript:alert(1)">bad</a> after</p>', "<p>before  after</p>"],
  ['<p>x<a href="  JaVaScript:alert(1)">bad</a></p>', "<p>x</p>"],
  ['<p>x<a href="/go?to=javascript:alert(1)">bad</a></p>', "<p>x</p>"],
  ['<p>y</p><iframe srcdoc="<b>z</b>"></iframe>', "<p>y</p>"],
  ['<p>y</p><iframe src="javascript:alert(1)"></iframe>', "<p>y</p>"],
  ['<p>y</p><iframe src="data:text/html,x"></iframe>', "<p>y</p>"],
  ['<p>y<img src="data:image/png;base64,AAAA"></p>', "<p>y</p>"],
  ['<p>y</p><object data="data:text/html,x"><b>z</b></object>', "<p>y</p>"],
  ['<p>y</p><embed src="javascript:x">', "<p>y</p>"],
  ['<meta http-equiv="refresh" content="0; url=//evil">a', "a"],
  ['<p>a</p><form action="/x"><input name="q"><button>Go</button></form><p>b</p>', "<p>a</p><p>b</p>"],
  ["<fieldset>f</fieldset><textarea>t</textarea><select><option>o</select>x", "x"],
  [
    '<p><input type="text" value="v"><input type="checkbox" checked disabled> do</p>',
    '<p><input type="checkbox" checked disabled> do</p>',
  ],
  ['<p form="f" formaction="/x" formmethod="post">a</p>', "<p>a</p>"],
  ["<style>p{}</style><link rel=x><title>t</title><template><p>t</p></template><base href=/>a", "a"],
  [
    "<noscript><p onclick=x>n</p><noscript>o</noscript></noscript><noembed>e</noembed><noframes>f</noframes>a",
    "<p>n</p>oa",
  ],
  ["<xmp><b>x</b></xmp>", "<pre>&lt;b&gt;x&lt;/b&gt;</pre>"],
  ["<p>a</p><plaintext><b>x", "<p>a</p><pre>&lt;b&gt;x</pre>"],
  ['<a href="data:text/html,<script>x</script>">text</a>', "<a>text</a>"],
  ['<a href="vbscript:x">text</a>b', "<a>text</a>b"],
  ['<a href="java&#10;script:alert(1)">text</a>b', "<a>text</a>b"],
  ['<a href="/x" ping="https://spy.example">text</a>', '<a href="/x">text</a>'],
  [
    '<img src="/a.png" srcset="javascript:x 1x" alt="javascript: the parts">',
    '<img src="/a.png" alt="javascript: the parts">',
  ],
  ['<video poster="data:image/png,x" src="/v.mp4" controls></video>', '<video src="/v.mp4" controls></video>'],
  ['<svg><a xlink:href="javascript:x"><text>t</text></a></svg>', "<svg><a><text>t</text></a></svg>"],
  ['<svg><image href="data:image/svg+xml,x" width="1"></image></svg>', '<svg><image width="1"></image></svg>'],
  ['<svg><a><animate attributeName="href" values="javascript:x"></animate></a></svg>', "<svg><a></a></svg>"],
  ['<svg><set attributeName="xlink:href" to="/x"></set><script>1</script></svg>', "<svg></svg>"],
  [
    '<svg><circle r="1" onload="x"></circle><title>Round</title></svg>',
    '<svg><circle r="1"></circle><title>Round</title></svg>',
  ],
];

const KEPT = [
  '<p><a href="https://example.com/javascript-guide" target="_blank">guide</a></p>',
  '<p style="color: red;" class="callout info">Warm</p>',
  '<p><iframe src="https://www.youtube.com/embed/abc" width="560"></iframe></p>',
  "<details open><summary>More</summary><p>Inside</p></details>",
  '<table><tbody><tr><td align="left" colspan="2">a</td></tr></tbody></table>',
  '<p data-x="javascript:1" title="data: all of it">x</p>',
  '<p><a href="mailto:me@example.com">m</a> <a href="tel:1">t</a> <a href="#x">h</a></p>',
  "<p>a&nbsp;b</p><!-- note -->",
  '<math><mi>x</mi></math><svg width="1"><path d="M0 0"></path></svg>',
  '<video src="/v.mp4" controls></video>',
  "",
];

const SCHEMES = [
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  " javascript:alert(1)",
  "java\tscript:alert(1)",
  "java\nscript:alert(1)",
  "java&#9;script:alert(1)",
  "javascript&colon;alert(1)",
  "&#x6A;avascript:alert(1)",
  "\u0001javascript:alert(1)",
  "jav&#x0D;ascript:alert(1)",
  "javascript\u00a0:alert(1)",
  "j\u200bavascript:alert(1)",
  "vbscript:x",
  "vb\tscript:x",
];

const PLACES: ((url: string) => string)[] = [
  (url) => `<a href="${url}">x</a>`,
  (url) => `<area href="${url}">`,
  (url) => `<iframe src="${url}"></iframe>`,
  (url) => `<embed src="${url}">`,
  (url) => `<object data="${url}"></object>`,
  (url) => `<form action="${url}"></form>`,
  (url) => `<button formaction="${url}">x</button>`,
  (url) => `<p formaction="${url}">x</p>`,
  (url) => `<svg><a href="${url}"><text>x</text></a></svg>`,
  (url) => `<svg><a xlink:href="${url}"><text>x</text></a></svg>`,
  (url) => `<svg><animate attributeName="href" to="${url}"></animate></svg>`,
  (url) => `<svg><animate attributeName="x" values="a;${url}"></animate></svg>`,
  (url) => `<svg><set attributeName="x" from="${url}"></set></svg>`,
  (url) => `<math href="${url}">x</math>`,
  (url) => `<math><mi xlink:href="${url}">x</mi></math>`,
  (url) => `<img srcset="${url}">`,
  (url) => `<video poster="${url}"></video>`,
  (url) => `<body background="${url}"><p background="${url}">x</p>`,
  (url) => `<isindex action="${url}"><p action="${url}">x</p>`,
];

/** Known mutation XSS: markup that a browser parses differently from the sanitiser. */
const MUTATIONS = [
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  "<svg><title><template><style></title><img src=x onerror=alert(1)>",
  "<select><template><style></select><img src=x onerror=alert(1)>",
  '<math><annotation-xml encoding="text/html"><style><img src=x onerror=alert(1)></style></annotation-xml></math>',
  '<svg><desc><table><mglyph><style><img title="</style><img src onerror=alert(1)>">',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<iframe><p title="</iframe><img src=x onerror=alert(1)>"></iframe>',
  '<textarea><p title="</textarea><img src=x onerror=alert(1)>">',
  "<!--><img src=x onerror=alert(1)>-->",
  "<!--!><img src=x onerror=alert(1)>",
  "<? ><img src=x onerror=alert(1)>",
  "<table><tbody><a><table><a><svg><a><b><img src=x onerror=alert(1)>",
  "<p><table><p><svg><foreignObject><p><table><a>",
  "<a><table><a></table><a>x",
  "<b><p></b><i></p><table><b><i>",
  "<svg><foreignobject><iframe src=javascript:alert(1)></iframe></foreignobject></svg>",
  "<svg><style><script>alert(1)</script></style></svg>",
  "<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>",
];

describe("sanitised HTML", () => {
  test.each(FILTERED)("%p is shown as %p", (stored, shown) => expect(markup.safe(stored)).toBe(shown));
  test.each(KEPT)("%p is shown as it is", (html) => expect(markup.safe(html)).toBe(html));

  test("no spelling of a script URL survives in any place", () => {
    for (const scheme of SCHEMES) for (const place of PLACES) expectHarmless(place(scheme));
  });

  test.each(MUTATIONS)("%p stays harmless when parsed again", (html) => expectHarmless(html));
});

const TAGS = [
  "p",
  "div",
  "a",
  "b",
  "i",
  "table",
  "tr",
  "td",
  "tbody",
  "caption",
  "ul",
  "li",
  "h1",
  "svg",
  "math",
  "style",
  "script",
  "title",
  "desc",
  "foreignObject",
  "mtext",
  "mi",
  "mglyph",
  "annotation-xml",
  "select",
  "option",
  "template",
  "noscript",
  "form",
  "textarea",
  "iframe",
  "xmp",
  "pre",
  "nobr",
  "button",
  "img",
  "br",
  "input",
  "font",
  "plaintext",
  "noembed",
  "details",
  "object",
  "ruby",
  "rt",
  "frameset",
  "body",
  "html",
  "image",
  "animate",
  "colgroup",
  "col",
  "dd",
  "dt",
  "marquee",
];
const ATTRIBUTES = [
  "",
  " onclick=x",
  ' href="javascript:x"',
  ' src="data:x"',
  " id=a",
  ' title="</style><img src=x onerror=x>"',
  " srcdoc=x",
  " color=red",
  ' encoding="text/html"',
  ' href="java&#10;script:x"',
  " type=checkbox",
  ' xlink:href="javascript:x"',
  ' title="-->"',
  " class='\"'",
];
const TEXTS = [
  "x",
  " ",
  "\n",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  "&lt;img src=x onerror=x&gt;",
  "&",
  "<",
  "\0",
  "</",
  "<!doctype html>",
  "{{@1}}",
  "--!>",
  "<?",
];

const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...TAGS), fc.constantFrom(...ATTRIBUTES))
      .map(([tag, attributes]) => `<${tag}${attributes}>`),
  },
  { weight: 2, arbitrary: fc.constantFrom(...TAGS).map((tag) => `</${tag}>`) },
  { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
);

describe("random tags", () => {
  test("are sanitised to harmless HTML that parses to itself", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => expectHarmless(pieces.join(""))),
      { numRuns: 4_000, seed: 20_261_121 },
    );
  });

  test("are stored with HTML that the sanitiser does not change again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
        const content = await markup.store({ html: pieces.join("") });
        if (content.rendered !== null) expect(markup.safe(content.rendered)).toBe(content.rendered);
      }),
      { numRuns: 1_000, seed: 20_261_121 },
    );
  });
});

const DANGEROUS_ELEMENTS = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "form",
  "button",
  "select",
  "textarea",
  "meta",
  "link",
  "base",
]);

function expectHarmless(html: string): void {
  const shown = markup.safe(html);
  const tree = parse(shown);
  expect(serialize(tree)).toBe(shown);
  eachElement(tree, (element) => {
    expect(DANGEROUS_ELEMENTS.has(element.tagName)).toBe(false);
    expect(attributeOf(element, "srcdoc")).toBeUndefined();
    for (const { name, prefix, value } of element.attrs) {
      expect(name.startsWith("on") || prefix === "xlink").toBe(false);
      if (name !== "title") expect(/(java|vb)script:/i.test(value.replace(/[\s\0-\x20\u200b\xa0]/g, ""))).toBe(false);
    }
  });
}
