import { describe, expect, test } from "bun:test";
import { blocks } from "./blocks.ts";
import { parse } from "./dom.ts";
import type { LayoutContext } from "./layout.ts";

const layout: LayoutContext = {
  width: 480,
  height: 600,
  blocks: 0,
  lists: 0,
  tables: 0,
  direction: "ltr",
  level: 2,
  document: {
    budget: { left: 999 },
    images: new Map([
      ["/a.png", { file: "picture-0.png", width: 2000, height: 10 }],
      ["/tall.png", { file: "picture-1.png", width: 200, height: 4000 }],
    ]),
    label: (address) => (address === "http://x/page" ? "page-1" : undefined),
    anchor: (id) => (id === "wanted" ? "a-0" : undefined),
  },
};
const typst = (html: string) => blocks(parse(html).childNodes, layout);

const TABLE: readonly [html: string, typst: string][] = [
  ["<p>a <b>b</b>\n c</p>", '#par[#"a ";#strong[#"b";];#" c";]'],
  ["text <i>bare</i><p>block</p>", '#par[#"text ";#emph[#"bare";];]\n\n#par[#"block";]'],
  ['<p>#panic("x") ] $x$ \\</p>', '#par[#"#panic(\\"x\\") ] $x$ \\\\";]'],
  ["<h2>Part</h2>", '#heading(level: 4, outlined: false, bookmarked: true)[#"Part";]'],
  ["<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>", '#list([#"a";], [#"b";\n#list([#"c";])])'],
  [
    '<ol start="4" type="a"><li>x</li><li value="9">y</li></ol>',
    '#enum(start: 4, numbering: "a.", [#"x";], enum.item(9)[#"y";])',
  ],
  ['<pre><code class="language-JS">a\n"b"\n</code></pre>', '#raw("a\\n\\"b\\"", block: true, lang: "js")'],
  [
    '<p><a href="http://x/page">in</a> <a href="https://y/&quot;)">out</a> <a href="javascript:x">none</a></p>',
    '#par[#link(label("page-1"))[#"in";];#" ";#link("https://y/\\")")[#"out";];#" ";#"none";]',
  ],
  ['<p id="wanted">x</p>', '#[#metadata(none)#label("a-0")];#par[#"x";]'],
  [
    '<img src="/a.png" alt="A"><img src="/b.png" alt="B">',
    '#par[#box(image("picture-0.png", width: 480.0pt, alt: "A"));#"B";]',
  ],
  ['<img src="/tall.png">', '#par[#box(image("picture-1.png", width: 30.0pt, alt: ""));]'],
  ['<img src="/tall.png" width="9000">', '#par[#box(image("picture-1.png", width: 30.0pt, alt: ""));]'],
  ["<p>مرحبا</p>", '#[#set text(dir: rtl);#par[#"مرحبا";]]'],
  ['<p dir="rtl">Latin, 1</p>', '#[#set text(dir: rtl);#par[#"Latin, 1";]]'],
  ['<p dir="ltr">مرحبا</p>', '#par[#"مرحبا";]'],
  [
    '<div dir="RTL"><p>a</p><p dir="ltr">b</p><p dir="auto">c</p></div>',
    '#[#set text(dir: rtl);#par[#"a";]]\n\n#par[#"b";]\n\n#par[#"c";]',
  ],
  ['<h3 dir="rtl">a</h3>', '#[#set text(dir: rtl);#heading(level: 5, outlined: false, bookmarked: true)[#"a";]]'],
  ['<ul dir="rtl"><li>a</li></ul>', '#[#set text(dir: rtl);#list([#"a";])]'],
  ['<ol><li dir="rtl">a</li><li>b</li></ol>', '#enum([#[#set text(dir: rtl);#"a";]], [#"b";])'],
  ['<blockquote dir="rtl">a</blockquote>', '#[#set text(dir: rtl);#quoted(side: "right")[#par[#"a";]]]'],
  [
    '<p class="callout info" dir="rtl">x</p>',
    '#[#set text(dir: rtl);#callout(rgb("#0288d1"), side: "right")[#par[#"x";]]]',
  ],
  [
    '<table dir="rtl"><tr><td>a</td><td dir="ltr">b</td></tr></table>',
    '#[#set text(dir: rtl);#table(columns: 2,\ntable.cell(x: 0, y: 0)[#par[#"a";]],\ntable.cell(x: 1, y: 0)[#[#set text(dir: ltr);#par[#"b";]]])]',
  ],
  [
    '<table><tbody dir="rtl"><tr><td>a</td></tr></tbody></table>',
    '#table(columns: 1,\ntable.cell(x: 0, y: 0)[#[#set text(dir: rtl);#par[#"a";]]])',
  ],
  ['<p class="callout danger">x</p>', '#callout(rgb("#b71c1c"))[#par[#"x";]]'],
  ['<p style="text-align: center">x</p>', '#align(center)[#par[#"x";]]'],
  ["<details><summary>More</summary><p>x</p></details>", '#par[#strong[#"More";]]\n\n#par[#"x";]'],
  ['<iframe src="//example.com/x"></iframe>', '#par[#link("https://example.com/x")[#"https://example.com/x";];]'],
  ["<script>alert(1)</script><style>p{}</style>", ""],
];

