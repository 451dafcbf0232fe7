/**
 * The texts of functions that plugins have made. Such a function runs with the rights of its owner, who could have it run with those
 * of its caller by `alter function`, and what it sets for the session stays after it. So its text has no statements but reads and
 * writes. A misread text would hide a word: where such a word is in the text at all, also in a string or a comment, the text may have
 * neither dollar quotes nor backslashes, so that everybody cuts it alike.
 */
import { wordsOf } from "./statement_text.ts";

/** Words of statements that a function may not run: with them it could undo what is done to it. */
const STATEMENTS: readonly string[] = [
  "execute",
  "prepare",
  "create",
  "alter",
  "drop",
  "grant",
  "revoke",
  "reassign",
  "hold",
];
/** What runs texts or changes settings, with or without quotes. */
const NAMES: readonly string[] = [
  "set_config",
  "pg_settings",
  "query_to_xml",
  "query_to_xmlschema",
  "query_to_xml_and_xmlschema",
  "ts_stat",
  "ts_rewrite",
];
const REFUSED_WORDS: ReadonlySet<string> = new Set([...STATEMENTS, ...NAMES, ...NAMES.map((name) => `"${name}"`)]);
/** Statements on the session; the words are also names, and `set` is a part of updates. */
const OF_SESSION: ReadonlySet<string> = new Set(["set", "reset", "discard", "deallocate", "load"]);
/** What a statement follows in either language; none of it stands before the `set` of an update. */
const BEFORE_STATEMENT: ReadonlySet<string> = new Set([";", ">", "begin", "then", "else", "loop", "atomic"]);
/** What follows "do" in an upsert; a block follows otherwise. */
const AFTER_DO: ReadonlySet<string> = new Set(["nothing", "update"]);
/** The first word of a function's text that is refused; undefined for none. */
export function refusedWord(source: string): string | undefined {
  const words = wordsOf(source);
  const ofSession = words.find(
    (word, at) => OF_SESSION.has(word) && (at === 0 || BEFORE_STATEMENT.has(words[at - 1] ?? "")),
  );
  const refused = refusedAmong(words) ?? ofSession;
  if (refused !== undefined || !/[$\\]/.test(source)) return refused;
  return refusedAmong(source.toLowerCase().match(/[a-z_]+/g) ?? []);
}

function refusedAmong(words: readonly string[]): string | undefined {
  return words.find(
    (word, at) =>
      REFUSED_WORDS.has(word) || /^u&"/i.test(word) || (word === "do" && !AFTER_DO.has(words[at + 1] ?? "")),
  );
}
