/**
 * The language of searches (content-api 14): plain words, "exact text", [tags] and {filters}, the last three also with a
 * minus in front. What cannot be read is taken as words, so that no search is an error.
 */

/** A test of tags: a name, a value, or both. */
export interface TagTest {
  readonly name: string;
  readonly operator: "=" | "!=" | ">" | "<" | ">=" | "<=" | "like";
  /** Undefined where any value will do. */
  readonly value: string | undefined;
  readonly negated: boolean;
}

/** A filter such as {type:page}; the value is "" where none stands there. */
export interface Filter {
  readonly name: string;
  readonly value: string;
  readonly negated: boolean;
}

/** A search as its words say it. */
export interface Search {
  /** Words of which any may match, as beginnings of words. */
  readonly terms: readonly string[];
  readonly exacts: readonly { readonly text: string; readonly negated: boolean }[];
  readonly tags: readonly TagTest[];
  readonly filters: readonly Filter[];
  /** Where the results are to be ordered by their last comment. */
  readonly latest: "asc" | "desc" | undefined;
}

/** So many parts of a query count; whoever writes more has no question in mind. */
const MAX_PARTS = 50;
/** Signs by which the index splits words: a word that holds one is looked for literally. */
const SPLITTING = /[.,!?:;()[\]{}<>'"`«»]/;
const QUOTES = /[“”„‟]/g;
const APOSTROPHES = /[‘’‚‛]/g;
const PART = /(-?)"((?:\\.|[^"\\])*)"|(-?)\[([^\]]*)\]|(-?)\{([^}]*)\}|(\S+)/g;
/** What follows `like` must not make another word of it: [verlike%7%] is a test, [likeness] a name. */
const TAG = /^(.*?)(!=|>=|<=|=|>|<|like(?!\w))(.*)$/i;

/** Reads a query. Quotes that typing programs curl are plain ones. */
export function parseSearch(asked: string): Search {
  const query = asked.replace(QUOTES, '"').replace(APOSTROPHES, "'");
  const terms: string[] = [];
  const exacts: { text: string; negated: boolean }[] = [];
  const tags: TagTest[] = [];
  const filters: Filter[] = [];
  for (const [, noText, text, noTag, tag, noFilter, filter, word] of [...query.matchAll(PART)].slice(0, MAX_PARTS)) {
    if (text !== undefined) exacts.push({ text: text.replace(/\\(["\\])/g, "$1"), negated: noText === "-" });
    else if (tag !== undefined) tags.push({ ...tagOf(tag), negated: noTag === "-" });
    else if (filter !== undefined) filters.push({ ...filterOf(filter), negated: noFilter === "-" });
    else if (word !== undefined && SPLITTING.test(word)) exacts.push({ text: word, negated: false });
    else if (word !== undefined) terms.push(word);
  }
  const sorting = filters.find(({ name, value }) => name === "sort_by" && value.toLowerCase() === "last_commented");
  const latest = sorting && (sorting.negated ? "asc" : "desc");
  return { terms, exacts: exacts.filter(({ text }) => text.trim() !== ""), tags, filters, latest };
}

function tagOf(text: string): Omit<TagTest, "negated"> {
  const [, name = "", operator = "=", value = ""] = TAG.exec(text) ?? [];
  if (!TAG.test(text)) return { name: text.trim(), operator: "=", value: undefined };
  return { name: name.trim(), operator: operator.toLowerCase() as TagTest["operator"], value: value.trim() };
}

function filterOf(text: string): Omit<Filter, "negated"> {
  const at = text.indexOf(":");
  if (at < 0) return { name: text.trim().toLowerCase(), value: "" };
  return { name: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() };
}
