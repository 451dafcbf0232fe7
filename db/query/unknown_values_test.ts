import { expect, test } from "bun:test";
import { codeOf, isObject, messageOf } from "./unknown_values.ts";

test("what was thrown has a code and a message, whatever it is", () => {
  const denied = Object.assign(new Error("Not allowed"), { code: "EACCES" });
  expect([codeOf(denied), messageOf(denied)]).toEqual(["EACCES", "Not allowed"]);
  expect([codeOf({ code: 42 }), messageOf({ code: 42 })]).toEqual(["42", "[object Object]"]);
  expect([null, undefined, "gone"].map((thrown) => [codeOf(thrown), messageOf(thrown)])).toEqual([
    ["", "null"],
    ["", "undefined"],
    ["", "gone"],
  ]);
});

test("objects and lists have members, null and functions are none", () => {
  expect([{}, [], null, "text", () => 1].map(isObject)).toEqual([true, true, false, false, false]);
});
