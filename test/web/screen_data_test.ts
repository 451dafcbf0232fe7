/** The data of screens that are kept: no two of which other screens are drawn have the same answers and the same text. */
import { expect, test } from "bun:test";
import { html } from "lectern/core";
import { answersAndText } from "../../plugins/web/shell/screen_data.ts";

const book = { name: "Runbooks" };
const page = { name: "Failover" };

/** Answers are told apart as objects, as their marks tell them apart. */
const names = new Map<object, number>();
const keyOf = (data: Record<string, unknown>) => {
  const { answers, text } = answersAndText(data);
  for (const answer of answers) names.set(answer, names.get(answer) ?? names.size);
  return `${answers.map((answer) => names.get(answer)).join()} ${text}`;
};

test.each([
  ["members of other names", { draft: 1 }, { page: 1 }],
  ["answers under other names", { page: book }, { book }],
  ["answers at other places", { page: book, number: 1 }, { number: 1, page: book }],
  ["a number and its text", { number: 1 }, { number: "1" }],
  ["a missing value and null", { chapter: undefined }, { chapter: null }],
  ["two answers that change places", { left: book, right: page }, { left: page, right: book }],
  ["lists of what JSON leaves out", { rows: [html`<b>1</b>`] }, { rows: [html`<b>2</b>`] }],
  ["maps within a list", { rows: [{ by: new Map([[1, 2]]) }] }, { rows: [{ by: new Map([[2, 3]]) }] }],
  ["numbers that JSON does not know", { rows: [Number.NaN] }, { rows: [null] }],
  ["functions", { at: () => 1 }, { at: () => 2 }],
  ["big integers", { id: 1n }, { id: 2n }],
])("%s are different data", (_name, one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});

test("equal short lists and values of many readers are the same data", () => {
  const data = () => ({ book, number: 2, attachments: [{ id: 1, name: "Manual", external: true }], next: undefined });
  expect(keyOf(data())).toBe(keyOf(data()));
});
