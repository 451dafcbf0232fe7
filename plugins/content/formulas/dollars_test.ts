import { expect, test } from "bun:test";
import { formulasIn } from "./dollars.ts";

const found = (markdown: string) => formulasIn(markdown).map(({ tex, isBlock }) => (isBlock ? `[${tex}]` : tex));

test("formulasIn() finds formulas within lines and blocks", () => {
  expect(found("Let $x$ and $a_1 + b_1$, so ($y$): $z$.")).toEqual(["x", "a_1 + b_1", "y", "z"]);
  expect(found("$$\nE = mc^2\n$$\n\nand $$x$$ too")).toEqual(["[E = mc^2]", "[x]"]);
  expect(found("> $$\n> a\n> + b\n> $$")).toEqual(["[a\n+ b]"]);
  expect(found("$a\nb$ and $\\text{5 \\$}$")).toEqual(["a\nb", "\\text{5 \\$}"]);
});

test.each([
  "$5 and $6",
  "from $5 to 10$ each",
  "\\$x\\$",
  "$x\\$",
  "$HOME/bin:$PATH",
  "US$5 and A$6",
  "$ x $",
  "$x $ y",
  "$a\n\nb$",
  "$$a\n\nb$$",
  "$$$x$$$",
  "$$ $$",
  "a$b$c",
  "$",
  "",
])("formulasIn() finds none in %j", (markdown) => {
  expect(found(markdown)).toEqual([]);
});

test("formulasIn() leaves signs alone that cannot be used", () => {
  expect(formulasIn("`$a$` $b$", (dollar) => dollar > 1).map(({ tex }) => tex)).toEqual(["b"]);
});
