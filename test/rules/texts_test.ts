import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findAll, isTest, lineAt, listFiles, ROOT, readSource, readSources, type Source } from "./_source.ts";

/** Patterns are put together from pieces so that this file does not break its own rules. */
const UNFINISHED = new RegExp(`\\b(?:${["TO" + "DO", "FIX" + "ME", "X" + "XX"].join("|")})\\b`, "g");
const ABROAD = new RegExp(
  [`(?<![\\w.})\\]/])/${"work"}/`, `(?<![\\w.})\\]])/${"root"}\\b/`, `registry\\.${"npmjs"}`].join("|"),
  "g",
);

/** Where a test may be left out, and why. */
const MAY_SKIP: Readonly<Record<string, string>> = {
  "db/_stores.ts": "says in the test's name that no PostgreSQL is installed here",
  "db/connection/hosts_test.ts": "says in the test's name that no PostgreSQL is installed here",
  "db/connection/listener_test.ts": "says in the test's name that no PostgreSQL is installed here",
  "db/connection/pooler_test.ts": "says in the test's name that no pgbouncer is installed here",
  "test/core/planned_statements_test.ts": "says in the test's name that no PostgreSQL is installed here",
  "test/content/cmark_gfm_test.ts": "says in the test's name that no cmark-gfm is installed here",
  "test/server/failover_test.ts": "says in the test's name which package of Patroni is missing here",
  "test/server/pgbouncer_test.ts": "says in the test's name that no pgbouncer is installed here",
  "test/server/stale_leader_test.ts": "says in the test's name that no PostgreSQL is installed here",
};
/** Where a line of output is the purpose. */
const MAY_PRINT = /^(?:core\/cli(?:\.ts|\/)|plugins\/transfer\/loader\/|\.ci\/|test\/)/;

const STATEMENT = [
  /^(?:const|let|var|import|export|return|throw|await|function|interface|type)\b.*[;{(,]$/,
  /^(?:if|for|while|switch)\s*\(.*[;{)]$/,
  /^(?:\}|\]|\))[;,)]*$/,
  /^[\w.]+\(.*\);$/,
  /^[\w.]+ (?:[-+*/]?=|\?\?=) .*;$/,
];

function commentedOut({ path, comments }: Source): string[] {
  return comments
    .filter(({ text }) => !text.startsWith("/**"))
    .flatMap(({ line, text }) =>
      text.split("\n").flatMap((words, index) => {
        const said = words.replace(/^\s*(?:\/\/|\/\*|\*)?\s*/, "").replace(/\s*\*\/$/, "");
        return STATEMENT.some((form) => form.test(said))
          ? [`${path}:${line + index}: commented-out code "${said}"`]
          : [];
      }),
    );
}

function printing({ path, code }: Source): string[] {
  return MAY_PRINT.test(path) || isTest(path)
    ? []
    : findAll(path, code, /\bconsole\.log\b/g, "console.log: use the log");
}

function leftOut({ path, code }: Source): string[] {
  if (path in MAY_SKIP) return [];
  return findAll(path, code, /\b(?:test|it|describe)\.(?:only|skip|todo|if|skipIf|todoIf)\b/g, "a test is left out");
}

/** A catch whose block says nothing: neither code nor the reason why nothing is to be done. */
function emptyCatch({ path, code, text }: Source): string[] {
  return [...code.matchAll(/\bcatch\s*(?:\([^)]*\)\s*)?\{\s*\}/g)]
    .filter((match) => /\{\s*\}$/.test(text.slice(match.index, match.index + match[0].length)))
    .map(
      (match) => `${path}:${lineAt(text, match.index)}: empty catch: handle the error, or say why it does not matter`,
    );
}

function foreign(path: string, text: string): string[] {
  return findAll(path, text, ABROAD, "names a path or host of one machine");
}

function unfinished(path: string, text: string): string[] {
  return findAll(path, text, UNFINISHED, "marks something unfinished: finish it, or open an issue");
}

/** Every file that is text; the lock file is written by a program. */
function texts(): { path: string; text: string }[] {
  return listFiles()
    .filter((path) => !path.startsWith("test/fixtures/") && path !== "bun.lock")
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
    .filter(({ text }) => !text.includes("\0"));
}

test("nothing in the runtime is marked as unfinished", () => {
  expect(texts().flatMap(({ path, text }) => unfinished(path, text))).toEqual([]);
});

test("no file names a path or host that exists on one machine only", () => {
  const lock = { path: "bun.lock", text: readFileSync(join(ROOT, "bun.lock"), "utf8") };
  expect([...texts(), lock].flatMap(({ path, text }) => foreign(path, text))).toEqual([]);
});

test("no code is commented out", () => {
  expect(readSources().flatMap(commentedOut)).toEqual([]);
});

test("only commands print", () => {
  expect(readSources().flatMap(printing)).toEqual([]);
});

test("no test is left out, and none runs alone", () => {
  expect(readSources().flatMap(leftOut)).toEqual([]);
});

test("no error is caught and forgotten", () => {
  expect(readSources().flatMap(emptyCatch)).toEqual([]);
});

test("the rules of texts can fail", () => {
  const source = (text: string) => readSource("core/x.ts", text);
  expect(unfinished("x.md", `One\n${"TO" + "DO"}: two`)).toEqual([expect.stringContaining("x.md:2: marks")]);
  for (const path of [`/${"work"}/x`, `"/${"root"}/.bun"`, `registry.${"npmjs"}.org`])
    expect(foreign("x.ts", `see ${path}`)).toHaveLength(1);
  for (const line of ["// const a = b();", "// }", "// if (a) {", "/*\n  run(a);\n*/", "// a.b = c;"])
    expect(commentedOut(source(line))).toEqual([expect.stringContaining("commented-out code")]);
  expect(printing(source("console.log(1)"))).toEqual([expect.stringContaining("core/x.ts:1: console.log")]);
  expect(leftOut(source('test.only("x")\ndescribe.skip("y")'))).toHaveLength(2);
  for (const text of ["try { a(); } catch {}", "try { a(); } catch (error) {\n}"])
    expect(emptyCatch(source(text))).toHaveLength(1);
});

test("the rules of texts let prose and reasons pass", () => {
  const source = (text: string) => readSource("core/x.ts", text);
  for (const line of ["// returns (as promised) the row", "// for readers; not for us", "/** `const a = b();` */"])
    expect(commentedOut(source(line))).toEqual([]);
  for (const text of ["at /workshop", "frame/work/", "/api/root/", "a/root/b"])
    expect(foreign("x.ts", text)).toEqual([]);
  expect(emptyCatch(source("try { a(); } catch {\n  // Gone already.\n}"))).toEqual([]);
  expect(leftOut(source('const text = "test.only(x)";'))).toEqual([]);
});
