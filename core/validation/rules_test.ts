import { expect, test } from "bun:test";
import { type Input, ruleStrings, rules, schemaOf } from "./rules.ts";

const pageRules = rules({
  book_id: ["required_without:chapter_id", "integer"],
  chapter_id: ["required_without:book_id", "integer"],
  name: ["required", "string", "max:255"],
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
  tags: ["array"],
  priority: ["integer"],
});
const overrides = rules({
  role_permissions: ["array"],
  "role_permissions.*.role_id": ["required", "int", "exists:roles,id"],
  "role_permissions.*.view": ["required", "boolean"],
  fallback: ["nullable"],
  "fallback.inheriting": ["required_with:fallback", "boolean"],
  "fallback.view": ["required_if:fallback.inheriting,false", "boolean"],
});

test("the type of validated input follows the rules", () => {
  const draft: Input<typeof pageRules> = { name: "x", book_id: 1 };
  expect(draft.name).toBe("x");
  // @ts-expect-error a name is required
  const nameless: Input<typeof pageRules> = { book_id: 1 };
  // @ts-expect-error priority is a number
  const wrong: Input<typeof pageRules> = { name: "x", priority: "high" };
  const nested: Input<typeof overrides> = { role_permissions: [{ role_id: 1, view: true }], fallback: null };
  const view: boolean | undefined = nested.role_permissions?.[0]?.view;
  // @ts-expect-error an element without its required fields
  const partial: Input<typeof overrides> = { role_permissions: [{ view: true }] };
  // @ts-expect-error inheriting is a boolean
  const text: Input<typeof overrides> = { fallback: { inheriting: "yes" } };
  expect([nameless, wrong, view, partial, text]).toHaveLength(5);
});

test("ruleStrings() prints rules as they were written", () => {
  expect(ruleStrings(rules({ name: ["required", "max:5"], "roles.*": ["integer"] }))).toEqual({
    name: ["required", "max:5"],
    "roles.*": ["integer"],
  });
});

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
      name: { type: "string", maxLength: 5 },
      template: { type: ["integer", "null"] },
      kind: { type: ["string", "null"], enum: ["a", "b", null] },
      roles: { type: "array", maxItems: 9, items: { type: "integer" } },
      image: { type: "string", format: "binary" },
      grants: {
        type: "array",
        items: { type: "object", required: ["role_id"], properties: { role_id: { type: "integer", minimum: 1 } } },
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
