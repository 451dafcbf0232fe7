import { expect, test } from "bun:test";
import { contentRef } from "./refs.ts";

test.each([
  "bkmrk-call-the-dba:735:5-12",
  "bkmrk-x:1:",
  "bkmrk-x:1:-",
  "bkmrk-x:1:5-",
  "bkmrk-x:1:-5",
  "bkmrk-:0:",
  "bkmrk-a:b:1:2-3",
])("%p names a part of a page", (sent) => expect(contentRef(sent)).toBe(sent));

test.each([
  undefined,
  "",
  "somewhere",
  "bkmrk-x",
  "bkmrk-x:1",
  "bkmrk-x::",
  "bkmrk-x:a:",
  "bkmrk-x:1:5",
  "bkmrk-x:1:a-b",
  "x bkmrk-x:1:",
  "bkmrk-x:1:5-12 ",
  "bkmrk-x\ny:1:",
  `bkmrk-${"x".repeat(247)}:1:`,
])("%p names none and is dropped", (sent) => expect(contentRef(sent)).toBe(""));

test("a reference is kept up to 255 characters", () =>
  expect(contentRef(`bkmrk-${"x".repeat(246)}:1:`)).toHaveLength(255));
