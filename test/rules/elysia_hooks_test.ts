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

/** The one file of core that names what Elysia does not publish. */
const INTERNALS = "core/http/elysia_internals.ts";
/** Private and protected members of Elysia's class, and its router, whose layout is not described. */
const PRIVATE =
  /\b(?:definitions|extender|setHeaders|promisedModules|singleton|routeTree|inference|applyMacro|higherOrderFunctions)\b|[.{,]\s*router\b/;

function internalsIn({ path, code, text }: Source): string[] {
  if (path.endsWith("_test.ts") || path === INTERNALS || !/from "elysia"/.test(text)) return [];
  return code
    .split("\n")
    .flatMap((line, index) =>
      PRIVATE.test(line) ? [`${path}:${index + 1}: what Elysia does not publish is named in ${INTERNALS} alone`] : [],
    );
}

test("core and plugins name what Elysia does not publish in one file", () => {
  const sources = readSources().filter(({ path }) => /^(?:core|plugins)\//.test(path));
  expect(sources.flatMap(internalsIn)).toEqual([]);
});

test("the rule of what is not published can fail", () => {
  const reading =
    'import { Elysia } from "elysia";\nconst { definitions } = app as Internals;\nreturn app.router.http;\n';
  expect(internalsIn(readSource("core/http/x.ts", reading))).toHaveLength(2);
  expect(internalsIn(readSource("core/http/x.ts", reading.replace("elysia", "other")))).toEqual([]);
});
