/**
 * The sort keys of texts: in the order of the collation utf8mb4_unicode_ci, whose own answers are listed here, and the same on
 * every store for good, since columns and indexes are made of them.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** In the order of the collation; what stands together counts as equal. */
const WORDS = [
  ["_draft"],
  ["-dash"],
  ["'s"],
  ["’s"],
  ['"quoted'],
  ["“quoted”"],
  ["(brackets)"],
  ["[list]"],
  ["& co"],
  ["#hash"],
  ["+ plus"],
  ["$ cost"],
  ["1. Intro"],
  ["½ cup"],
  ["10 Ways"],
  ["2 Ways"],
  ["ab"],
  ["Aere"],
  ["Äpfel"],
  ["apple", "APPLE"],
  ["Ære"],
  ["ærø"],
  ["Banana"],
  ["café", "CAFE", "cafe", "Café "],
  ["duong"],
  ["dz"],
  ["đa"],
  ["đường", "Đường"],
  ["ðe"],
  ["e"],
  ["e mail"],
  ["E-mail"],
  ["éclair", "Eclair"],
  ["Email"],
  ["end"],
  ["ﬁnd", "find"],
  ["ilik"],
  ["Ísland"],
  ["İstanbul", "ISTANBUL", "istanbul"],
  ["iz"],
  ["ılık"],
  ["lodz"],
  ["lz"],
  ["Łódź", "łódz"],
  ["ma"],
  ["n a"],
  ["naïve", "naive"],
  ["№ 5", "No 5"],
  ["Ökonom", "Okonom"],
  ["ore"],
  ["over"],
  ["øre", "Øre"],
  ["Strasbourg"],
  ["Straße", "STRASSE", "strasse"],
  ["święto", "Swieto"],
  ["Thing"],
  ["thu do"],
  ["Thủ đô"],
  ["ｗｉｄｅ", "wide"],
  ["zebra"],
  ["zolw"],
  ["Żółw"],
  ["Zürich", "Zurich"],
  ["zz"],
  ["þing"],
  ["ΑΘΗΝΑ", "Αθήνα"],
  ["οδός", "ΟΔΟΣ"],
  ["Ωμέγα", "ωμεγα"],
  ["Ґанок", "ганок"],
  ["гора"],
  ["ежик"],
  ["Ёлка", "елка", "Елка"],
  ["иод"],
  ["Ірпінь"],
  ["їжак"],
  ["йод"],
  ["Київ", "київ"],
  ["Кит"],
  ["ящик"],
  ["ქართული"],
  ["Հայաստան"],
  ["שלום"],
  ["مرحبا"],
  ["শহর"],
  ["สวัสดี"],
  ["かな", "カナ", "がな"],
  ["ﾊﾝｶｸ"],
  ["一"],
  ["東京"],
  ["東亰"],
  ["漢字"],
  ["가나"],
  ["한국"],
  ["😀 face"],
  ["😁 face"],
];

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await bootTestRuntime();
}, 120_000);
afterAll(() => runtime.stop());

/** What a statement over the texts t.a and t.b answers. */
async function answerOf(a: string, b: string, wanted: string): Promise<unknown> {
  const [found] = await rows<{ answer: unknown }>(
    runtime.db,
    sql`select ${sql.raw(wanted)} as answer from (values (${a}::text, ${b}::text)) as t(a, b)`,
  );
  return found?.answer;
}

test("words stand in the alphabetical order of the collation, and equal ones together", async () => {
  const given = WORDS.flat().sort();
  const found = await rows<{ words: string[] }>(
    runtime.db,
    sql`select array_agg(word order by word collate "C") as words from unnest(${given}::text[]) as word
    group by text_key(word) collate "C" order by text_key(word) collate "C"`,
  );
  expect(found.map(({ words }) => words)).toEqual(WORDS.map((words) => [...words].sort()));
});

test("every character has the key it always had", async () => {
  const [found] = await rows<{ digest: string }>(
    runtime.db,
    sql`select md5(string_agg(text_key(chr(code)), ',' order by code)) as digest from generate_series(1, 131071) as code
    where code not between 55296 and 57343`,
  );
  expect(found?.digest).toBe("dcbe1703e83f0e4c36a0321c1a8f5f44");
});

/** What storable texts are made of: anything but what no store takes. */
const text = fc
  .string({ unit: "binary", maxLength: 12 })
  .map((value) => value.replace(/\0|\p{Cs}/gu, ""))
  .filter((value) => value.trim() === value);
const escaped = (value: string) => value.replace(/[\\%_]/g, "\\$&");

test("a text is found by itself and by any part of it", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, async (before, part, after) => {
      const whole = before + part + after;
      expect(await answerOf(whole, escaped(whole), "text_key(t.a) like text_pattern(t.b)")).toBe(true);
      expect(await answerOf(whole, `%${escaped(part)}%`, "text_key(t.a) like text_pattern(t.b)")).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test("a text of ASCII has the key its letters have among others", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary-ascii" }), async (value) => {
      const ascii = value.replaceAll("\0", "");
      expect(await answerOf(`${ascii}e`, `${ascii}é`, "text_key(t.a) = text_key(t.b)")).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["Łódź", "ł_d%", true],
  ["Łódź", "l%", false],
  ["100% sure", "100\\%%", true],
  ["100 sure", "100\\%%", false],
  ["a_b", "a\\_b", true],
  ["axb", "a\\_b", false],
  ["a\\b", "a\\\\b", true],
  ["a\\", "a\\", true],
  ["Straße", "strasse", true],
  ["two words", "two %", true],
  ["two", "two %", false],
  ["", "", true],
  ["x", "", false],
  ["Ёж", "_ж", true],
])("%p is %p: %p", async (value, pattern, expected) => {
  expect(await answerOf(value, pattern, "text_key(t.a) like text_pattern(t.b)")).toBe(expected);
});
