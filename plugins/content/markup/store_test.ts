import { describe, expect, test } from "bun:test";
import { markup } from "./markup.ts";

async function stored(html: string): Promise<string> {
  return (await markup.store({ html })).html;
}

/** HTML as sent, and the resulting `raw_html` and `html` (content-api 9.2). */
const IDS: Record<string, [string, string]> = {
  "an id is made from the text": ["<p>my new API page</p>", '<p id="bkmrk-my-new-api-page">my new API page</p>'],
  "the same text gets numbers": [
    "<p>Echo</p><p>Echo</p><p>Echo</p>",
    '<p id="bkmrk-echo">Echo</p><p id="bkmrk-echo-1">Echo</p><p id="bkmrk-echo-2">Echo</p>',
  ],
  "long text is cut after twenty characters": [
    "<p>A sentence which is far longer than any id should be</p>",
    '<p id="bkmrk-a-sentence-which-is-">A sentence which is far longer than any id should be</p>',
  ],
  "headings at any depth get ids, other elements at the top level only": [
    "<div><h3>Inside</h3><p>Outside</p></div>",
    '<div id="bkmrk-insideoutside"><h3 id="bkmrk-inside">Inside</h3><p>Outside</p></div>',
  ],
  "punctuation is encoded": ["<h2>Why? Because!</h2>", '<h2 id="bkmrk-why%3F-because%21">Why? Because!</h2>'],
  "all of ~!'()* is encoded and -_. is not": ["<p>~!'()*-_.</p>", `<p id="bkmrk-%7E%21%27%28%29%2A-_.">~!'()*-_.</p>`],
  "only ASCII letters are lower-cased": ["<h2>Ünï</h2>", '<h2 id="bkmrk-%C3%9Cn%C3%AF">Ünï</h2>'],
  "other alphabets are encoded": [
    "<h2>Größe</h2><p>Ωmega</p><p>日本</p>",
    '<h2 id="bkmrk-gr%C3%B6%C3%9Fe">Größe</h2><p id="bkmrk-%CE%A9mega">Ωmega</p><p id="bkmrk-%E6%97%A5%E6%9C%AC">日本</p>',
  ],
  "twenty characters are twenty code points": [
    "<p>🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢🚢</p>",
    `<p id="bkmrk-${"%F0%9F%9A%A2".repeat(20)}">${"🚢".repeat(21)}</p>`,
  ],
  "own ids are replaced and links to them follow": [
    '<p id="start">Begin</p><p><a href="#start">up</a> <a href="start">up</a></p>',
    '<p id="bkmrk-begin">Begin</p><p id="bkmrk-up-up"><a href="#bkmrk-begin">up</a> <a href="#bkmrk-begin">up</a></p>',
  ],
  "links at the top level are left alone": [
    '<p id="custom">a</p><a href="#custom">l</a>',
    '<p id="bkmrk-a">a</p><a href="#custom" id="bkmrk-l">l</a>',
  ],
  "an empty fragment is no link to anything": ['<p><a href="#">l</a></p>', '<p id="bkmrk-l"><a href="#">l</a></p>'],
  "bkmrk ids are kept, once": [
    '<p id="bkmrk-mine">a</p><p id="bkmrk-mine">b</p>',
    '<p id="bkmrk-mine">a</p><p id="bkmrk-b">b</p>',
  ],
  "elements without text": [
    '<p></p><hr><p><img src="/x.png" alt="y"></p>',
    '<p id="bkmrk-"></p><hr id="bkmrk--1"><p id="bkmrk--2"><img src="/x.png" alt="y"></p>',
  ],
  "an id inside a block is replaced as well": [
    '<ul><li id="x">one</li></ul>',
    '<ul id="bkmrk-one"><li id="bkmrk-one-1">one</li></ul>',
  ],
  "lists and tables": [
    "<ul><li>one</li><li>two</li></ul><table><tbody><tr><td>c</td></tr></tbody></table>",
    '<ul id="bkmrk-onetwo"><li>one</li><li>two</li></ul><table id="bkmrk-c"><tbody><tr><td>c</td></tr></tbody></table>',
  ],
  "white space": [
    "<p>  many   spaces\n\tand tabs </p>",
    '<p id="bkmrk-many-spaces-and-tabs">  many   spaces\n\tand tabs </p>',
  ],
  "text on its own": ["no element at all", "no element at all"],
  nothing: ["", ""],
};

