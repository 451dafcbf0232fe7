import { expect, test } from "bun:test";
import { jsonTextOf, textList } from "./json_text.ts";

const listed = () => textList<{ id: number }>('[{"id":1},{"id":2}]', 7);

test("textList() has its text until somebody looks at the rows, since they may change them", () => {
  const list = listed();
  expect(jsonTextOf(list)).toBe('{"data":[{"id":1},{"id":2}],"total":7}');
  expect(list.total).toBe(7);
  expect(jsonTextOf(list)).toBeDefined();
  const [first] = list.data;
  if (first) first.id = 3;
  expect(jsonTextOf(list)).toBeUndefined();
  expect(JSON.stringify(list)).toBe('{"data":[{"id":3},{"id":2}],"total":7}');
});

test("textList() is a plain object of data and total, and copies have no text", () => {
  expect(Object.keys(listed())).toEqual(["data", "total"]);
  expect(JSON.stringify(listed())).toBe('{"data":[{"id":1},{"id":2}],"total":7}');
  const copy = { ...listed(), total: 2 };
  expect(jsonTextOf(copy)).toBeUndefined();
  expect(copy).toEqual({ data: [{ id: 1 }, { id: 2 }], total: 2 });
  for (const other of [null, undefined, "text", 1, {}, []]) expect(jsonTextOf(other)).toBeUndefined();
});
