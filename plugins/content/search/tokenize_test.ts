import { expect, test } from "bun:test";
import { MAX_WORD, runsIn, textChunks, wordsIn } from "./tokenize.ts";
import { allWords, eitherOf, termsQuery } from "./tsquery.ts";

test("words are runs of letters, digits, marks and underscores, without case and accents", () => {
  for (const [text, words] of [
    ["", []],
    ["...", []],
    ["Red barn", ["red", "barn"]],
    ["SNAKE_CASE one, two. (three)", ["snake_case", "one", "two", "three"]],
    ["http://a?c", ["http", "a", "c"]],
    ["Größe Café CAFE\u0301 naïve", ["grosse", "cafe", "cafe", "naive"]],
    ["Київ हिन्दी 한국어", ["киів", "हिन्दी", "한국어"]],
    ["it’s 'quoted' \\ back", ["it", "s", "quoted", "back"]],
    ["R & D - x", ["r", "d", "x"]],
    ["東京都 b", ["東京", "京都", "都", "b"]],
  ] as const)
    expect([text, [...wordsIn(text)]]).toEqual([text, [...words].map((word) => word.normalize("NFC"))]);
});

test("runs with signs between them are also words two at a time, and with signs at their end", () => {
  for (const [text, words] of [
    ["R&D", ["r", "r&d", "d"]],
    ["C++, C#. 100% a--", ["c", "c++", "c", "c#", "100", "100%", "a"]],
    ["wobble-flarp.yaml", ["wobble", "wobble-flarp", "flarp", "flarp.yaml", "yaml"]],
    ["x=1&y=\\2/", ["x", "x=1", "1", "1&y", "y", "y=\\2", "2", "2/"]],
    ["--flag /etc .env", ["flag", "etc", "env"]],
    [`a${"=".repeat(9)}b`, ["a", "b"]],
    ["東京/tower tower/東京 9東", ["東京", "京", "tower", "tower", "東京", "京", "9", "東"]],
    [`${"a".repeat(MAX_WORD)}a/b`, ["a".repeat(MAX_WORD), "a", "b"]],
    [`b/${"a".repeat(MAX_WORD)}a`, ["b", `b/${"a".repeat(MAX_WORD)}`, "a".repeat(MAX_WORD), "a"]],
  ] as const)
    expect([text, wordsIn(text)]).toEqual([text, [...words]]);
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
  const joined = { joined: true };
  expect(termsQuery(["Café", "東京"], joined)).toEqual({
    certain: "('cafe':*) | ('東京' & '京':*)",
    unverified: undefined,
    texts: [],
  });
  expect(eitherOf(termsQuery(["&|!:*'"], joined))).toBeUndefined();
  expect(allWords(["call the DB", "at once."])).toBe("'call' & 'the' & 'db':* & 'at' & 'once'");
});

test("a term with signs is one joined word if the index has it, else all its runs and its text", () => {
  for (const [term, joined, apart] of [
    ["R&D", "'r&d':*", "'r' & 'd':*"],
    ["C++", "'c++':*", "'c':*"],
    ["a\\b", "'a\\\\b':*", "'a' & 'b':*"],
    [`b/${"a".repeat(MAX_WORD)}a`, undefined, undefined],
    ["x=1&y", undefined, "'x' & '1' & 'y':*"],
    ["#12", undefined, "'12':*"],
    ["東京/b", undefined, "'東京' & '京' & 'b':*"],
    ["9東", undefined, "'9' & '東':*"],
  ] as const) {
    const [one, other] = [termsQuery([term], { joined: true }), termsQuery([term], { joined: false })];
    expect([term, one.certain]).toEqual([term, joined && `(${joined})`]);
    if (joined === undefined) expect(one.texts).toEqual([term.toLowerCase()]);
    expect([term, other.certain, other.texts]).toEqual([term, undefined, [term.toLowerCase()]]);
    if (apart !== undefined) expect(other.unverified).toBe(`(${apart})`);
  }
  expect(termsQuery(["x=1&y", "node", "R&D"], { joined: true, among: "names" })).toEqual({
    certain: "('=node':*) | ('=r&d':*)",
    unverified: "('=x=1' & '=1&y':*)",
    texts: ["x=1&y"],
  });
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
