import { expect, test } from "bun:test";
import {
  callablesOf,
  checkTypes,
  DOORS,
  type Example,
  examplesOf,
  readExamples,
  readServiceExamples,
} from "./_examples.ts";
import { readSource } from "./_source.ts";

/** Whether an example is long enough to show a use, and short enough to be read at once. */
function isOfUse(code: string): boolean {
  const lines = code.split("\n").length;
  return lines >= 5 && lines <= 25;
}

test("every function and class that plugins import from core, contracts and db has an example", () => {
  const all = readExamples();
  expect(all.filter(({ examples }) => examples.length === 0).map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  expect(all.length).toBeGreaterThan(60);
});

test("every contract and every slot of a replaceable service has an example of 5 to 25 lines", () => {
  const services = readServiceExamples();
  expect(services.length).toBeGreaterThan(15);
  expect(services.filter(({ service }) => !service.examples.some(isOfUse)).map(({ service }) => service.name)).toEqual(
    [],
  );
  expect([4, 5, 25, 26].map((lines) => isOfUse("x();\n".repeat(lines).trimEnd()))).toEqual([false, true, true, false]);
});

test("every example has the types of what it calls, and one that has not is found", () => {
  const wrong: Example = { place: "core/x.ts:3", name: "slugOf", code: "slugOf(42);" };
  const examples = [...readExamples(), ...readServiceExamples()].flatMap((each) => each.examples);
  expect(checkTypes([...examples, wrong])).toEqual([
    expect.stringMatching(/^core\/x\.ts:3: the example of "slugOf": error TS2345: /),
  ]);
});

test("the rule of examples finds what a door exports, and what has no example", () => {
  const door = readSource(
    "core/mod.ts",
    'export { sql } from "kysely";\nexport { type Row, LIMIT, rowOf } from "./rows.ts";\nexport type { Db } from "./db.ts";',
  );
  const values = { sql: () => 0, LIMIT: 1, rowOf: () => 0 };
  expect([...callablesOf(door, values)]).toEqual([["rowOf", "core/rows.ts"]]);
  const file = (doc: string) =>
    readSource("core/rows.ts", `/** Other.\n * @example\n * no();\n */\nx();\n${doc}export function rowOf() {}`);
  expect(examplesOf(file(""), "rowOf")).toEqual([]);
  expect(examplesOf(file("/** A row. */\n"), "rowOf")).toEqual([]);
  const doc =
    "/**\n * A row.\n * @example\n * rowOf(\n *   1,\n * );\n * @example\n * rowOf(2);\n * @throws Error\n */\n// biome-ignore x: y\n";
  expect(examplesOf(file(doc), "rowOf").map(({ code }) => code)).toEqual(["rowOf(\n  1,\n);", "rowOf(2);"]);
  expect(Object.keys(DOORS)).toEqual(["lectern/core", "lectern/contracts", "lectern/db"]);
});
