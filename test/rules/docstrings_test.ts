import { expect, test } from "bun:test";
import { readSource, readSources, type Source } from "./_source.ts";
import { testSide } from "./_tests.ts";

const PLACE = /^(?:core|db|plugins)\//;
const DECLARED =
  /^export\s+(?:default\s+)?(?:abstract\s+|async\s+|declare\s+)*(?:function\*?|const|let|class|interface|type|enum|namespace)\s+(\w+)/;

/** Exports without a docstring directly above; further overloads of a documented function share its docstring. */
function undocumented({ path, text, code }: Source): string[] {
  const lines = text.split("\n");
  const documented = new Set<string>();
  return code.split("\n").flatMap((line, index) => {
    const name = DECLARED.exec(line)?.[1];
    if (name === undefined || documented.has(name)) return [];
    if (hasDocstring(lines.slice(0, index))) {
      documented.add(name);
      return [];
    }
    return [`${path}:${index + 1}: export "${name}" has no docstring`];
  });
}

/** Whether the lines end with a docstring; line comments (such as a linter's) may follow it. */
function hasDocstring(above: readonly string[]): boolean {
  const last = above.findLastIndex((line) => !line.startsWith("//"));
  if (above[last]?.trimEnd().endsWith("*/") !== true) return false;
  return above[above.findLastIndex((line, index) => index <= last && line.includes("/*"))]?.startsWith("/**") === true;
}

test("every export of core, db and plugins has a docstring", () => {
  const side = testSide(readSources());
  const runtime = readSources().filter(({ path }) => PLACE.test(path) && !side.has(path));
  expect(runtime.flatMap(undocumented)).toEqual([]);
});

test("the rule of docstrings can fail", () => {
  const bad = [
    "export function bare() {}",
    "/* No docstring. */\nexport const plain = 1;",
    "/** Of another. */\n\nexport interface Apart {}",
    "// A note.\nexport async function noted() {}",
    "export default class Big {}",
    "const x = 1; /** Elsewhere. */\nexport type Late = string;",
  ];
  for (const text of bad)
    expect(undocumented(readSource("core/x.ts", text))).toEqual([
      expect.stringMatching(/^core\/x\.ts:\d: export "\w+" has/),
    ]);
});

test("the rule of docstrings accepts what is documented or re-exported", () => {
  const good = [
    "/** One line. */\nexport function one() {}",
    "/**\n * Two\n * lines.\n */\n// biome-ignore lint: reason\nexport const two = 2;",
    "/** Once. */\nexport function over(a: string): void;\nexport function over(a: number): void;",
    'export * from "./x.ts";\nexport { a } from "./a.ts";\nexport type { B } from "./b.ts";',
    "const text = `\nexport function inside() {}\n`;",
  ];
  for (const text of good) expect(undocumented(readSource("core/x.ts", text))).toEqual([]);
});