for (const [html, wanted] of TABLE)
  test(`${html.slice(0, 50)} is written as Typst`, () => {
    expect(typst(html)).toBe(wanted);
  });

describe("cells of a table", () => {
  const cells = (html: string) => [...typst(html).matchAll(/table\.cell\(([^)]*)\)/g)].map(([, settings]) => settings);

  test("are placed as in browsers, without overlapping", () => {
    const html =
      '<table><tr><td rowspan="2">a</td><td colspan="2">b</td></tr><tr><td>c</td><td rowspan="9">d</td></tr></table>';
    expect(cells(html)).toEqual(["x: 0, y: 0, rowspan: 2", "x: 1, y: 0, colspan: 2", "x: 1, y: 1", "x: 2, y: 1"]);
  });

  test("are complete, however many are in a row and whatever they span", () => {
    const row = (tag: string) => Array.from({ length: 130 }, (_, at) => `<${tag}>${tag}${at}</${tag}>`).join("");
    const html = `<table><tr>${row("th")}</tr><tr><td colspan="100">wide</td><td colspan="9999">rest</td></tr><tr>${row("td")}</tr></table>`;
    const written = typst(html);
    for (let at = 0; at < 130; at++)
      for (const tag of ["th", "td"]) expect(written.split(`#"${tag}${at}";`)).toHaveLength(2);
    for (const text of ["wide", "rest"]) expect(written.split(`#"${text}";`)).toHaveLength(2);
    const counts = [...written.matchAll(/#table\(columns: (\d+)/g)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(130);
    expect(Math.max(...counts)).toBeLessThanOrEqual(20);
    expect(written.match(/table\.header\(/g)).toHaveLength(counts.length);
  });

  test("of a head are repeated, and do not extend beyond it", () => {
    const written = typst("<table><thead><tr><th rowspan=3>a</th></tr></thead><tr><td>b</td></tr></table>");
    expect(written).toContain('table.header(table.cell(x: 0, y: 0)[#strong[#par[#"a";]]]),');
    expect(written).toContain('table.cell(x: 0, y: 1)[#par[#"b";]]');
  });
});

test("nesting beyond the limit of Typst is flattened, with all its text", () => {
  for (const [open, close] of [
    ["<blockquote>", "</blockquote>"],
    ["<ul><li>", "</li></ul>"],
    ["<table><tr><td>", "</td></tr></table>"],
    ["<sup>", "</sup>"],
  ]) {
    const written = typst(`${open?.repeat(60)}deep${close?.repeat(60)}`);
    expect(written).toContain('#"deep";');
    expect([...written].filter((one) => one === "[").length).toBeLessThan(50);
  }
});
