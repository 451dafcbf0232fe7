import { expect, test } from "bun:test";
import { prioritiesInOrder } from "./priorities.ts";

const list = (priorities: readonly number[]) => priorities.map((priority) => ({ priority }));
const isAscending = (numbers: readonly number[]) =>
  numbers.every((each, at) => at === 0 || each > (numbers[at - 1] ?? each));
const long = Array.from({ length: 500 }, (_, at) => (at + 1) * 10);
const changed = (wanted: readonly number[]) => {
  const numbers = prioritiesInOrder(list(wanted));
  expect(isAscending(numbers)).toBe(true);
  return numbers.filter((each, at) => each !== wanted[at]).length;
};

test("short lists are numbered from 1", () => {
  expect(prioritiesInOrder(list([7, 3, 3]))).toEqual([1, 2, 3]);
  expect(prioritiesInOrder([])).toEqual([]);
});

test("in a long list only what is out of order gets another number", () => {
  expect(changed(long)).toBe(0);
  // Made last, wanted first, in the middle, and twice beside each other.
  expect(changed([9999, ...long])).toBe(1);
  expect(changed(long.toSpliced(250, 0, 9999))).toBe(1);
  expect(changed(long.toSpliced(250, 0, 9998, 9999))).toBe(2);
  expect(changed([...long, 1])).toBe(1);
  expect(changed(long.toReversed())).toBe(499);
});

test("a long list without room is numbered anew, with room", () => {
  const dense = Array.from({ length: 500 }, (_, at) => at + 1);
  const numbers = prioritiesInOrder(list(dense.toSpliced(250, 0, 9999)));
  expect(isAscending(numbers)).toBe(true);
  expect(changed(numbers.toSpliced(100, 0, 99999))).toBe(1);
});
