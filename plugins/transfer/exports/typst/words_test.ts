import { describe, expect, test } from "bun:test";
import { NodeCompiler } from "@myriaddreamin/typst-ts-node-compiler";
import { blocks } from "./blocks.ts";
import { parse } from "./dom.ts";
import type { Place } from "./place.ts";
import { FIT, fitted, isTooLong } from "./words.ts";

const HASH = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const LONG = "word".repeat(40);

describe("what is written is cut", () => {
  const cases: readonly [what: string, written: string, width: number, isCut: boolean][] = [
    ["where a word is longer than a line", `#par[#"a ${LONG} b";]`, 480, true],
    ["where elements make one word together", `#par[#"${LONG.slice(0, 80)}";#strong[#"${LONG}";];]`, 480, true],
    ["not where words fit, long as they are", `#par[#raw("docker pull ${HASH}");]`, 480, false],
    ["where the same words are in a cell", `#par[#raw("docker pull ${HASH}");]`, 100, true],
    ["not for a script that needs no blanks", `#par[#"${"漢字".repeat(99)}";]`, 480, false],
    ["not for what nobody reads", `#par[#link("https://example.com/${LONG}")[#"there";];]`, 480, false],
  ];
  for (const [what, written, width, isCut] of cases)
    test(what, () => {
      expect(fitted(written, { width, cuts: { left: 1 } })).toBe(isCut ? `#fit[${written}]` : written);
    });
});

test("a document that has no cuts left is cut by blanks of no width, and not within what is escaped", () => {
  const cuts = { left: 1 };
  expect(fitted('#raw("long")', { width: 9, cuts, frame: 2 })).toBe('#fit(less: 2pt)[#raw("long")]');
  const written = '#raw("a\\nlong\\\\x\\"y")#link("https://example.com")[#"i"];';
  expect(fitted(written, { width: 9, cuts })).toBe(
    written.replace('long\\\\x\\"y', [..."long", "\\\\", "x", '\\"', "y"].join("\u200b")),
  );
});

test("a word is never taken for shorter than it is", () => {
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

/** How many lines any of the long words takes at the least. */
const LINES = 4;

describe("as the engine sets it", () => {
  const place: Place = {
    width: 80,
    height: 600,
    blocks: 0,
    lists: 0,
    tables: 0,
    direction: "ltr",
    level: 1,
    book: { pictures: new Map(), cuts: { left: 999 }, label: () => undefined, anchor: () => undefined },
  };

  /** Points that HTML is wide and high when it is set as wide as its place. */
  function measured(html: string): [width: number, height: number] {
    const written = blocks(parse(html).childNodes, place);
    expect(written).not.toMatch(/[\u200b\u00ad]/);
    const size = `measure(width: ${place.width}pt, block[${written}])`;
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
    test(`${html.slice(0, 40)} is cut into lines`, () => {
      const [width, height] = measured(html);
      expect(width).toBeLessThanOrEqual(place.width + 0.01);
      expect(height).toBeGreaterThan(LINES * measured("<p>word</p>")[1]);
    });

  test("a word that fits a line begins a new one, whole", () => {
    const [, line] = measured("<p>word</p>");
    expect(measured("<p>some words LECTERN_URL</p>")[1]).toBeGreaterThan(line);
    expect(measured("<p>some words LECTERN_URL</p>")).toEqual(measured("<p>some words<br>LECTERN_URL</p>"));
  });
});
