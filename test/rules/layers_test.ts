/** Core and db are layers: by imports, types included, each folder uses those below it alone (`_layers.ts` has their order). */
import { expect, test } from "bun:test";
import { CORE, DB, type Layered, layerOf, upwardImports } from "./_layers.ts";
import { readSource, readSources } from "./_source.ts";
import { testSide } from "./_tests.ts";

/** Imports upward in the sources of the product, as findings. */
function findings(layered: Layered, sources = readSources()): string[] {
  const tests = testSide(sources);
  const product = sources.filter(({ path }) => !tests.has(path));
  return upwardImports(layered, product).map(
    ({ path, line, target, from, to }) =>
      `${path}:${line}: imports "${target}", and the layer "${to}" is not below "${from}": pass what is needed, or move it down`,
  );
}

test.each([CORE, DB])("the layers of $place import downward alone", (layered) => {
  expect(findings(layered)).toEqual([]);
});

test.each([CORE, DB])("every folder of $place is a layer", (layered) => {
  const known = layered.layers.flat();
  const tests = testSide(readSources());
  const found = new Set(readSources().flatMap(({ path }) => (tests.has(path) ? [] : [layerOf(layered, path)])));
  expect([...found].filter((layer) => layer !== undefined && !known.includes(layer))).toEqual([]);
});

test("std imports nothing but itself and built-in modules", () => {
  const outside = readSources()
    .filter(({ path }) => path.startsWith("core/std/") && !path.endsWith("_test.ts"))
    .flatMap(({ path, code, text }) =>
      [...code.matchAll(/\bfrom\s*(?=["'])/g)].flatMap(({ index, 0: head }) => {
        const [, specifier = ""] = /^["']([^"']*)/.exec(text.slice(index + head.length)) ?? [];
        return /^(?:\.\/|node:|bun$)/.test(specifier) ? [] : [`${path}: ${specifier}`];
      }),
    );
  expect(outside).toEqual([]);
});

test("the rule of layers can fail", () => {
  const bad: readonly [layered: Layered, path: string, line: string][] = [
    [CORE, "core/events/x.ts", 'import { y } from "../http/y.ts";'],
    [CORE, "core/events/x.ts", 'import type { Y } from "../runtime/y.ts";'],
    [CORE, "core/std/x.ts", 'import { y } from "../errors.ts";'],
    [CORE, "core/x.ts", 'import { y } from "./http/y.ts";'],
    [CORE, "core/cli/x.ts", 'import { y } from "../unheard/y.ts";'],
    [DB, "db/query/x.ts", 'import { y } from "../connection/y.ts";'],
    [DB, "db/grants/x.ts", 'import { y } from "../embedded/y.ts";'],
  ];
  for (const [layered, path, line] of bad) expect(findings(layered, [readSource(path, line)])).toHaveLength(1);
  const good: readonly [layered: Layered, path: string, line: string][] = [
    [CORE, "core/http/x.ts", 'import { y } from "../events/y.ts";'],
    [CORE, "core/http/x.ts", 'import { y } from "./y.ts";'],
    [CORE, "core/mod.ts", 'export { y } from "./runtime/y.ts";'],
    [CORE, "core/std/x.ts", 'import { y } from "./y.ts";'],
    [DB, "db/grants/x.ts", 'import { y } from "../query/y.ts";'],
    [DB, "db/open.ts", 'import { y } from "./embedded/y.ts";'],
  ];
  for (const [layered, path, line] of good) expect(findings(layered, [readSource(path, line)])).toEqual([]);
});
