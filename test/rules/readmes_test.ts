import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lineAt, listFiles, ROOT } from "./_source.ts";

const TUTORIAL = "plugins/handbook/tutorial.md";
/** Placeholders for the reader's own files, and where they are used. */
const EXAMPLES: Readonly<Record<string, string>> = {
  "applause.ts": "README.md",
  "hello.ts": "README.md",
  "name_test.ts": "test/README.md",
  "content/name_test.ts": "test/README.md",
  "views/<view>.ts": "themes/README.md",
  "kind.ts": TUTORIAL,
  "strict.ts": TUTORIAL,
  "themes/acme/functions.ts": TUTORIAL,
  ...Object.fromEntries(
    ["changes", "contract", "kind", "migrations", "plugin", "plugin_test", "routes", "screens"].map((name) => [
      `glossary/${name}.ts`,
      TUTORIAL,
    ]),
  ),
};

/** Names of source files in a text, with folders as far as the text gives them, that no file has. */
function gone(path: string, text: string, files: readonly string[]): string[] {
  return [...text.matchAll(/(?<![\w<>.*/$-])(?:[\w.<>-]+\/)*[\w<>-]+\.ts\b/g)].flatMap(({ 0: found, index }) => {
    const name = found.replace(/^(?:\.\.?\/)+/, "");
    if (EXAMPLES[name] === path || files.some((file) => file === name || file.endsWith(`/${name}`))) return [];
    return [`${path}:${lineAt(text, index)}: names the file "${name}", which is not there`];
  });
}

test("the files that a README names are there", () => {
  const files = listFiles();
  const readmes = files.filter((path) => path.endsWith(".md") && !/^test\/fixtures\/|CHANGELOG/.test(path));
  expect(readmes.flatMap((path) => gone(path, readFileSync(join(ROOT, path), "utf8"), files))).toEqual([]);
});

test("the list of examples names none that is gone", () => {
  const unused = Object.entries(EXAMPLES).filter(
    ([name, path]) => !readFileSync(join(ROOT, path), "utf8").includes(name),
  );
  expect(unused).toEqual([]);
});

test("the rule of READMEs can fail", () => {
  const files = ["core/workers/listen.ts", "core/cli.ts"];
  expect(gone("x.md", "see `workers/listen.ts`, `./core/cli.ts` and listen.ts", files)).toEqual([]);
  expect(gone("x.md", "a\n`http/server.ts`", files)).toEqual([
    'x.md:2: names the file "http/server.ts", which is not there',
  ]);
});
