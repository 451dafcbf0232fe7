import { expect, test } from "bun:test";
import { type Input, ruleStrings, rules } from "./rules.ts";

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
