/**
 * The order and equality of text, the same on every store: two SQL functions that stand in for MySQL's collation
 * utf8mb4_unicode_ci, by which old clients know names (content-api 3). `text_key(text)` answers a key: keys that are equal
 * as bytes belong to texts that count as equal (letter case, accents and spaces at the end do not matter), and keys in the
 * order of their bytes (`collate "C"`) are texts in alphabetical order. `text_pattern(text)` makes a pattern of `like` for
 * keys from one for texts. Nothing of the server's own locale or Unicode version takes part, since stores differ in both.
 *
 * A key is made letter by letter and each letter of a text is one letter of its key, so that `_` and `%` mean in keys what
 * they mean in texts. Exceptions are letters that count as several (ß as ss), and rare signs. Letters that the collation
 * does not know keep their own order: Han and Hangul by code point, emoji after them (the collation holds all emoji to be
 * one and the same).
 *
 * The functions are immutable for PostgreSQL: generated columns and indexes are made of them. What they answer must
 * therefore never change; a better order is a new function beside them.
 */
import { sql } from "kysely";
import type { Migrations } from "../../db/mod.ts";

/** First code point that keeps its place without being listed: from Han upward. */
const LISTED_UNTIL = 0x3400;
/** Where a listed code point may be: below Han; Yi; compatibility forms, full and half width. */
const LISTED = [
  [0, LISTED_UNTIL - 1],
  [0xa000, 0xa4cf],
  [0xf900, 0xffff],
] as const;
/** Where letters go that the collation does not know and that would mingle with keys: above everything else. */
const UNKNOWN = 0x100000;
/** Added to the sign before it, sorts a rare sign after all that begins with that sign. */
const MARK = 0x10f000;
/** Private planes have no letters; they make room for the above. */
const PRIVATE = 0xf0000;
const REPLACEMENT = 0xfffd;

