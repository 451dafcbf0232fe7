import { expect, test } from "bun:test";
import { windowAround } from "./windows.ts";

const list = Array.from({ length: 100 }, (_, at) => at);
const size = { before: 8, entries: 30, bytes: 1_000, bytesOf: () => 10 };

test("a window has some entries before the one that it is around, and the rest of its room behind it", () => {
  expect(windowAround(list, 50, size)).toEqual({ from: 42, to: 72, bytes: 300 });
  expect(windowAround(list, 2, size)).toEqual({ from: 0, to: 30, bytes: 300 });
  expect(windowAround(list, 99, size)).toEqual({ from: 91, to: 100, bytes: 90 });
});

test("a window is no larger than its bytes, but has the entry that it is around", () => {
  expect(windowAround(list, 50, { ...size, bytes: 50 })).toMatchObject({ from: 48, to: 53 });
  expect(windowAround(list, 50, { ...size, bytes: 5 })).toMatchObject({ from: 50, to: 51 });
});

test("windows of short and empty lists, and of indexes beside a list", () => {
  expect(windowAround([], 0, size)).toEqual({ from: 0, to: 0, bytes: 0 });
  expect(windowAround([1, 2, 3], 1, size)).toMatchObject({ from: 0, to: 3 });
  expect(windowAround(list, 1_000, size)).toMatchObject({ to: 100 });
  expect(windowAround(list, -1, size)).toMatchObject({ from: 0 });
});
