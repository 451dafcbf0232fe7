import { expect, test } from "bun:test";
import { readSource, readSources, type Source } from "./_source.ts";

/** The one file of core that names hooks of Elysia's lifecycle, which Elysia 2.0 renames. */
const HOOKS = "core/http/server.ts";
const NAMES =
  /\.(?:on(?:Request|Parse|Transform|BeforeHandle|AfterHandle|AfterResponse|Error)|mapResponse|mapDerive|mapResolve|derive|macro|guard|wrap)\s*\(/;

function hooksIn({ path, code }: Source): string[] {
  if (!path.startsWith("core/") || path === HOOKS) return [];
  return code
    .split("\n")
    .flatMap((line, index) =>
      NAMES.test(line) ? [`${path}:${index + 1}: hooks of Elysia are named in ${HOOKS} alone`] : [],
    );
}

test("core names the hooks of Elysia in one file", () => {
  expect(readSources().flatMap(hooksIn)).toEqual([]);
});

test("the rule of hooks can fail, and lets pass plugins and words of another meaning", () => {
  expect(hooksIn(readSource("core/http/x.ts", "app.onError(answer);\napp.derive(read);\n"))).toHaveLength(2);
  expect(hooksIn(readSource("core/http/x.ts", "await Promise.resolve(1);\nconst text = 'app.onError()';\n"))).toEqual(
    [],
  );
  expect(hooksIn(readSource("plugins/content/x.ts", "app.derive(read);\n"))).toEqual([]);
});
