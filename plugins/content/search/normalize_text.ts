/**
 * The normal form in which texts are compared: lower case, without accents, with straight quotes. It is implemented twice:
 * in JavaScript for words, which are normalised before they are stored and looked up, and in SQL for stored texts that are
 * checked for a phrase. Both must agree.
 */
import { type Expression, type RawBuilder, sql } from "lectern/core";

/** Combining marks of Latin, Greek, Cyrillic, Hebrew and Arabic. Marks of other scripts distinguish letters, so they stay. */
const ACCENTS =
  "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0";
const ACCENT = new RegExp(`[${ACCENTS}]+`, "g");
const REPLACED = /[ß‘’‚‛“”„‟]/g;
const REPLACEMENTS: Readonly<Record<string, string>> = { ß: "ss", "“": '"', "”": '"', "„": '"', "‟": '"' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range starts with control characters
const ASCII = /^[\x00-\x7f]*$/;

/** A text in its normal form. */
export function normalizeText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(ACCENT, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(REPLACED, (sign) => REPLACEMENTS[sign] ?? "'");
}

/** SQL condition: a stored text contains a normalised text. Texts that match or are ASCII are not normalised, which is slow. */
export function containsNormalized(text: Expression<unknown>, wanted: string): RawBuilder<boolean> {
  return inEitherForm(text, (form) => sql`position(${wanted}::text in ${form}) > 0`);
}

/** The same, where the text does not begin within a word; it is searched with a regular expression only where it is found at all. */
export function containsWord(text: Expression<unknown>, wanted: string): RawBuilder<boolean> {
  if (!/^\w/.test(wanted)) return containsNormalized(text, wanted);
  const pattern = `\\m${wanted.replace(/[^\p{L}\p{N}\p{M}_]/gu, "\\$&")}`;
  return inEitherForm(text, (form) => sql`position(${wanted}::text in ${form}) > 0 and ${form} ~ ${pattern}::text`);
}

/** SQL condition: a stored text equals a normalised text. */
export function equalsNormalized(text: Expression<unknown>, wanted: string): RawBuilder<boolean> {
  return inEitherForm(text, (form) => sql`${form} = ${wanted}::text`);
}

/** A condition on a text in lower case, or, if it is not ASCII, in its normal form. */
function inEitherForm(
  text: Expression<unknown>,
  condition: (form: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<boolean> {
  // With collation "C", lower() changes ASCII letters only and is many times faster.
  return sql<boolean>`(${condition(sql`lower(${text} collate "C")`)}
    or octet_length(${text}) <> char_length(${text}) and ${condition(normalizedSql(text))})`;
}

function normalizedSql(text: Expression<unknown>): RawBuilder<string> {
  const plain = sql`regexp_replace(normalize(${text}, NFKD), ${`[${ACCENTS}]+`}::text, '', 'g')`;
  return sql<string>`translate(replace(lower(normalize(${plain}, NFC)), 'ß', 'ss'), '‘’‚‛“”„‟', '''''''''""""')`;
}
