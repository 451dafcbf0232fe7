import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { DOORS } from "./_examples.ts";
import { ROOT } from "./_source.ts";

const PAGE = "plugins/handbook/concepts.md";
/** What authors import from: the doors of the examples, that of commands, and the tables, which `lectern/db` exports whole. */
const EXPORTING = [...Object.values(DOORS).map(({ path }) => path), "core/cli/mod.ts", "db/query/tables.ts"].map(
  (path) => read(path),
);

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The anchors of the headings of a page. */
function anchorsOf(path: string): string[] {
  return [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows of the table of nouns. */
function nouns(text: string): { readonly noun: string; readonly sentence: string; readonly more: string }[] {
  return [...text.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
    .map(([, noun = "", sentence = "", more = ""]) => ({ noun, sentence, more }))
    .slice(2);
}

/** What is wrong with a row. */
function problems({ noun, sentence, more }: ReturnType<typeof nouns>[number]): string[] {
  const [, name = "", target = ""] = /^\[`(\w+)`\]\(([^)]+)\)$/.exec(more) ?? [];
  const [file = "", anchor] = normalize(join(dirname(PAGE), target)).split("#");
  const isExported = EXPORTING.some((text) => new RegExp(`\\b${name}\\b`).test(text.replace(/\/\*[\s\S]*?\*\//g, "")));
  return [
    ...(/^[A-Z][^.]*\.$/.test(sentence.replace(/`[^`]*`/g, "it")) ? [] : [`${noun}: is not said in one sentence`]),
    ...(name !== "" && isExported ? [] : [`${noun}: nothing exports "${name}"`]),
    ...(anchor === undefined || anchorsOf(file).includes(anchor)
      ? []
      : [`${noun}: ${file} has no heading "${anchor}"`]),
  ];
}

test("the page of concepts says about thirty nouns, each in one sentence, with an export and a heading that exist", () => {
  const rows = nouns(read(PAGE));
  expect(rows.flatMap(problems)).toEqual([]);
  expect(new Set(rows.map(({ noun }) => noun)).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThanOrEqual(25);
  expect(rows.length).toBeLessThanOrEqual(36);
  expect(read("plugins/README.md")).toContain("(handbook/concepts.md)");
});

test("the rule of concepts can fail", () => {
  const row = { noun: "note", sentence: "A note. Or not.", more: "[`Note`](../README.md#notes)" };
  expect(problems(row)).toEqual([
    "note: is not said in one sentence",
    'note: nothing exports "Note"',
    'note: plugins/README.md has no heading "notes"',
  ]);
});
