import { describe, expect, test } from "bun:test";
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { blocks } from "./blocks.ts";
import { parse } from "./dom.ts";
import type { LayoutContext } from "./layout.ts";
import { breakLongWords, FIT, isTooLong } from "./long_words.ts";

const HASH = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const LONG = "word".repeat(40);

describe("long words are broken", () => {
  const cases: readonly [what: string, written: string, width: number, isCut: boolean][] = [
    ["where a word is longer than a line", `#par[#"a ${LONG} b";]`, 480, true],
    ["where a word spans elements", `#par[#"${LONG.slice(0, 80)}";#strong[#"${LONG}";];]`, 480, true],
    ["not where long words fit", `#par[#raw("docker pull ${HASH}");]`, 480, false],
    ["where the same words are in a cell", `#par[#raw("docker pull ${HASH}");]`, 100, true],
    ["not for a script without spaces", `#par[#"${"漢字".repeat(99)}";]`, 480, false],
    ["not for an address that is not shown", `#par[#link("https://example.com/${LONG}")[#"there";];]`, 480, false],
  ];
  for (const [what, written, width, isCut] of cases)
    test(what, () => {
      expect(breakLongWords(written, { width, budget: { left: 1 } })).toBe(isCut ? `#fit[${written}]` : written);
    });
});

test("with no budget left, zero-width spaces are inserted, and not within escapes", () => {
  const budget = { left: 1 };
  expect(breakLongWords('#raw("long")', { width: 9, budget, frame: 2 })).toBe('#fit(less: 2pt)[#raw("long")]');
  const written = '#raw("a\\nlong\\\\x\\"y")#link("https://example.com")[#"i"];';
  expect(breakLongWords(written, { width: 9, budget })).toBe(
    written.replace('long\\\\x\\"y', [..."long", "\\\\", "x", '\\"', "y"].join("\u200b")),
  );
});

test("the width of a word is never underestimated", () => {
  // Points of Noto Sans Bold at the size of running text.
  for (const [word, points] of [
    ["mmmmmmmmmm", 98],
    ["WWWWWWWWWW", 98],
    ["nnnnnnnnnn", 65],
    ["iiiiiiiiii", 30],
    ["OOOOOOOOOO", 80],
  ] as const)
    expect(isTooLong(word, points)).toBe(true);
});

/** The least number of lines of each long word. */
const LINES = 4;

describe("as Typst lays it out", () => {
  const layout: LayoutContext = {
    width: 80,
    height: 600,
    blocks: 0,
    lists: 0,
    tables: 0,
    direction: "ltr",
    level: 1,
    document: { images: new Map(), budget: { left: 999 }, label: () => undefined, anchor: () => undefined },
  };

  /** Size in points of HTML that is laid out in the width of `layout`. */
  function measured(html: string): [width: number, height: number] {
    const written = blocks(parse(html).childNodes, layout);
    expect(written).not.toMatch(/[\u200b\u00ad]/);
    const size = `measure(width: ${layout.width}pt, block[${written}])`;
    const mainFileContent = `${FIT}#context { let size = ${size}; [#metadata((size.width.pt(), size.height.pt()))<size>] }`;
    const compiler = NodeCompiler.create();
    const [found] = compiler.query({ mainFileContent }, { selector: "<size>" }) as [{ value: [number, number] }];
    return found.value;
  }

  for (const html of [
    `<p>${LONG}</p>`,
    `<p>a <code>${HASH}</code> b</p>`,
    `<ul><li>${LONG}</li></ul>`,
    `<table><tr><td>${LONG}</td><td>LECTERN_BASE_URL</td></tr></table>`,
    `<p>${"W".repeat(99)}</p>`,
    `<p>${"\u05d0".repeat(99)}</p>`,
  ])
    test(`${html.slice(0, 40)} is broken into lines`, () => {
      const [width, height] = measured(html);
      expect(width).toBeLessThanOrEqual(layout.width + 0.01);
      expect(height).toBeGreaterThan(LINES * measured("<p>word</p>")[1]);
    });

  test("a word that fits into a line is not broken", () => {
    const [, line] = measured("<p>word</p>");
    expect(measured("<p>some words LECTERN_URL</p>")[1]).toBeGreaterThan(line);
    expect(measured("<p>some words LECTERN_URL</p>")).toEqual(measured("<p>some words<br>LECTERN_URL</p>"));
  });
});
