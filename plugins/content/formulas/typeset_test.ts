import { expect, test } from "bun:test";
import { typeset } from "./typeset.ts";

const line = (tex: string) => ({ tex, isBlock: false, first: 0, last: 1 });
const svgOf = (drawn: string | undefined) =>
  Buffer.from(/base64,([^"]+)/.exec(drawn ?? "")?.[1] ?? "", "base64").toString();

test("typeset() makes a picture, and MathML for screen readers", async () => {
  const drawn = await typeset(line("\\frac{a}{b} < \\text{für}"), "screen");
  expect(drawn).toStartWith('<span class="formula"><img src="data:image/svg+xml;base64,');
  expect(drawn).toContain('alt="" style="width: ');
  expect(drawn).toContain("<mfrac><mi>a</mi><mi>b</mi></mfrac><mo>&lt;</mo>");
  expect(svgOf(drawn)).toMatch(/^<svg .*<\/svg>$/s);
  expect(svgOf(drawn)).not.toContain("data-");
  const block = await typeset(
    { ...line("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}"), isBlock: true },
    "export",
  );
  expect(block).toMatch(
    /^<span class="formula is-block"><img [^>]* alt="\\begin\{aligned\} a &amp;= b [^"]*" width="[\d.]+" height="[\d.]+" style="vertical-align: -[\d.]+ex"><\/span>$/,
  );
});

test.each([
  "\\frac{",
  "\\undefinedcommand",
  "\\href{javascript:alert(1)}{x}",
  "\\class{x}{y}",
  "\\style{position:fixed}{y}",
  "\\cssId{main}{y}",
  '\\mmlToken{mi}[class="danger" id="editor"]{x}',
  '\\mmlToken {mtext}[style="position:fixed"]{x}',
  "\\require{html}",
  "\\def\\alpha{x}",
  "\\newcommand{\\x}{\\x\\x}\\x",
  "\\rule{99999em}{1em}",
  "{".repeat(2000),
])("typeset() leaves %p as it is", async (tex) => {
  expect(await typeset(line(tex), "screen")).toBeUndefined();
});

test("typeset() gives screen readers a formula with a label", async () => {
  expect(await typeset(line("\\label{a} x"), "screen")).toContain("<mi>x</mi></math>");
});

test("typeset() keeps markup in a formula text", async () => {
  const drawn = await typeset(line('\\text{<img src=x onerror=alert(1)> "}'), "screen");
  expect(drawn ?? "").not.toContain("<img src=x");
  const exported = await typeset(line('\\text{" onload=x}'), "export");
  expect(exported ?? "").not.toContain('" onload');
});
