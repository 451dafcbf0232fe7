import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { choose, sharesOf } from "./choice.ts";
import { reaches, readCoverage } from "./coverage.ts";
import { nearestTests, sourcesOf, TESTS_OF } from "./nearest.ts";
import { apply, isValid, mutantsOf } from "./operators.ts";

const ROOT = join(import.meta.dir, "../../..");

/** What the mutants of a text make of it. */
function changed(text: string): string[] {
  return mutantsOf("x.ts", text).map((mutant) => apply(text, mutant));
}

/** Statements of a function, and what its mutants make of them. */
const CHANGES: readonly [text: string, ...mutants: string[]][] = [
  ["const a = b < c;", "const a = b <= c;"],
  ["const a = b >= c;", "const a = b > c;"],
  ["const a = b === c;", "const a = b !== c;"],
  ["const a = b && c;", "const a = b || c;"],
  ["const a = b ?? c;", "const a = b;", "const a = c;"],
  ["const a = b + c * d;", "const a = b - c * d;", "const a = b + c / d;"],
  ["const a = true;", "const a = false;"],
  ["const a = 1;", "const a = 0;", "const a = 2;"],
  ["const a = 0;", "const a = 1;"],
  ["const a = 60_000;", "const a = 0;"],
  ["const a = { b: 'c' };", 'const a = { b: "" };'],
  [`const a = \`b\${c}\`;`, 'const a = "";'],
  ["const a = [b, c];", "const a = [];"],
  ["if (a) { }", "if (!(a)) { }"],
  ["if (!a) { }", "if (a) { }"],
  ["const a = b ? c : d;", "const a = !(b) ? c : d;"],
  ["const a = b.some(c);", "const a = b.every(c);"],
  ["await a(b);", ";"],
  ["a = b;", ";"],
  ["a += b;", ";", "a -= b;"],
  ["for (; ; a++) { }", "for (; ; a--) { }"],
];

test("each operator changes what it is about, and nothing else", () => {
  for (const [text, ...mutants] of CHANGES) expect([text, ...changed(text).sort()]).toEqual([text, ...mutants.sort()]);
});

test("functions lose their result, or do nothing", () => {
  expect(changed("function f() { return a; }")).toEqual(["function f() { return undefined; }"]);
  expect(changed("const f = () => a;")).toEqual(["const f = () => undefined;"]);
  expect(changed("function f() { a(); }")).toEqual(["function f() {}", "function f() { ; }"]);
  expect(changed("class A { constructor(b: number) { this.b = b; } }")).toEqual([]);
});

test("types, imports, comments, SQL, errors and the log have no mutants", () => {
  for (const text of [
    'import a from "a";',
    'export { a } from "a";',
    'interface A { b: "c" | 1; }',
    'type A = "b" extends string ? true : false;',
    'let a: "b";',
    '/** `if (true) a("b")` */',
    `const a = sql\`select \${b} where c = "d"\`;`,
    `throw new Error(a ? "b" : \`c \${1 + d}\`);`,
    'this.#log.warn("Cannot read", { tries: 1 + a });',
    'const a = { description: "b" };',
  ])
    expect([text, ...changed(text)]).toEqual([text]);
});

test("functions that remove files or end processes have no mutants", () => {
  expect(changed("function f(a: string) { if (a === 'b') rmSync(a + 'c', { recursive: true }); }")).toEqual([]);
  expect(changed("const end = () => process.kill(1 + pid);")).toEqual([]);
});

test("a mutant that no engine reads, or that changes nothing, is none", () => {
  const text = "const a = b ?? c;";
  const mutant = mutantsOf("x.ts", text).find(({ after }) => after === "c");
  if (!mutant) throw new Error("No mutant");
  const isValidAs = (after: string) => isValid(text, { ...mutant, after });
  expect(["c", "c || d ?? e", "b ?? (c)"].map(isValidAs)).toEqual([true, false, false]);
});

