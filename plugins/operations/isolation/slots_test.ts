import { expect, test } from "bun:test";
import { checkContribution, checkedFound, contributionParts, functionsOf } from "./slots.ts";

const entry = { at: "menu/main", path: "/acme", text: "Acme", icon: "book", permit: "user" };

test("contributions of isolated plugins are data, and functions that the slot has", () => {
  expect(contributionParts("screen_part", entry)).toEqual({ data: entry, functions: {} });
  const read = () => [];
  expect(contributionParts("metric", { name: "lectern_acme", read })).toEqual({
    data: { name: "lectern_acme" },
    functions: { read },
  });
  expect(() => contributionParts("screen_part", { ...entry, draw: read })).toThrow('a function at "draw"');
  expect(() => contributionParts("metric", { name: read })).toThrow('a function at "name"');
});

test("slots with scripts, styles or HTML, and those of what ships, take nothing from isolated plugins", () => {
  for (const slot of [
    "document_head",
    "screen_head",
    "screen_icon",
    "view_replacement",
    "content",
    "__proto__",
    "toString",
  ])
    expect(() => functionsOf(slot), slot).toThrow(`cannot contribute to the slot "${slot}"`);
});

test("a path of a contribution is one of this server", () => {
  for (const path of [
    "javascript:alert(1)",
    "//elsewhere.example",
    "/\\elsewhere.example",
    "https://a.example",
    1,
    null,
  ])
    expect(() => checkContribution("screen_part", { ...entry, path }), String(path)).toThrow(
      "has to be one of this server",
    );
  expect(() => checkContribution("screen_part", JSON.parse('{"__proto__": {"path": "/a"}}'))).toThrow("__proto__");
});

test("what a figure of an isolated plugin shows is a text or a number", () => {
  expect(checkedFound("screen_part", "<b>")).toBe("<b>");
  for (const found of [{ html: "<b>" }, ["<b>"], null, undefined])
    expect(() => checkedFound("screen_part", found)).toThrow("a text or a number");
});
