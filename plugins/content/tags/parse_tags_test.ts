import { expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "lectern/core";
import { parseTags } from "./parse_tags.ts";

test("parseTags() keeps the order of the request and trims", () => {
  const sent = [{ name: "  b ", value: " 2 " }, { name: "a" }];
  expect(parseTags(sent)).toEqual([
    { name: "b", value: "2", order: 0 },
    { name: "a", value: "", order: 0 },
  ]);
});

test("parseTags() takes an object of entries and ignores an order that was sent", () => {
  expect(parseTags({ one: { name: "from", value: "object", order: 7 } })).toEqual([
    { name: "from", value: "object", order: 0 },
  ]);
});

test("parseTags() drops entries without a name", () => {
  expect(
    parseTags([{ name: "", value: "x" }, { name: "0" }, { value: "x" }, "text", null, 5, ["a"], { name: null }]),
  ).toEqual([]);
});

test("parseTags() keeps duplicates, and numbers as text", () => {
  expect(parseTags([{ name: "twin" }, { name: "twin" }, { name: 17, value: 1.5 }])).toEqual([
    { name: "twin", value: "", order: 0 },
    { name: "twin", value: "", order: 0 },
    { name: "17", value: "1.5", order: 0 },
  ]);
});

test("parseTags() counts characters, and reports each text that is too long", () => {
  expect(parseTags([{ name: "🏷".repeat(255) }])).toHaveLength(1);
  try {
    parseTags([{ name: "a" }, { name: "n".repeat(256), value: "v".repeat(256) }]);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).details.validation).toEqual({
      "tags.1.name": ["The tags.1.name may not be greater than 255 characters."],
      "tags.1.value": ["The tags.1.value may not be greater than 255 characters."],
    });
  }
});

test("parseTags() returns tags or throws 422 for any input", () => {
  fc.assert(
    fc.property(fc.anything(), (sent) => {
      try {
        for (const tag of parseTags(sent)) expect(tag.name.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
  );
});
