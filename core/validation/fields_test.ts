import { describe, expect, test } from "bun:test";
import type { ApiError } from "../errors.ts";
import { createTexts } from "../i18n/catalogue.ts";
import type { InputObject } from "../input/body_parsing.ts";
import { type Rules, rules, validate } from "./validate.ts";

const pageRules = rules({
  book_id: ["required_without:chapter_id", "integer"],
  chapter_id: ["required_without:book_id", "integer"],
  name: ["required", "string", "max:255"],
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
  tags: ["array"],
  priority: ["integer"],
});
const changed = rules({
  name: ["string", "min:1", "max:255"],
  description: ["string", "max:10"],
  image: ["nullable", "image_extension"],
  flag: ["boolean"],
});
const overrides = rules({
  role_permissions: ["array"],
  "role_permissions.*.role_id": ["required", "int", "exists:roles,id"],
  "role_permissions.*.view": ["required", "boolean"],
  fallback: ["nullable"],
  "fallback.inheriting": ["required_with:fallback", "boolean"],
  "fallback.view": ["required_if:fallback.inheriting,false", "boolean"],
});

/** What comes out, or the errors by field. */
async function judged(spec: Rules, input: InputObject): Promise<unknown> {
  const options = { texts: createTexts(), lookups: { exists: async () => true } };
  return validate(spec, input, options).catch((error: ApiError) => error.details.validation);
}

describe("validate() answers the known fields, converted", () => {
  test("integers and booleans from their notations, unknown keys dropped", async () => {
    const spec = rules({ a: ["integer"], b: ["integer"], c: ["boolean"], d: ["boolean"], e: ["nullable", "integer"] });
    expect(await judged(spec, { a: "12", b: true, c: "1", d: 0, e: null, id: 7 })).toEqual({
      a: 12,
      b: 1,
      c: true,
      d: false,
      e: null,
    });
  });

  test("empty strings for integers, arrays and pictures as not sent", async () => {
    expect(await judged(pageRules, { book_id: 1, name: "x", html: "y", priority: "", tags: "" })).toEqual({
      book_id: 1,
      name: "x",
      html: "y",
    });
    expect(await judged(changed, { image: "" })).toEqual({});
  });

  test("a list where an object was sent for one, in the order of its numeric keys, then of its numbers", async () => {
    expect(await judged(rules({ tags: ["array"] }), { tags: { one: { name: "x" }, another: { name: "a" } } })).toEqual({
      tags: [{ name: "x" }, { name: "a" }],
    });
    for (const [sent, list] of [
      ['{"1": 5, "0": 3}', [3, 5]],
      ['{"10": 1, "9": 2, "-1": 3}', [3, 2, 1]],
      ['{"2": 5, "01": 3, "a": "7", "b": 4}', [4, "7", 3, 5]],
    ] as const)
      expect(await judged(rules({ books: ["array"] }), { books: JSON.parse(sent) })).toEqual({ books: list });
    const spec = rules({ roles: ["array"], "roles.*": ["integer"] });
    expect(await judged(spec, { roles: { b: "2", a: 1, __proto__: 3 } })).toEqual({ roles: [2, 1] });
    expect(await judged(spec, { roles: JSON.parse('{"__proto__": 3}') })).toEqual({ roles: [3] });
    expect(await judged(spec, { roles: ["1", "", 2] })).toEqual({ roles: [1, 2] });
    expect(await judged(spec, { roles: [] })).toEqual({ roles: [] });
  });

  test("the known ones of nested values", async () => {
    const role = { role_id: 4, view: "1", rogue: 1 };
    expect(
      await judged(overrides, { role_permissions: { x: role }, fallback: { inheriting: true, rogue: 1 } }),
    ).toEqual({ role_permissions: [{ role_id: 4, view: true }], fallback: { inheriting: true } });
    expect(await judged(overrides, { role_permissions: [], fallback: null })).toEqual({
      role_permissions: [],
      fallback: null,
    });
    expect(await judged(overrides, { role_permissions: "", fallback: "" })).toEqual({});
  });

  test("the largest integers that the store holds", async () => {
    const spec = rules({ a: ["integer"], b: ["integer"], c: ["integer"] });
    expect(await judged(spec, { a: 2_147_483_647, b: "-2147483648", c: "-0" })).toEqual({
      a: 2_147_483_647,
      b: -2_147_483_648,
      c: 0,
    });
    expect(await judged(spec, { a: 2_147_483_648, b: -2_147_483_649, c: 1e300 })).toEqual({
      a: ["The a must be an integer."],
      b: ["The b must be an integer."],
      c: ["The c must be an integer."],
    });
  });

  test("nested values in place", async () => {
    expect(
      await judged(overrides, { role_permissions: [{ role_id: "4", view: "0" }], fallback: { inheriting: 1 } }),
    ).toEqual({
      role_permissions: [{ role_id: 4, view: false }],
      fallback: { inheriting: true },
    });
  });

  test("lengths counted in characters as people see them", async () => {
    expect(await judged(changed, { description: "🚢".repeat(10) })).toEqual({ description: "🚢".repeat(10) });
    expect(await judged(changed, { description: "🚢".repeat(11) })).toEqual({
      description: ["The description may not be greater than 10 characters."],
    });
  });
});

test("validate() checks a thousand nested elements quickly", async () => {
  const role_permissions = Array.from({ length: 1000 }, () => ({ role_id: 1, view: true }));
  const started = Bun.nanoseconds();
  await judged(overrides, { role_permissions });
  expect(Bun.nanoseconds() - started).toBeLessThan(1e10);
});
