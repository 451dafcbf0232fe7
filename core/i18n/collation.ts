/**
 * Collation of text, the same on every store: two SQL functions in place of MySQL's collation utf8mb4_unicode_ci, which old
 * clients know (content-api 3). `text_key(text)` returns a sort key: texts that are equal without case, accents and trailing
 * spaces have equal keys, and the byte order of keys (`collate "C"`) is the alphabetical order of texts. `text_pattern(text)`
 * turns a pattern of `like` for texts into one for keys. The server's locale and Unicode version have no effect, as they
 * differ between stores.
 *
 * Each character of a text is one character of its key, so that `_` and `%` mean the same in both. Exceptions are letters
 * that count as several (ß as ss), and rare signs. Characters that the collation does not have are in their own order: Han and
 * Hangul by code point, then emoji (which are all equal in the collation).
 *
 * The functions are immutable, since generated columns and indexes use them: their results must never change. A better
 * order needs new functions.
 */
import { sql } from "kysely";
import type { Migrations } from "../../db/mod.ts";

/** The first code point that sorts by itself without a listed weight: Han. */
const LISTED_UNTIL = 0x3400;
/** Ranges of listed code points: below Han; Yi; compatibility forms, full and half width. */
const LISTED = [
  [0, LISTED_UNTIL - 1],
  [0xa000, 0xa4cf],
  [0xf900, 0xffff],
] as const;
/** Offset of characters without a weight that would collide with keys: above all others. */
const UNKNOWN = 0x100000;
/** Base of the suffix that sorts a rare sign after all keys that begin with the sign before it. */
const MARK = 0x10f000;
/** The private planes have no characters and are used for the two above. */
const PRIVATE = 0xf0000;
const REPLACEMENT = 0xfffd;

const SIGNS = /^[ -/:-@[-`{-~]$/;
/** Keys of ASCII signs in ascending order: single bytes without wildcards and the escape. */
const SIGN_KEYS = [...` !"#$&'()*+,-./:;<=>?@ABCDEFGHIJK`];
const DIGIT_KEYS = [..."abcdefghij"];
/** Keys of the first letters: two bytes, and letters in any locale, so that a trigram index sees words. */
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
/** The first key of all further letters: three bytes. */
const FURTHER_KEYS = 0x800;
/** ASCII in lower case by frequency in names, since `translate` searches from the left. */
const FREQUENT = " eatoinsrlhdcum-pgfybwvk0123456789xzjq";
const BODY = "$text_key$";

/** Keys of the listed code points. */
type Keys = ReadonlyMap<number, string>;

/** The migrations that create the functions. */
export const collationMigrations: Migrations = {
  async "0003_text_keys"(db) {
    const source = await Bun.file(new URL("./collation.txt", import.meta.url)).text();
    await sql.raw(textKeyFunction(keysOf(source))).execute(db);
    await sql.raw(TEXT_PATTERN).execute(db);
  },
};

/** Parses the list of weights into keys. */
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

/** Returns the next key for each group: one character for signs, digits and letters; for rare signs, that before and a mark. */
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

/** The code points of a word, with its escapes decoded. */
function codesOf(word: string): number[] {
  return Array.from(word.matchAll(/\\u([0-9a-f]{4})|./gsu), ([letter, hex]) =>
    hex ? Number.parseInt(hex, 16) : (letter.codePointAt(0) ?? 0),
  );
}

/** The groups of a word: itself, or each member of a range. */
function groupsOf(word: string): number[][] {
  return word.includes("~") ? membersOf(word).map((code) => [code]) : [codesOf(word)];
}

function membersOf(word: string): number[] {
  const [from = 0, to = from] = codesOf(word.replace("~", ""));
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

/** SQL of the function for keys. Pure ASCII takes a shorter path with the same result. */
function textKeyFunction(keys: Keys): string {
  const ascii = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1)).filter((one) => !/[A-Z]/.test(one));
  // Characters without a key come last: `translate` removes what has no counterpart.
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
 * SQL of the function for patterns: wildcards stay, the text between them becomes its key, which never has a wildcard or an
 * escape. The letter that is appended and removed again keeps trailing spaces of such a part.
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

/** An SQL literal with control characters escaped, so that any client shows the function. */
function quoted(text: string): string {
  const spelt = text.replaceAll("'", "''").replaceAll("\\", "\\\\");
  return `E'${spelt.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`)}'`;
}
