import { expect, test } from "bun:test";
import fc from "fast-check";
import { yieldToEventLoop } from "lectern/core";
import { parseObject } from "./json.ts";

const parsed = (text: string, sliceBytes = 4) => parseObject(Buffer.from(text), yieldToEventLoop(), sliceBytes);

function expected(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

test("slicing does not change the result, for valid and for damaged input", async () => {
  const json = fc.record({ a: fc.jsonValue({ maxDepth: 6 }), é: fc.jsonValue(), "": fc.array(fc.jsonValue()) });
  const text = fc
    .tuple(json, fc.boolean())
    .map(([value, isIndented]) => JSON.stringify(value, undefined, isIndented ? 1 : undefined));
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.constantFrom("", ...'{}[],:"\\ 1x'), async (whole, at, change) => {
      expect(await parsed(whole)).toEqual(expected(whole) as Record<string, unknown>);
      const offset = at % whole.length;
      const damaged = whole.slice(0, offset) + change + whole.slice(offset + 1);
      expect(await parsed(damaged)).toEqual(expected(damaged) as Record<string, unknown>);
    }),
    { numRuns: 2_000, seed: 5 },
  );
});

for (const text of [
  '{"a":[1,2,3,4,5,6,7,8,]}',
  '{"a":[,1,2,3,4,5,6,7,8]}',
  '{"a":[111111,,111111]}',
  '{"a":"111111",,"b":"111111"}',
  '{{"a":"111111"}:1}',
  '{"a":[111111}]',
  '{"a":[111111]]}',
  '{"a":[111111]},{"b":1}',
  '[{"a":[111111]}]',
  "",
  " ",
  '{"a":"111111',
  '\ufeff\ufeff{"a":1}',
])
  test(`${JSON.stringify(text)} is no object`, async () => {
    expect(await parsed(text)).toBeUndefined();
    expect(await parsed(text, 1_000)).toBeUndefined();
  });

test("special property names are plain keys, and a byte order mark is skipped", async () => {
  const special = await parsed(
    '\ufeff{"__proto__":{"a":[1,2,3,4,5,6]},"b":[      ],"a,]}":["\\"]",{"x":[1,2,3,4,5]}]}',
  );
  expect(Object.getPrototypeOf(special)).toBe(Object.prototype);
  expect(Object.entries(special ?? {})).toEqual([
    ["__proto__", { a: [1, 2, 3, 4, 5, 6] }],
    ["b", []],
    ["a,]}", ['"]', { x: [1, 2, 3, 4, 5] }]],
  ]);
});
