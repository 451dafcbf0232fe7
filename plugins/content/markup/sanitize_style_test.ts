import { expect, test } from "bun:test";
import { markup } from "./markup.ts";
import { safeStyle } from "./sanitize_style.ts";

test("declarations that load a resource are removed, others stay", () => {
  for (const [style, kept] of [
    ["color: red; width:1px", "color: red; width:1px"],
    ["color: red; background: url(https://spy.example/?a;b); margin: 0", "color: red; margin: 0"],
    ["background:u\\72l(//spy.example)", ""],
    ["background:u/**/rl(//spy.example);color:red", "color:red"],
    ["list-style-image:image-set('a' 1x); width: calc(1px + 2px)", "width: calc(1px + 2px)"],
    ["color:red; content:'; background:url(//spy.example)", ""],
    ["width: calc(1px; background: url(//spy.example)", ""],
  ] as const)
    expect([style, safeStyle(style)]).toEqual([style, kept]);
});

test("an empty style attribute is removed", () => {
  expect(markup.safe('<p style="background:url(//spy.example)">x</p>')).toBe("<p>x</p>");
});
