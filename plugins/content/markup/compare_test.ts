/** What readers see of the changes between two texts and two documents. */
import { expect, test } from "bun:test";
import { scaled } from "../../../test/support/harness/machine_speed.ts";
import { compareHtml } from "./compare_html.ts";
import { compareTexts } from "./compare_texts.ts";
import { markup } from "./markup.ts";

const shown = (before: string, after: string) => {
  const parts = compareTexts(before, after);
  if (parts === "long") return parts;
  return parts.map(({ value, added, removed }) => (added ? `[+${value}]` : removed ? `[-${value}]` : value)).join("");
};

test("texts are compared by line, and changed lines by word", () => {
  expect(shown("one\ntwo <b>\nthree\n", "one\n2 <b>\nthree\n")).toBe("one\n[-two][+2] <b>\nthree\n");
  expect(shown("same", "same")).toBe("same");
  expect(shown("", "new\n")).toBe("[+new\n]");
});

test("comparing entirely different texts is limited in time", () => {
  const random = (words: number, between: string) =>
    Array.from({ length: words }, () => Math.random().toString(36).slice(2, 9)).join(between);
  const started = performance.now();
  expect(shown(random(20_000, " "), random(20_000, " "))).toMatch(/^\[-.*\]\[\+.*\]$/s);
  expect(shown(random(20_000, "\n"), random(20_000, "\n"))).toBe("long");
  const paragraphs = (words: number) => `<p>${random(words, "</p><p>")}</p>`;
  expect(compareHtml(paragraphs(10_000), paragraphs(10_000))).toContain("<del>");
  expect(compareHtml(random(20_000, " "), random(20_000, " "))).toContain("<ins>");
  expect(performance.now() - started).toBeLessThan(scaled(8_000));
});

test("changed words are marked within their paragraph, whatever its id became", () => {
  expect(
    compareHtml('<p id="bkmrk-a">One two three</p><p>Same</p>', '<p id="bkmrk-b">One 2 three</p><p>Same</p>'),
  ).toBe('<p id="bkmrk-b">One <del>two</del><ins>2</ins> three</p><p>Same</p>');
});

test("added and removed blocks are marked, also within lists and tables", () => {
  expect(compareHtml("<p>A b c</p>", "<p>A b c</p><h2>New</h2>")).toBe("<p>A b c</p><h2><ins>New</ins></h2>");
  expect(compareHtml('<ul><li>x y</li><li id="old">gone</li></ul>', "<ul><li>x y</li></ul>")).toBe(
    "<ul><li>x y</li><li><del>gone</del></li></ul>",
  );
  const row = (text: string) => `<tr><td>${text}</td></tr>`;
  expect(
    compareHtml(`<table><tbody>${row("a")}</tbody></table>`, `<table><tbody>${row("a")}${row("b")}</tbody></table>`),
  ).toBe(`<table><tbody>${row("a")}${row("<ins>b</ins>")}</tbody></table>`);
});

test("a changed cell stays one cell", () => {
  const table = (cell: string) => `<table><tbody><tr><td>Monday</td><td>${cell}</td></tr></tbody></table>`;
  expect(compareHtml(table("Ada"), table("Bob"))).toBe(table("<del>Ada</del><ins>Bob</ins>"));
});

test("texts with little in common, pictures and code are shown whole, as removed and as added", () => {
  expect(compareHtml("<p>Completely other words</p>", "<p>Nothing like that here</p>")).toBe(
    "<p><del>Completely other words</del></p><p><ins>Nothing like that here</ins></p>",
  );
  expect(compareHtml('<p>See <img src="/a.png"> now</p>', '<p>See <img src="/b.png"> now</p>')).toBe(
    '<p>See <del><img src="/a.png"></del><ins><img src="/b.png"></ins> now</p>',
  );
});

test("formatting and links are those of the later document, and nothing in it runs", () => {
  expect(compareHtml("<p>one <b>two</b> three</p>", "<p>one <i>two</i> three</p>")).toBe("<p>one <i>two</i> three</p>");
  const hostile = compareHtml(
    "<p>one two &lt;script&gt;</p><script>alert(1)</script>",
    '<p>one two <a href="javascript:alert(1)">three</a></p><svg><script>alert(1)</script></svg><img src=x onerror=alert(1)>',
  );
  expect(hostile).not.toMatch(/<script|javascript:|onerror/);
});

test("without what was removed, a comparison is the later document, and without what was added the earlier text", () => {
  let state = 7;
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
  const many = (least: number, most: number, one: () => string) =>
    Array.from({ length: least + below(most - least + 1) }, one).join("");
  const word = () => `${["alpha", "beta", "gamma", "delta", "epsilon", "zeta"][below(6)]} `;
  const inline = () =>
    many(2, 8, () => [word, word, () => `<b>${word()}</b>`, () => `<a href="/x">${word()}</a>`][below(4)]?.() ?? "");
  const block = (depth = 0): string => {
    const kinds = [
      () => `<p id="p${below(9)}">${inline()}</p>`,
      () => `<h2>${inline()}</h2>`,
      () => `<ul>${many(1, 3, () => `<li>${depth < 2 && below(3) === 0 ? block(depth + 1) : inline()}</li>`)}</ul>`,
      () => `<table><tbody>${many(1, 3, () => `<tr>${many(1, 3, () => `<td>${inline()}</td>`)}</tr>`)}</tbody></table>`,
      () => `<blockquote>${inline()}${block(depth + 1)}</blockquote>`,
      () => `<pre><code>${inline()}</code></pre>`,
    ];
    return kinds[below(depth < 3 ? kinds.length : 2)]?.() ?? "";
  };
  const wordsOf = (html: string) =>
    html
      .replace(/<[^>]*>/g, " ")
      .split(/\s+/)
      .join("");
  for (let round = 0; round < 200; round++) {
    const blocks = Array.from({ length: 6 }, () => block());
    const before = markup.safe(blocks.join(""));
    const after = markup.safe(
      blocks
        .flatMap((each) => [[], [each], [each, block()], [block()], [each.replace("beta", "omega")]][below(5)] ?? [])
        .join(""),
    );
    const compared = compareHtml(before, after) ?? "";
    expect(wordsOf(compared.replace(/<del>.*?<\/del>/gs, ""))).toBe(wordsOf(after));
    expect(wordsOf(compared.replace(/<ins>.*?<\/ins>/gs, ""))).toBe(wordsOf(before));
    expect(compareHtml(after, after)).toBe(after);
  }
});
