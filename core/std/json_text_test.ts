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

test("textList() may get other rows, another total and further members, as any object", () => {
  const changes: readonly [(list: Record<string, unknown>) => void, string][] = [
    [(list) => (list.data = []), '{"data":[],"total":7}'],
    [(list) => (list.total = 1), '{"data":[{"id":1},{"id":2}],"total":1}'],
    [(list) => (list.next = "/2"), '{"data":[{"id":1},{"id":2}],"total":7,"next":"/2"}'],
    [(list) => delete list.total, '{"data":[{"id":1},{"id":2}]}'],
  ];
  for (const [change, text] of changes) {
    const list = listed();
    change(list as unknown as Record<string, unknown>);
    expect([jsonTextOf(list), JSON.stringify(list)]).toEqual([undefined, text]);
  }
});

test("textList() is a plain object of data and total, and copies have no text", () => {
  expect(Object.keys(listed())).toEqual(["data", "total"]);
  expect(JSON.stringify(listed())).toBe('{"data":[{"id":1},{"id":2}],"total":7}');
  const copy = { ...listed(), total: 2 };
  expect(jsonTextOf(copy)).toBeUndefined();
  expect(copy).toEqual({ data: [{ id: 1 }, { id: 2 }], total: 2 });
  for (const other of [null, undefined, "text", 1, {}, []]) expect(jsonTextOf(other)).toBeUndefined();
});
