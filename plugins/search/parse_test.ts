import { expect, test } from "bun:test";
import { parseSearch } from "./parse.ts";

const NOTHING = { terms: [], exacts: [], tags: [], filters: [] };

test("each part of a query is told from the others", () => {
  for (const [query, found] of [
    ["", NOTHING],
    ["red barn", { ...NOTHING, terms: ["red", "barn"] }],
    [
      '"two words" -"no \\" more"',
      {
        ...NOTHING,
        exacts: [
          { text: "two words", negated: false },
          { text: 'no " more', negated: true },
        ],
      },
    ],
    ["v1.2", { ...NOTHING, exacts: [{ text: "v1.2", negated: false }] }],
    ["[team]", { ...NOTHING, tags: [{ name: "team", operator: "=", value: undefined, negated: false }] }],
    ["-[cost >= 5]", { ...NOTHING, tags: [{ name: "cost", operator: ">=", value: "5", negated: true }] }],
    ["[=ops]", { ...NOTHING, tags: [{ name: "", operator: "=", value: "ops", negated: false }] }],
    ["[a like b%]", { ...NOTHING, tags: [{ name: "a", operator: "like", value: "b%", negated: false }] }],
    [
      "{type:page|book} -{is_template} x",
      {
        ...NOTHING,
        terms: ["x"],
        filters: [
          { name: "type", value: "page|book", negated: false },
          { name: "is_template", value: "", negated: true },
        ],
      },
    ],
    ["{open", { ...NOTHING, exacts: [{ text: "{open", negated: false }] }],
    ['""', NOTHING],
  ] as const)
    expect([query, parseSearch(query)]).toEqual([query, found]);
});
