import { expect, test } from "bun:test";
import { schemaOf } from "./rule_schema.ts";
import { rules } from "./rules.ts";

test("schemaOf() expresses what a schema can", () => {
  expect(
    schemaOf(
      rules({
        name: ["required", "string", "max:5"],
        template: ["nullable", "integer"],
        kind: ["nullable", "in:a,b"],
        roles: ["array", "max:9"],
        "roles.*": ["integer"],
        image: ["image_extension", "max:50"],
        grants: ["array"],
        "grants.*.role_id": ["required", "int", "min:1"],
        fallback: ["nullable"],
        "fallback.inheriting": ["boolean"],
      }),
    ),
  ).toEqual({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 1, maxLength: 5, pattern: "\\S" },
      template: { type: ["integer", "null"], format: "int32" },
      kind: { type: ["string", "null"], enum: ["a", "b", null] },
      roles: { type: "array", maxItems: 9, items: { type: "integer", format: "int32" } },
      image: { type: "string", format: "binary" },
      grants: {
        type: "array",
        items: {
          type: "object",
          required: ["role_id"],
          properties: { role_id: { type: "integer", format: "int32", minimum: 1 } },
        },
        maxItems: 1_000,
      },
      fallback: { type: ["object", "null"], properties: { inheriting: { type: "boolean" } } },
    },
  });
  const labels = { type: "object", properties: { text: { type: "string" } } };
  expect(schemaOf(rules({ labels: ["array"], others: ["array"] }), { labels })).toEqual({
    type: "object",
    properties: { labels: { type: "array", items: labels }, others: { type: "array", items: {} } },
  });
});

test("schemaOf() says which fields a body needs of several, and which ones others bring", () => {
  const page = rules({
    book_id: ["required_without:chapter_id", "integer"],
    chapter_id: ["required_without:book_id", "integer"],
    html: ["required_without:markdown", "string"],
    markdown: ["required_without:html", "string"],
  });
  const id = { type: "integer", format: "int32" };
  const text = { type: "string", minLength: 1, pattern: "\\S" };
  expect(schemaOf(page)).toMatchObject({
    allOf: [
      {
        anyOf: [
          { required: ["book_id"], properties: { book_id: id } },
          { required: ["chapter_id"], properties: { chapter_id: id } },
        ],
      },
      {
        anyOf: [
          { required: ["html"], properties: { html: text } },
          { required: ["markdown"], properties: { markdown: text } },
        ],
      },
    ],
  });
  const one = rules({ file: ["required_without:link", "file"], link: ["required_without:file", "string"] });
  expect(schemaOf(one)).toMatchObject({ anyOf: [{ required: ["file"] }, { required: ["link"] }] });
  const password = rules({ current: ["required_with:password", "string"], password: ["string", "min:8"] });
  expect(schemaOf(password)).toMatchObject({ dependentRequired: { password: ["current"] } });
  const overrides = rules({
    fallback: ["nullable"],
    "fallback.inheriting": ["required_with:fallback", "boolean"],
    "fallback.view": ["required_if:fallback.inheriting,false", "boolean"],
    "fallback.create": ["required_if:fallback.inheriting,false", "boolean"],
  });
  expect(schemaOf(overrides).properties).toMatchObject({
    fallback: {
      required: ["inheriting"],
      anyOf: [{ properties: { inheriting: { const: true } } }, { required: ["view", "create"] }],
    },
  });
});

test.each([
  [
    ["required", "string"],
    ["a", " a "],
    ["", " ", "\n"],
  ],
  [
    ["string", "min:3"],
    ["abc", "a b"],
    ["ab", "  a  ", "a  "],
  ],
  [
    ["string", "alpha_dash"],
    ["de", "pt_BR", "é-1"],
    ["a b", ""],
  ],
  [
    ["string", "safe_url"],
    ["https://x.example", "/javascript:", ""],
    ["javascript:x", " JavaScript:x", "DATA:x"],
  ],
  [["string", "min:1", "safe_url"], ["x"], ["", " ", "data:x"]],
] as const)("the schema of %p fits the texts that pass", (list, fit, others) => {
  const { properties } = schemaOf({ name: list }) as { properties: { name: { pattern: string; minLength?: number } } };
  const { pattern, minLength = 0 } = properties.name;
  const fits = (text: string) => text.length >= minLength && new RegExp(pattern, "u").test(text);
  expect(fit.filter((text) => !fits(text))).toEqual([]);
  expect(others.filter(fits)).toEqual([]);
});
