import { expect, test } from "bun:test";
import { listFiles, readSource, readSources, type Source } from "./_source.ts";

const MAX_LINES = 350;
/** From this length on a file begins with a docstring of several lines. */
const ESSAY_FROM_LINES = 100;
const ESSAY_LINES = 3;

const TOP_FOLDERS = ["core", "db", "plugins", "test", "themes"];
const TOP_FILES = ["LICENSE", "README.md", "bun.lock", "bunfig.toml", "package.json", "tsconfig.json"];
/** File names with a spelling of their own. */
const SPELT_ALONE = [
  ...["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "RELEASING.md"],
  ...["Caddyfile", "Dockerfile"],
];

function tooLong({ path, text }: Source): string[] {
  const lines = text.trimEnd().split("\n").length;
  if (lines <= MAX_LINES) return [];
  return [`${path}:${MAX_LINES + 1}: file has ${lines} lines, may have ${MAX_LINES}`];
}

/** That docstring is the file's head, or between its imports and its first statement. */
function withoutEssay({ path, text, code, comments }: Source): string[] {
  const lines = text.trimEnd().split("\n").length;
  if (lines <= ESSAY_FROM_LINES || /(?:^|\/)[^/]+_test\.ts$/.test(path)) return [];
  const imports = /^(?:\s*import\b[^;]*;)*\s*/.exec(code)?.[0] ?? "";
  const first = imports.split("\n").length;
  const opening = comments.filter(({ line }) => line < first || line === 1).map((comment) => comment.text.split("\n"));
  const docs = opening.filter((comment) => comment.length >= ESSAY_LINES);
  const notes = opening.filter((comment) => comment[0]?.startsWith("//")).length;
  if (docs.length > 0 || notes >= ESSAY_LINES) return [];
  return [
    `${path}:1: file has ${lines} lines and no essay: above ${ESSAY_FROM_LINES} it opens with what, why, what not`,
  ];
}

function misspelt(path: string): string[] {
  const wrong = path
    .split("/")
    .find((name) => !SPELT_ALONE.includes(name) && !/^[._]?[a-z0-9]+(?:_[a-z0-9]+)*(?:\.[a-z0-9]+)*$/.test(name));
  // Fixtures are named after their content.
  if (wrong === undefined || path.startsWith("test/fixtures/")) return [];
  return [`${path}:1: name "${wrong}" is not in snake_case`];
}

function outOfPlace(path: string): string[] {
  const [top = "", ...rest] = path.split("/");
  if (top.startsWith(".") || (rest.length > 0 ? TOP_FOLDERS : TOP_FILES).includes(top)) return [];
  return [`${path}:1: "${top}" may not lie at the top, which holds ${[...TOP_FOLDERS, ...TOP_FILES].join(", ")}`];
}

test("no file is longer than 350 lines", () => {
  expect(readSources().flatMap(tooLong)).toEqual([]);
});

test("files above a hundred lines open with an essay", () => {
  expect(readSources().flatMap(withoutEssay)).toEqual([]);
});

test("file names are in snake_case", () => {
  expect(listFiles().flatMap(misspelt)).toEqual([]);
});

test("the top of Lectern holds what a visitor expects there", () => {
  expect(listFiles().flatMap(outOfPlace)).toEqual([]);
});

test("the rules of files can fail", () => {
  const long = "x();\n".repeat(351);
  expect(tooLong(readSource("core/x.ts", long))).toEqual(["core/x.ts:351: file has 351 lines, may have 350"]);
  const bare = `import a from "a";\n\n/** One line. */\n${long}`;
  expect(withoutEssay(readSource("core/x.ts", bare))).toEqual([expect.stringContaining("core/x.ts:1: file has 354")]);
  expect(withoutEssay(readSource("core/x.ts", `${long}/**\n * Too\n * late.\n */\n`))).toHaveLength(1);
  expect(["core/fooBar.ts", "core/foo-bar.ts", "plugins/Books/plugin.ts"].flatMap(misspelt)).toHaveLength(3);
  expect(["src/x.ts", "notes.md"].flatMap(outOfPlace)).toHaveLength(2);
});

test("the rules of files let an essay stand at the head, below the imports, or in line comments", () => {
  const rest = "x();\n".repeat(120);
  for (const head of [
    "/**\n * One\n * two.\n */\n",
    'import {\n  a,\n} from "a";\n/*\n * One\n */\n',
    "// a\n// b\n// c\n",
  ])
    expect(withoutEssay(readSource("core/x.ts", head + rest))).toEqual([]);
  const named = ["core/http/plugin_app.ts", "db/_stores.ts", "plugins/content/books/migrations/0001_init.ts"];
  expect(named.flatMap(misspelt)).toEqual([]);
});
