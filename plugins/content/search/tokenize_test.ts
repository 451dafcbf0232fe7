import { expect, test } from "bun:test";
import { MAX_WORD, runsIn, textChunks, wordsIn } from "./tokenize.ts";
import { allWords, anyTerm } from "./tsquery.ts";

test("words are runs of letters, digits, marks and underscores, without case and accents", () => {
  for (const [text, words] of [
    ["", []],
    ["...", []],
    ["Red barn", ["red", "barn"]],
    ["SNAKE_CASE wobblegate-flarp.yaml", ["snake_case", "wobblegate", "flarp", "yaml"]],
    ["http://a.example/b?c=d", ["http", "a", "example", "b", "c", "d"]],
    ["a@b.example 1.1 x/y «z»", ["a", "b", "example", "1", "1", "x", "y", "z"]],
    ["Größe Café CAFE\u0301 naïve", ["grosse", "cafe", "cafe", "naive"]],
    ["Київ हिन्दी 한국어", ["киів", "हिन्दी", "한국어"]],
    ["it’s 'quoted' \\ back", ["it", "s", "quoted", "back"]],
    ["東京都 b", ["東京", "京都", "都", "b"]],
  ] as const)
    expect([text, [...wordsIn(text)]]).toEqual([text, [...words].map((word) => word.normalize("NFC"))]);
});

test("a long run is split between characters, and none is lost", () => {
  for (const run of ["a".repeat(1000), "_a".repeat(500), "𐐨".repeat(333), `a${"𐐨".repeat(333)}`]) {
    const chunks = [...wordsIn(run)];
    expect([...runsIn(run)].length).toBe(1);
    expect(chunks.join("")).toBe(run);
    expect(chunks.every((piece) => piece.length <= MAX_WORD && piece.isWellFormed())).toBe(true);
  }
});

test("queries match prefixes of terms, and all words of exact texts", () => {
  expect(anyTerm(["Café-bar", "東京"])).toBe("('cafe':*) | ('bar':*) | ('東京' & '京':*)");
  expect(anyTerm(["&|!:*'"])).toBeUndefined();
  expect(allWords(["call the DB", "at once."])).toBe("'call' & 'the' & 'db':* & 'at' & 'once'");
});

test("a long text is split into chunks between words, and a very long word between characters", () => {
  const text = "Größe naïve SNAKE_CASE, 東京 tower. ".repeat(2_000);
  const chunks = [...textChunks(text)];
  expect(chunks.join("")).toBe(text);
  expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThan(5_000);
  expect(chunks.flatMap((piece) => [...wordsIn(piece)])).toEqual([...wordsIn(text)]);
  for (const run of [`a${"𐐨".repeat(20_000)}`, "東".repeat(20_000), "a".repeat(20_000)]) {
    const chunks = [...textChunks(run)];
    expect([chunks.join("") === run, chunks.every((chunk) => chunk.isWellFormed() && chunk.length <= 4_001)]).toEqual([
      true,
      true,
    ]);
  }
});
