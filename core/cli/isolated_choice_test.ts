import { expect, test } from "bun:test";
import { isolatedEntries } from "./isolated_choice.ts";

test("what the operator isolates is listed, with an object of options", () => {
  expect([...isolatedEntries(["./acme"], ["./acme"])]).toEqual([["./acme", {}]]);
  expect([...isolatedEntries({ "./acme": { memoryMb: 96 } }, ["./acme"])]).toEqual([["./acme", { memoryMb: 96 }]]);
  expect(() => isolatedEntries(["./acme-kudo"], ["./acme-kudos"])).toThrow('did you mean "./acme-kudos"?');
  expect(() => isolatedEntries({ "./acme": 96 }, ["./acme"])).toThrow('"isolated" of "./acme" is no object');
  expect(() => isolatedEntries("./acme", ["./acme"])).toThrow('"isolated" is neither a list nor an object');
});