const PARSING: Record<string, [string, string]> = {
  "upper case and missing quotes": [
    "<P CLASS=wide>Wide<BR/>low</P>",
    '<p class="wide" id="bkmrk-widelow">Wide<br>low</p>',
  ],
  "open paragraphs": ["<p>one<p>two", '<p id="bkmrk-one">one</p><p id="bkmrk-two">two</p>'],
  entities: [
    "<p>caf&eacute; &amp; &lt;b&gt; &quot;q&quot; &copy;</p>",
    '<p id="bkmrk-caf%C3%A9-%26-%3Cb%3E-%22q%22-%C2%A9">café &amp; &lt;b&gt; "q" ©</p>',
  ],
  "no-break space": ["<p>a&nbsp;b</p>", '<p id="bkmrk-a%C2%A0b">a&nbsp;b</p>'],
  "nested lists": ["<ol><li>a<ul><li>b</li></ul></li></ol>", '<ol id="bkmrk-ab"><li>a<ul><li>b</li></ul></li></ol>'],
  code: [
    '<pre><code class="language-sql">select 1\n  from t;\n</code></pre>',
    '<pre id="bkmrk-select-1-from-t%3B"><code class="language-sql">select 1\n  from t;\n</code></pre>',
  ],
  "a newline at the start of pre": ["<pre>\nx</pre>", '<pre id="bkmrk-x">\nx</pre>'],
  "styles and classes": [
    '<p style="color: red;" class="callout info">Warm</p>',
    '<p style="color: red;" class="callout info" id="bkmrk-warm">Warm</p>',
  ],
  emoji: ["<p>Ship it 🚢</p>", '<p id="bkmrk-ship-it-%F0%9F%9A%A2">Ship it 🚢</p>'],
  details: [
    "<details open><summary>More</summary><p>Inside</p></details>",
    '<details open id="bkmrk-moreinside"><summary>More</summary><p>Inside</p></details>',
  ],
  "video frame": [
    '<p><iframe src="https://www.youtube.com/embed/abc" width="560" height="315" allowfullscreen="allowfullscreen"></iframe></p>',
    '<p id="bkmrk-"><iframe src="https://www.youtube.com/embed/abc" width="560" height="315" allowfullscreen="allowfullscreen"></iframe></p>',
  ],
  "a value with double quotes": [`<p title='say "x"'>a</p>`, `<p title='say "x"' id="bkmrk-a">a</p>`],
  "a value with both quotes": [
    `<p title="say &quot;it's&quot;">a</p>`,
    `<p title="say &quot;it's&quot;" id="bkmrk-a">a</p>`,
  ],
  "boolean attributes": [
    '<ul><li><input type="checkbox" checked="checked" disabled=""></li></ul>',
    '<ul id="bkmrk-"><li><input type="checkbox" checked disabled></li></ul>',
  ],
  "spaces and other letters in URLs": [
    '<p><a href=" /a b/ü?x=[1]&amp;y=%20#f">l</a></p>',
    '<p id="bkmrk-l"><a href="/a%20b/%C3%BC?x=%5B1%5D&amp;y=%20#f">l</a></p>',
  ],
  "formatting that crosses blocks, each part with an id of its own": [
    "<b><i>cross</b>ed</i>",
    '<b id="bkmrk-cross"><i>cross</i></b><i id="bkmrk-ed">ed</i>',
  ],
  "bogus comments": [
    "<?php echo 1 ?><![CDATA[data]]><p>x</p><!--?kept-->",
    '&lt;?php echo 1 ?&gt;&lt;![CDATA[data]]&gt;<p id="bkmrk-x">x</p><!--?kept-->',
  ],
  "comments and white space between blocks": [
    "<p>a</p>\n<!-- note -->\n<p>b</p>",
    '<p id="bkmrk-a">a</p>\n<!-- note -->\n<p id="bkmrk-b">b</p>',
  ],
};

describe("raw_html and html of a page", () => {
  test.each(Object.entries({ ...IDS, ...PARSING }))("%s", async (_name, [sent, wanted]) => {
    const content = await markup.store({ html: sent });
    expect(content.html).toBe(wanted);
    expect(content.rendered).toBe(wanted);
    expect(content.markdown).toBe("");
  });

  test("content that is stored again does not change", async () => {
    for (const [sent] of Object.values({ ...IDS, ...PARSING })) {
      const once = await stored(sent);
      expect(await stored(once)).toBe(once);
    }
  });
});

describe("data derived from the HTML", () => {
  test("links come without fragments, once each", async () => {
    const html =
      '<p><a href="/books/a#x">1</a><a href="/books/a">2</a><a href="#y">3</a><a href="https://e.com/?q#z">4</a></p>';
    expect((await markup.store({ html })).links).toEqual(["/books/a", "https://e.com/?q"]);
  });

  test("search text has lines for blocks, no scripts and no include tags", async () => {
    const html = "<h1>One</h1><p>two <b>three</b> {{@5#x}}four</p><script>alert(1)</script>";
    const content = await markup.store({ html });
    expect(content.text).toBe("One\ntwo three four");
    expect(content.includes).toEqual([5]);
    expect(content.rendered).toBeNull();
  });

  test("include tags count once per page, and ids that cannot exist not at all", async () => {
    const content = await markup.store({ html: "<p>{{@2}} {{@ 3#a}} {{@2}} {{@99999999999}} {{@0}} {{@x}}</p>" });
    expect(content.includes).toEqual([2, 3]);
    expect(content.rendered).toBeNull();
  });
});

describe("plain text", () => {
  test.each([
    ["<p>My great page</p><p>Full of <strong>great</strong> stuff</p>", "My great page\nFull of great stuff"],
    [
      "<h2>Red</h2><p>Dust and <strong>iron</strong></p><ul><li>Phobos</li><li>Deimos</li></ul>",
      "Red\nDust and iron\nPhobos\nDeimos",
    ],
    ["<p>Hot <em>and</em> bright</p>\n", "Hot and bright"],
    ["<p>a &amp; &lt;b&gt;<br>c</p>", "a & <b>\nc"],
    ["<div>a<span>b</span><a href='x'>c</a></div><style>p{}</style><script>x</script>", "abc"],
    ["<p>a<!-- c -->b</p><!-- block --><p>c</p>", "ab\nc"],
    ["<?php echo 1 ?><p>x</p><![CDATA[data]]>", "<?php echo 1 ?>\nx<![CDATA[data]]>"],
    ["plain", "plain"],
    ["", ""],
  ])("of %p is %p", async (html, text) => expect(await markup.text(html)).toBe(text));
});
