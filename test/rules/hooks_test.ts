import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { declaredSlots } from "../../core/runtime/slot_specs.ts";
import plugins from "../../plugins/mod.ts";
import { contractRows, declaredIn, eventRows, screenRows, slotRows, tableBelow, themeHookRows } from "./_hooks.ts";
import { ROOT, readSource, readSources } from "./_source.ts";

const handbook = readFileSync(join(ROOT, "plugins/README.md"), "utf8");
const hooks = readFileSync(join(ROOT, "plugins/hooks.md"), "utf8");

/** Differences between a table and the sources; its last column is prose, and may not be empty. */
function differing(rows: readonly string[][], expected: readonly string[][]): string[] {
  const listed = rows.map((cells) => cells.slice(0, -1).join(" | "));
  const wanted = expected.map((cells) => cells.join(" | "));
  return [
    ...wanted.filter((row) => !listed.includes(row)).map((row) => `plugins/hooks.md: a row is missing: | ${row} | … |`),
    ...listed.filter((row) => !wanted.includes(row)).map((row) => `plugins/hooks.md: a row is stale: | ${row} |`),
    ...rows.filter((cells) => !cells.at(-1)).map(([name]) => `plugins/hooks.md: ${name} is not explained`),
  ];
}

/** Members of an interface of the plugin contract that the handbook does not name. */
function untold(interfaceName: string, text: string): string[] {
  const declared = new RegExp(`\\binterface ${interfaceName}\\b`);
  const source = readSources().find(({ path, code }) => path.startsWith("core/") && declared.test(code));
  const body = source?.code.split(declared)[1]?.split("\n}\n")[0] ?? "";
  const names = [...body.matchAll(/^ {2}(?:readonly )?(\w+)(?=[<(?:])/gm)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`core has no interface "${interfaceName}"`);
  return names.filter((name) => !text.includes(`\`${name}\``));
}

test("the handbook lists every event as the sources declare it, and no other", () => {
  const expected = eventRows(readSources());
  expect(expected.length).toBeGreaterThan(50);
  expect(differing(tableBelow(hooks, "Events"), expected)).toEqual([]);
});

test("every event that is declared is performed by somebody", () => {
  expect(eventRows(readSources()).filter((cells) => cells.at(-1)?.startsWith("[]"))).toEqual([]);
});

test("the handbook lists every slot, every contract and every theme hook, and no other", () => {
  expect(differing(tableBelow(hooks, "Slots"), slotRows(readSources()))).toEqual([]);
  expect(differing(tableBelow(hooks, "Contracts"), contractRows(readSources()))).toEqual([]);
  expect(differing(tableBelow(hooks, "Theme hooks"), themeHookRows(readSources()))).toEqual([]);
});

test("every slot has a declaration, so that a misspelt one is recognized", () => {
  const names = [...declaredSlots(plugins, plugins).all().keys()];
  const missing = declaredIn(readSources(), "Slots").filter(({ name }) => !names.includes(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("the handbook lists every place of screens and every view with its data, and no other", () => {
  for (const which of ["Places", "Views"] as const) {
    const expected = screenRows(readSources(), which);
    expect(expected.length).toBeGreaterThan(3);
    expect(differing(tableBelow(hooks, which), expected)).toEqual([]);
  }
});

test("the handbook names every field of a plugin and every member of its context", () => {
  expect(
    (["PluginSpec", "PluginContext", "ResourceContext"] as const).flatMap((name) => untold(name, handbook)),
  ).toEqual([]);
});

test("the rule of hooks can fail", () => {
  const rows = tableBelow(
    "# X\n\n## Events\n\n| a | b |\n| --- | --- |\n| `one` | `x \\| y` | Once. |\n| `two` | z | |\n",
    "Events",
  );
  expect(
    differing(rows, [
      ["`one`", "`x \\| y`"],
      ["`three`", "z"],
    ]),
  ).toEqual([
    "plugins/hooks.md: a row is missing: | `three` | z | … |",
    "plugins/hooks.md: a row is stale: | `two` | z |",
    "plugins/hooks.md: `two` is not explained",
  ]);
  expect(untold("PluginContext", handbook.replaceAll("`visible`", "it"))).toEqual(["visible"]);
});

test("declarations are read through comments, nested types and resources", () => {
  const text = `declare module "lectern/core" {
    interface Events extends ResourceEvents<"book", Draft, Change, Book> {
      /** Not: here: { } */
      book_move: { draft: { row: Book; to: Map<string, "a;b"> }; result: Book };
    }
    interface Slots { dependents: Dependents }
  }`;
  const source = readSource("plugins/content/books/contract.ts", text);
  expect(declaredIn([source], "Events").map(({ name, type }) => [name, type])).toEqual([
    ["book_create", "{ draft: Draft; result: Book }"],
    ["book_delete", "{ draft: Book; result: Book }"],
    ["book_move", '{ draft: { row: Book; to: Map<string, "a;b"> }; result: Book }'],
    ["book_update", "{ draft: { row: Book; draft: Change }; result: Book }"],
  ]);
  expect(declaredIn([source], "Slots")).toEqual([
    { name: "dependents", type: "Dependents", path: "plugins/content/books/contract.ts" },
  ]);
  const screens =
    'interface Places { "page/below": Page; "book/list": { readonly of: Map<string, "a;b">; to?: readonly Book[] } }';
  expect(screenRows([readSource("plugins/web/reading/contract.ts", screens)], "Places")).toEqual([
    ["`book/list`", '[`{ of: Map<string, "a;b">; to?: readonly Book[] }`](web/reading/contract.ts)', "web_reading"],
    ["`page/below`", "[`Page`](web/reading/contract.ts)", "web_reading"],
  ]);
  expect(declaredIn([{ ...source, path: "test/x_test.ts" }], "Events")).toEqual([]);
});
