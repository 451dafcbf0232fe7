import { expect, test } from "bun:test";
import { slugOf, uniqueSlug } from "./slug.ts";

test.each([
  ["My API page", "my-api-page"],
  ["Ünïcödé & Söße", "unicode-sosse"],
  ["Привет мир", "privet-mir"],
  ["Ελληνικά", "ellinika"],
  ["中文 page", "page"],
  ["a@b.com", "a-at-bcom"],
  ["foo_bar--baz", "foo-bar-baz"],
  ["C++ / C#", "c-c"],
  ["don't", "dont"],
  ["100% (done)!", "100-done"],
  ["Ø Å æ ß ł", "o-a-ae-ss-l"],
  ["Київ", "kiyiv"],
  ["Москва щука", "moskva-shhuka"],
  ["Ґанок їжак", "ganok-yizak"],
  ["Ёлка подъезд", "elka-podieezd"],
  ["Ћуприја", "cuprija"],
  ["ქართული", "qartuli"],
  ["العربية", "alaarby"],
  ["Երևան", "erevan"],
  ["Ευρώπη του νότου", "efrwpi-toy-notoy"],
  ["Tiếng Việt", "tieng-viet"],
  ["İstanbul ığdır", "istanbul-igdir"],
  ["e\u0301tude", "etude"],
  ["10 € – 12 €", "10-eur-12-eur"],
  ["x² + №1™", "x2-1"],
  ["2½ µm", "2-m"],
  ["  Edges \u00a0 ", "edges"],
])("slugOf() makes %p into %p", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("slugOf() cuts long names at a word's end", () => {
  expect(slugOf("word ".repeat(60))).toBe(Array(48).fill("word").join("-"));
});

test("uniqueSlug() makes hex of a name without a character for it", async () => {
  expect(await uniqueSlug("日本語", async () => false)).toMatch(/^[0-9a-f]{5}$/);
});

test("uniqueSlug() adds three characters to a taken slug", async () => {
  expect(await uniqueSlug("Soup", async (slug) => slug === "soup")).toMatch(/^soup-[A-Za-z0-9]{3}$/);
});
