/**
 * The form in which texts are compared: lower case, without accents, with plain quotes. It exists twice, for JavaScript
 * and as SQL, and both must agree on what they are used for: words are folded before they are stored and looked up, texts
 * of the store only where a phrase is checked.
 */
import { type RawBuilder, sql } from "lectern/core";

/** Marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters; marks of other scripts are letters in their own right. */
const ACCENTS =
  "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0";
const ACCENT = new RegExp(`[${ACCENTS}]+`, "g");
const FURTHER = /[ß‘’‚‛“”„‟]/g;
const PLAIN: Readonly<Record<string, string>> = { ß: "ss", "“": '"', "”": '"', "„": '"', "‟": '"' };
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins there
const ASCII = /^[\x00-\x7f]*$/;

/** A text in the form in which texts are compared. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(ACCENT, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(FURTHER, (sign) => PLAIN[sign] ?? "'");
}

/** Whether a text of the store holds a folded text. Texts of plain ASCII, and hits in them, cost no folding. */
export function holdsFolded(text: RawBuilder<unknown>, folded: string): RawBuilder<boolean> {
  // Lower case of the collation "C" leaves all but ASCII alone, and is many times faster.
  return sql<boolean>`(position(${folded}::text in lower(${text} collate "C")) > 0
    or octet_length(${text}) <> char_length(${text}) and position(${folded}::text in ${foldedSql(text)}) > 0)`;
}

function foldedSql(text: RawBuilder<unknown>): RawBuilder<string> {
  const plain = sql`regexp_replace(normalize(${text}, NFKD), ${`[${ACCENTS}]+`}::text, '', 'g')`;
  return sql<string>`translate(replace(lower(normalize(${plain}, NFC)), 'ß', 'ss'), '‘’‚‛“”„‟', '''''''''""""')`;
}
