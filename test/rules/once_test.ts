/** What has one helper is not written by hand a second time, so that there is one place to read and to change. */
import { expect, test } from "bun:test";
import { findAll, lineAt, readSource, readSources, type Source } from "./_source.ts";
import { testSide } from "./_tests.ts";

const everything = readSources();
const tests = testSide(everything);
const product = everything.filter(({ path }) => !tests.has(path) && /^(?:core|db|plugins|themes)\//.test(path));

/** Lines above a place in which a comment about it may end. */
const NEAR_LINES = 2;

/** The places of a pattern of the code that no comment in the same line, or directly above, explains. */
function unexplained({ path, code, comments }: Source, pattern: RegExp, message: string): string[] {
  const ends = comments.map(({ line, text }) => line + text.split("\n").length - 1);
  return [...code.matchAll(pattern)].flatMap(({ index }) => {
    const line = lineAt(code, index);
    const isExplained = ends.some((end) => end <= line && end >= line - NEAR_LINES);
    return isExplained ? [] : [`${path}:${line}: ${message}`];
  });
}

/** A whole statement as a template, in code without the inside of literals. */
const WHOLE = /\b(?:rows|write)(?:<[^>]*>)?\(\s*[\w.#]+,\s*sql(?:<[^>`]*>)?`/g;
/** Lines between a comment about a template and the statement. */
const ABOVE_LINES = 4;

/** Whole templates that no comment explains: directly above, or for all that follow in the file ("here and below"). */
function unexplainedTemplates({ path, code, comments }: Source): string[] {
  const about = comments
    .filter(({ text }) => /\btemplates?\b/i.test(text))
    .map(({ line, text }) => ({ end: line + text.split("\n").length - 1, isForAll: text.includes("here and below") }));
  return [...code.matchAll(WHOLE)].flatMap(({ index }) => {
    const line = lineAt(code, index);
    const isExplained = about.some(({ end, isForAll }) => end <= line && (isForAll || end >= line - ABOVE_LINES));
    return isExplained
      ? []
      : [`${path}:${line}: use the builder or prepared, or say in a comment why it is a template`];
  });
}

test("a whole statement is of the builder, or a template with a comment that says why", () => {
  const sample = readSource(
    "x.ts",
    "await rows(db, sql`select 1`);\n// A template: catalogs.\nawait rows(db, sql`select 2`);\n",
  );
  expect(unexplainedTemplates(sample)).toHaveLength(1);
  expect(product.flatMap(unexplainedTemplates)).toEqual([]);
});

test("the 422 of a field is made by invalidFields", () => {
  const byHand = product.flatMap(({ path, text }) =>
    path === "core/errors.ts" ? [] : findAll(path, text, /\(422, "The given data was invalid\."/g, "use invalidFields"),
  );
  expect(byHand).toEqual([]);
});

test("a deadline is that of withinTime, withinCountdown or inTime; another race has a comment that says what it waits for", () => {
  const races = product.flatMap((source) =>
    /^(?:core\/std\/within_time|db\/connection\/time)\.ts$/.test(source.path)
      ? []
      : unexplained(source, /\bPromise\.race\(/g, "use withinTime, or say in a comment what comes first"),
  );
  expect(races).toEqual([]);
});

test("times of a minute or more are written in the units of core/std/time.ts, in db in minutes", () => {
  const byHand = product.flatMap(({ path, code }) =>
    /^(?:core\/std|db\/connection)\/time\.ts$/.test(path)
      ? []
      : findAll(
          path,
          code,
          /\b(?:60_000|600_000|3_600_000|86_400_000|60 \* 60|24 \* 60|1_?000 \* 60|60 \* 1_?000|24 \* 3_?600)\b|\bconst (?:SECOND|MINUTE|HOUR|DAY)_MS\b/g,
          "use SECOND_MS, MINUTE_MS, HOUR_MS or DAY_MS",
        ),
  );
  expect(byHand).toEqual([]);
});

test("a cast past the compiler (`as unknown as`) has a comment that says why it holds", () => {
  const casts = product.flatMap((source) =>
    unexplained(source, /\bas unknown as\b/g, "say in a comment why the cast holds"),
  );
  expect(casts).toEqual([]);
});
