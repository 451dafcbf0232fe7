import { expect, test } from "bun:test";
import { parseQuery } from "./parse_query.ts";

const NOTHING = { terms: [], typed: "", exacts: [], tags: [], filters: [], latest: undefined };

test("each kind of part of a query is recognised", () => {
  for (const [query, found] of [
    ["", NOTHING],
    ["red barn", { ...NOTHING, terms: ["red", "barn"], typed: "red barn" }],
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
    ["v1.2 R&D. e-mail-", { ...NOTHING, terms: ["v1.2", "R&D", "e-mail"], typed: "v1.2 R&D. e-mail-" }],
    ["... -", { ...NOTHING, terms: ["...", "-"], typed: "... -" }],
    ["a:b c", { ...NOTHING, terms: ["c"], typed: "a:b c", exacts: [{ text: "a:b", negated: false }] }],
    ["[team]", { ...NOTHING, tags: [{ name: "team", operator: "=", value: undefined, negated: false }] }],
    ["-[cost >= 5]", { ...NOTHING, tags: [{ name: "cost", operator: ">=", value: "5", negated: true }] }],
    ["[=ops]", { ...NOTHING, tags: [{ name: "", operator: "=", value: "ops", negated: false }] }],
    ["[a like b%]", { ...NOTHING, tags: [{ name: "a", operator: "like", value: "b%", negated: false }] }],
    [
      "{type:page|book} -{is_template} x",
      {
        ...NOTHING,
        terms: ["x"],
        typed: "x",
        filters: [
          { name: "type", value: "page|book", negated: false },
          { name: "is_template", value: "", negated: true },
        ],
      },
    ],
    ["{open", { ...NOTHING, typed: "{open", exacts: [{ text: "{open", negated: false }] }],
    ['""', NOTHING],
    ["“two words”", { ...NOTHING, exacts: [{ text: "two words", negated: false }] }],
    ["don’t", { ...NOTHING, typed: "don't", exacts: [{ text: "don't", negated: false }] }],
    ["[verlike%7%]", { ...NOTHING, tags: [{ name: "ver", operator: "like", value: "%7%", negated: false }] }],
    ["[likeness]", { ...NOTHING, tags: [{ name: "likeness", operator: "=", value: undefined, negated: false }] }],
    [
      "-{sort_by:last_commented}",
      { ...NOTHING, filters: [{ name: "sort_by", value: "last_commented", negated: true }], latest: "asc" },
    ],
  ] as const)
    expect([query, parseQuery(query)]).toEqual([query, found]);
});
