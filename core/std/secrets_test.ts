import { expect, test } from "bun:test";
import { matchesSecret, randomText, sha256 } from "./secrets.ts";

test("random texts have the given length, letters and digits only, and differ", () => {
  const texts = Array.from({ length: 50 }, () => randomText(32));
  for (const text of texts) expect(text).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(new Set(texts).size).toBe(50);
  expect(new Set(texts.join("")).size).toBe(62);
});

test("a secret matches its own hash only", () => {
  expect(matchesSecret("open sesame", sha256("open sesame"))).toBe(true);
  expect(matchesSecret("open Sesame", sha256("open sesame"))).toBe(false);
  expect(matchesSecret("", sha256("open sesame"))).toBe(false);
  expect(matchesSecret("open sesame", "")).toBe(false);
  expect(matchesSecret("open sesame", "not hex at all")).toBe(false);
});
