import { expect, test } from "bun:test";
import fc from "fast-check";
import { ApiError } from "lectern/core";
import { readTags } from "./read.ts";

test("readTags() keeps the order of the request and trims", () => {
  const sent = [{ name: "  b ", value: " 2 " }, { name: "a" }];
  expect(readTags(sent)).toEqual([
    { name: "b", value: "2", order: 0 },
    { name: "a", value: "", order: 0 },
  ]);
});

test("readTags() takes an object of entries and ignores an order that was sent", () => {
  expect(readTags({ one: { name: "from", value: "object", order: 7 } })).toEqual([
    { name: "from", value: "object", order: 0 },
  ]);
});

test("readTags() drops what has no name", () => {
  expect(
    readTags([{ name: "", value: "x" }, { name: "0" }, { value: "x" }, "text", null, 5, ["a"], { name: null }]),
  ).toEqual([]);
});

test("readTags() keeps doubles, and numbers as text", () => {
  expect(readTags([{ name: "twin" }, { name: "twin" }, { name: 17, value: 1.5 }])).toEqual([
    { name: "twin", value: "", order: 0 },
    { name: "twin", value: "", order: 0 },
    { name: "17", value: "1.5", order: 0 },
  ]);
});

test("readTags() counts characters, and names each text that is too long", () => {
  expect(readTags([{ name: "🏷".repeat(255) }])).toHaveLength(1);
  try {
    readTags([{ name: "a" }, { name: "n".repeat(256), value: "v".repeat(256) }]);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).details.validation).toEqual({
      "tags.1.name": ["The tags.1.name may not be greater than 255 characters."],
      "tags.1.value": ["The tags.1.value may not be greater than 255 characters."],
    });
  }
});

test("readTags() answers tags or 422 for any input", () => {
  fc.assert(
    fc.property(fc.anything(), (sent) => {
      try {
        for (const tag of readTags(sent)) expect(tag.name.length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
  );
});
