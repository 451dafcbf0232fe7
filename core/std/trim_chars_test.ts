import { expect, test } from "bun:test";
import fc from "fast-check";
import { trimChars, trimEndChars } from "./trim_chars.ts";

test("characters are removed at the edges only, as by an expression", () => {
  const texts = fc.string({ unit: fc.constantFrom("/", "-", "a", "\n") });
  fc.assert(
    fc.property(texts, (text) => {
      expect(trimChars(text, "/")).toBe(text.replace(/^\/+|\/+$/g, ""));
      expect(trimChars(text, "-\n")).toBe(text.replace(/^[-\n]+|[-\n]+$/g, ""));
      expect(trimEndChars(text, "/-")).toBe(text.replace(/[/-]+$/, ""));
    }),
  );
});
