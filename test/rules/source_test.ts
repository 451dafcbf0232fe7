import { expect, test } from "bun:test";
import { importsOf, listFiles, readSource, readSources } from "./_source.ts";

test("comments, strings, templates and patterns are distinguished from code", () => {
  const text = [
    'const a = "// no"; // yes',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a sample of source text
    "const b = `x ${c({ d: `{${e}}` })} /* no */ y`;",
    "const f = g / 2 /* two */ / h;",
    "const i = /[/\"'`]\\//.test(j); k();",
  ].join("\n");
  const { code, comments } = readSource("x.ts", text);
  expect(comments).toEqual([
    { line: 1, text: "// yes" },
    { line: 3, text: "/* two */" },
  ]);
  expect(code.length).toBe(text.length);
  expect(code).not.toContain("no");
  for (const kept of ["c({ d:", "g / 2", "/ h;", ".test(j); k();"]) expect(code).toContain(kept);
});

test("imports of every form are found, and texts that look like imports are not", () => {
  const text = [
    'import "a";',
    'import type { B } from "b";',
    'export * from "c";',
    'const d = await import("d");',
    'type E = import("e").E;',
    "import {",
    "  f,",
    '} from "f";',
    'const no = \'import "g"\'; Array.from("h"); // from "i"',
  ].join("\n");
  expect(importsOf(readSource("x.ts", text)).map(({ specifier }) => specifier)).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect(importsOf(readSource("x.ts", text)).at(-1)?.line).toBe(8);
});

test("imports of types alone are told from those of values", () => {
  const text = [
    'import type { A } from "types/a";',
    'import { type B, type C } from "types/b";',
    'export type { D } from "types/c";',
    'import type * as e from "types/d";',
    "import type {",
    "  F,",
    '} from "types/e";',
    'import { type G, h } from "values/a";',
    'import { i } from "values/b";',
    'export * from "values/c";',
    'import "values/d";',
    'const j = await import("values/e");',
    'import K from "values/f";',
  ].join("\n");
  const found = importsOf(readSource("x.ts", text));
  expect(found).toHaveLength(11);
  for (const { specifier, isType } of found)
    expect(`${specifier} ${isType}`).toBe(`${specifier} ${specifier.startsWith("types/")}`);
});

test("the whole runtime is read: its files are found, and none ends within a literal", () => {
  expect(listFiles()).toContain("package.json");
  expect(listFiles().some((path) => path.includes("node_modules"))).toBe(false);
  // Ignored at the top, where the server keeps its data, and not below.
  expect(listFiles().some((path) => path.startsWith("test/support/data/"))).toBe(true);
  for (const { path, code, text } of readSources()) {
    const open = [...code.matchAll(/\{/g)].length;
    expect(`${path}: ${open} braces open`).toBe(`${path}: ${[...code.matchAll(/\}/g)].length} braces open`);
    expect(code.length).toBe(text.length);
  }
});
