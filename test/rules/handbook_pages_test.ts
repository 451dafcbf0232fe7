import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { columnsOf, declarationAt } from "./_declarations.ts";
import { checkTypes } from "./_examples.ts";
import { FOLDER, handbookPages, NOT_CONTRIBUTED, readSlots } from "./_handbook_pages.ts";
import { ROOT } from "./_source.ts";

test("the handbook has current pages of exports, slots and tables; `bun test/rules/_handbook_pages.ts` writes them", () => {
  for (const [name, text] of handbookPages()) expect(readFileSync(join(ROOT, FOLDER, name), "utf8")).toBe(text);
});

test("every slot that plugins contribute to has an example and its readers", () => {
  const missing = readSlots().filter(({ name, type }) => !(name in NOT_CONTRIBUTED) && !type?.examples.length);
  expect(missing.map(({ name }) => name)).toEqual([]);
  expect(handbookPages().get("slots.md")).not.toContain("Read by the runtime.");
  expect(Object.keys(NOT_CONTRIBUTED).filter((name) => !readSlots().some((slot) => slot.name === name))).toEqual([]);
});

test("the examples of slots have the types of what they contribute", () => {
  const examples = readSlots().flatMap(({ name, type }) =>
    (type?.examples ?? []).map((code) => ({ place: `${type?.path}:${type?.line}`, name, code })),
  );
  const wrong = {
    place: "core/x.ts:3",
    name: "screen_part",
    code: 'context.contribute("screen_part", { at: "menu/mian" });',
  };
  expect(checkTypes([...examples, wrong])).toEqual([
    expect.stringMatching(/^core\/x\.ts:3: the example of "screen_part": error TS/),
  ]);
});

test("every table has columns, with those of the types that it extends", () => {
  const page = handbookPages().get("tables.md") ?? "";
  const tables = page.split(/^## /m).slice(1);
  expect(tables.filter((table) => !/^\| `\w+` \|/m.test(table))).toEqual([]);
  const columns = columnsOf("plugins/content/books/contract.ts", "BooksTable").map(({ name }) => name);
  expect(columns).toEqual(expect.arrayContaining(["id", "name", "deleted_at", "description", "default_template_id"]));
  expect(declarationAt("plugins/content/books/contract.ts", "number")).toBeUndefined();
});