const SIGNS = /^[ -/:-@[-`{-~]$/;
/** What signs of ASCII become, in ascending order: anything of one byte that is no wildcard and no escape. */
const SIGN_KEYS = [...` !"#$&'()*+,-./:;<=>?@ABCDEFGHIJK`];
const DIGIT_KEYS = [..."abcdefghij"];
/** What the first letters become: of two bytes, and letters in any locale, so that an index of trigrams sees words. */
const LETTER_KEYS = [
  [0x250, 0x2af],
  [0x3ac, 0x3ce],
  [0x430, 0x45f],
  [0x561, 0x586],
  [0x5d0, 0x5ea],
  [0x621, 0x63a],
  [0x641, 0x64a],
  [0x671, 0x6d3],
  [0x712, 0x72f],
  [0x74d, 0x7a5],
] as const;
/** What all further letters become, of three bytes. */
const FURTHER_KEYS = 0x800;
/** ASCII in small letters by how often names have it, since `translate` looks for each letter from the left. */
const FREQUENT = " eatoinsrlhdcum-pgfybwvk0123456789xzjq";
const BODY = "$text_key$";

/** What each listed code point becomes in a key: the text that stands for it. */
type Keys = ReadonlyMap<number, string>;

/** Steps of the functions. */
export const collationMigrations: Migrations = {
  async "0003_text_keys"(db) {
    const source = await Bun.file(new URL("./collation.txt", import.meta.url)).text();
    await sql.raw(textKeyFunction(keysOf(source))).execute(db);
    await sql.raw(TEXT_PATTERN).execute(db);
  },
};

/** Reads the list of weights and gives each code point its key. */
function keysOf(source: string): Keys {
  const [ignored = [], order = [], several = []] = source.split(/\n\n/).map((section) =>
    section
      .replace(/^\/\/.*$/gm, "")
      .split(/\s+/)
      .filter(Boolean),
  );
  const keys = new Map<number, string>();
  for (const code of ignored.flatMap(membersOf)) keys.set(code, "");
  const next = keyMaker();
  for (const codes of order.flatMap(groupsOf)) {
    const key = next(codes);
    for (const code of codes) keys.set(code, key);
  }
  const keyOf = (code: number) => keys.get(code) ?? String.fromCodePoint(code);
  for (const word of several) {
    const [code = 0, ...parts] = codesOf(word.replace("=", ""));
    keys.set(code, parts.map(keyOf).join(""));
  }
  return keys;
}

/** Gives each group the next key: signs, digits and letters a letter of their own, rare signs one and a mark. */
function keyMaker(): (codes: readonly number[]) => string {
  const signs = SIGN_KEYS.values();
  const digits = DIGIT_KEYS.values();
  const letters = letterKeys();
  let base = "";
  let marks = 0;
  let isLetter = false;
  const single = (codes: readonly number[]): string | undefined => {
    const ascii = codes.map((code) => String.fromCodePoint(code)).find((letter) => /[\t-\r -~]/.test(letter)) ?? "";
    isLetter ||= ascii === "a";
    if (isLetter) return letters.next().value as string;
    if (/\d/.test(ascii)) return digits.next().value;
    return SIGNS.test(ascii) ? signs.next().value : ascii || undefined;
  };
  return (codes) => {
    const key = single(codes);
    marks = key === undefined ? marks + 1 : 0;
    base = key ?? base;
    return key ?? base + String.fromCodePoint(MARK + marks);
  };
}

function* letterKeys(): Generator<string> {
  for (const [from, to] of LETTER_KEYS)
    for (let code: number = from; code <= to; code++) yield String.fromCodePoint(code);
  for (let code = FURTHER_KEYS; code < LISTED_UNTIL; code++) yield String.fromCodePoint(code);
}

/** The code points of a word, escapes read. */
function codesOf(word: string): number[] {
  return Array.from(word.matchAll(/\\u([0-9a-f]{4})|./gsu), ([letter, hex]) =>
    hex ? Number.parseInt(hex, 16) : (letter.codePointAt(0) ?? 0),
  );
}

/** The groups a word stands for: itself, or each member of a range. */
function groupsOf(word: string): number[][] {
  return word.includes("~") ? membersOf(word).map((code) => [code]) : [codesOf(word)];
}

function membersOf(word: string): number[] {
  const [from = 0, to = from] = codesOf(word.replace("~", ""));
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** SQL of the function that makes keys. Text of ASCII alone takes a short way to the same. */
function textKeyFunction(keys: Keys): string {
  const ascii = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1)).filter((one) => !/[A-Z]/.test(one));
  // Those without a key come last: `translate` removes what has no counterpart.
  const letters = [...new Set([...FREQUENT, ...ascii])].sort((a, b) => Number(!keyOf(a)) - Number(!keyOf(b)));
  function keyOf(letter: string): string {
    return keys.get(letter.charCodeAt(0)) ?? letter;
  }
  const several = [...new Set(keys.values())].filter((key) => [...key].length > 1);
  const places = new Map(several.map((key, at) => [key, -1 - at]));
  const entryOf = (code: number): number => {
    const key = keys.get(code);
    if (key === undefined) return code < LISTED_UNTIL ? UNKNOWN + code : code;
    return places.get(key) ?? key.codePointAt(0) ?? 0;
  };
  const cases = LISTED.map(([from, to]) => {
    const entries = Array.from({ length: to - from + 1 }, (_, at) => entryOf(from + at));
    return `when code between ${from} and ${to} then (${arrayOf(entries)}::int4[])[code - ${from - 1}]`;
  });
  return `create function text_key(value text) returns text language plpgsql immutable strict parallel safe as ${BODY}
declare
  letter text;
  code int4;
  found int4;
  key text := '';
begin
  if octet_length(value) = char_length(value) then
    return rtrim(translate(lower(value collate "C"), ${quoted(letters.join(""))}, ${quoted(letters.map(keyOf).join(""))}), ' ');
  end if;
  foreach letter in array string_to_array(value, null) loop
    code := ascii(letter);
    found := case ${cases.join("\n      ")}
      when code >= ${PRIVATE} then ${REPLACEMENT} else code end;
    key := key || case when found > 0 then chr(found) when found = 0 then ''
      else (${arrayOf(several)}::text[])[-found] end;
  end loop;
  return rtrim(key, ' ');
end
${BODY}`;
}

/**
 * SQL of the function that makes patterns: wildcards stay, what stands between them becomes its key. No key has a
 * wildcard or an escape in it. The letter added and taken away again keeps spaces at the end of such a part.
 */
const TEXT_PATTERN = String.raw`create function text_pattern(pattern text) returns text
language sql immutable strict parallel safe as ${BODY}
  select coalesce(string_agg(case when part.found[1] in ('%', '_') then part.found[1]
    else left(text_key(regexp_replace(part.found[1], '\\(.)', '\1', 'g') || 'a'), -1) end, '' order by part.place), '')
  from regexp_matches(pattern, '%|_|(?:[^%_\\]|\\.|\\$)+', 'g') with ordinality as part(found, place)
${BODY}`;

function arrayOf(values: readonly (number | string)[]): string {
  const elementOf = (value: number | string) =>
    typeof value === "number" ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
  return quoted(`{${values.map(elementOf).join(",")}}`);
}

/** A literal; control characters are spelt, so that any client shows the function as it is. */
function quoted(text: string): string {
  const spelt = text.replaceAll("'", "''").replaceAll("\\", "\\\\");
  return `E'${spelt.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`)}'`;
}
