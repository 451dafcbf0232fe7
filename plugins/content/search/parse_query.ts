/**
 * Parses search queries (content-api 14): plain words, "exact text", [tags] and {filters}, the last three also negated by a
 * minus. Anything else is taken as words, so that no query is an error.
 */
import { trimEndChars } from "lectern/core";
import { ENDING_SIGNS } from "./tokenize.ts";

/** A test of tags: a name, a value, or both. */
export interface TagTest {
  readonly name: string;
  readonly operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "like";
  /** Undefined if any value matches. */
  readonly value: string | undefined;
  readonly negated: boolean;
}

/** A filter such as {type:page}; the value is "" if there is none. */
export interface Filter {
  readonly name: string;
  readonly value: string;
  readonly negated: boolean;
}

/** A parsed query. */
export interface SearchQuery {
  /** Words of which any may match, as prefixes. */
  readonly terms: readonly string[];
  /** The words as they were typed, those included that are exact texts: what the name of an item is compared with. */
  readonly typed: string;
  readonly exacts: readonly { readonly text: string; readonly negated: boolean }[];
  readonly tags: readonly TagTest[];
  readonly filters: readonly Filter[];
  /** The order by last comment, if results are ordered by it. */
  readonly latest: "asc" | "desc" | undefined;
}

/** Maximum parts of a query; further ones are ignored. */
const MAX_PARTS = 50;
/** Signs that always separate words: a word that contains one is searched as an exact text (content-api 14). */
const SPLITTING = /[,!?:;()[\]{}<>'"`«»]/;
const QUOTES = /[“”„‟]/g;
const APOSTROPHES = /[‘’‚‛]/g;
const PART = /(-?)"((?:\\.|[^"\\])*)"|(-?)\[([^\]]*)\]|(-?)\{([^}]*)\}|(\S+)/g;
/** `like` counts as an operator only before a non-word character: [verlike%7%] is a test, [likeness] a name. */
const TAG = /^(.*?)(!=|>=|<=|=|>|<|like(?!\w))(.*)$/is;
const LINE_END = /[\n\r\u2028\u2029]/;

/**
 * Parses a query. Typographic quotes count as straight ones. With `splitsWords` a word such as `read(file)` is split into its parts, as
 * searches by relevance do, instead of being looked for as an exact text. Without `readsTags` what stands in brackets is words.
 */
export function parseQuery(text: string, { splitsWords = false, readsTags = true } = {}): SearchQuery {
  const query = text.replace(QUOTES, '"').replace(APOSTROPHES, "'");
  const terms: string[] = [];
  const typed: string[] = [];
  const exacts: { text: string; negated: boolean }[] = [];
  const tags: TagTest[] = [];
  const filters: Filter[] = [];
  // No further ones are searched, since each that is not closed is read to the end of the query.
  for (const [, notExact, exact, notTag, tag, notFilter, filter, word] of query.matchAll(PART).take(MAX_PARTS)) {
    if (exact !== undefined) exacts.push({ text: exact.replace(/\\(["\\])/g, "$1"), negated: notExact === "-" });
    else if (tag !== undefined && !readsTags && notTag === "") {
      typed.push(tag);
      terms.push(tag);
    } else if (tag !== undefined) tags.push({ ...tagOf(tag), negated: notTag === "-" });
    else if (filter !== undefined) filters.push({ ...filterOf(filter), negated: notFilter === "-" });
    else if (word !== undefined) {
      typed.push(word);
      if (!splitsWords && SPLITTING.test(word)) exacts.push({ text: word, negated: false });
      // A word of nothing else stays, as without any word all items would be found.
      else terms.push(trimEndChars(word, ENDING_SIGNS) || word);
    }
  }
  const sort = filters.find(({ name, value }) => name === "sort_by" && value.toLowerCase() === "last_commented");
  const latest = sort && (sort.negated ? "asc" : "desc");
  return {
    terms,
    typed: typed.join(" "),
    exacts: exacts.filter(({ text }) => text.trim() !== ""),
    tags,
    filters,
    latest,
  };
}

function tagOf(text: string): Omit<TagTest, "negated"> {
  const found = LINE_END.test(text) ? null : TAG.exec(text);
  if (!found) return { name: text.trim(), operator: "=", value: undefined };
  const [, name = "", operator = "=", value = ""] = found;
  return { name: name.trim(), operator: operator.toLowerCase() as TagTest["operator"], value: value.trim() };
}

function filterOf(text: string): Omit<Filter, "negated"> {
  const at = text.indexOf(":");
  if (at < 0) return { name: text.trim().toLowerCase(), value: "" };
  return { name: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() };
}