test("a mutant is not applied to another text", () => {
  const [mutant] = mutantsOf("x.ts", "const a = true;");
  if (!mutant) throw new Error("No mutant");
  expect(() => apply("const ab = true;", mutant)).toThrow("Cannot apply");
});

const lines = (path: string, count: number) =>
  mutantsOf(path, Array.from({ length: count }, (_, at) => `const a${at} = b${at} < c && ${at} > d;`).join("\n"));

test("a seed chooses the same mutants again, another one others", () => {
  const files = [lines("a.ts", 40), lines("b.ts", 40)];
  const of = (seed: number) => choose(files, { seed, count: 20 });
  expect(of(1)).toEqual(of(1));
  expect(of(1)).toHaveLength(20);
  expect(of(2)).not.toEqual(of(1));
});

test("a change of a file leaves most of its other mutants chosen", () => {
  const text = Array.from({ length: 60 }, (_, at) => `const a${at} = b${at} < c;`);
  const texts = (some: readonly string[]) => {
    const whole = some.join("\n");
    return choose([mutantsOf("a.ts", whole)], { seed: 1, count: 20 }).map(({ line }) => whole.split("\n")[line - 1]);
  };
  const kept = texts(["// A head", ...text]).filter((line) => texts(text).includes(line));
  expect(kept.length).toBeGreaterThan(15);
});

test("files have mutants in proportion to their size, and lines one at most while others have some", () => {
  const chosen = choose([lines("a.ts", 30), lines("b.ts", 10)], { seed: 1, count: 20 });
  expect(chosen.filter(({ path }) => path === "a.ts")).toHaveLength(15);
  expect(new Set(chosen.map(({ path, line }) => `${path}:${line}`)).size).toBe(20);
  expect(choose([lines("a.ts", 2)], { seed: 1, count: 100 })).toHaveLength(lines("a.ts", 2).length);
});

test("shares add up to the count, or to all", () => {
  expect(sharesOf([5, 3, 2], 5)).toEqual([3, 1, 1]);
  expect(sharesOf([1, 1, 1], 2)).toEqual([1, 1, 0]);
  expect(sharesOf([2, 1], 40)).toEqual([2, 1]);
  expect(sharesOf([0, 0], 40)).toEqual([0, 0]);
});

test("a test reaches the lines that ran, and lines of its files that the report does not have", () => {
  const coverage = readCoverage("TN:\nSF:a.ts\nDA:1,4\nDA:2,0\nend_of_record\nSF:b.ts\nDA:2,1\nend_of_record\n");
  expect([1, 2, 3].map((line) => reaches(coverage, "a.ts", line))).toEqual([true, false, true]);
  expect(reaches(coverage, "b.ts", 2)).toBe(true);
  expect(reaches(coverage, "c.ts", 1)).toBe(false);
});

test("the nearest tests are those of the folder, those that are listed for it, or those that name it", () => {
  for (const folder of Object.keys(TESTS_OF)) {
    const sources = sourcesOf(ROOT, folder);
    expect(sources.filter((path) => path.endsWith("_test.ts"))).toEqual([]);
    const absent = nearestTests(ROOT, sources[0] ?? "").filter((path) => !existsSync(join(ROOT, path)));
    expect([folder, absent]).toEqual([folder, []]);
  }
  expect(nearestTests(ROOT, "db/grants/roles.ts")).toContain("db/grants/enforcement_test.ts");
  expect(nearestTests(ROOT, "core/i18n/slug.ts")).toContain("core/i18n/slug_test.ts");
  expect(nearestTests(ROOT, "plugins/accounts/content_permissions/sweep.ts")).toEqual(
    expect.arrayContaining(["test/accounts/access_lists_test.ts", "test/accounts/content_permissions_test.ts"]),
  );
  expect(() => sourcesOf(ROOT, "db/nowhere")).toThrow('Cannot find "db/nowhere"');
});
