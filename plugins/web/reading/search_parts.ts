/**
 * The parts of a search that somebody typed: words, "exact texts", [tags] and {filters}, the last three also behind a minus. The search
 * itself reads queries (content-api 14); this finds the same parts with their places, so that the screen can show each as a chip and take it out.
 */

/** A part of a query that is no word. */
export interface QueryPart {
  readonly kind: "exact" | "tag" | "filter";
  /** What is between its signs, such as `team=ops`. */
  readonly text: string;
  readonly isNegated: boolean;
  /** The query without it. */
  readonly rest: string;
}

const PART = /(-?)"((?:\\.|[^"\\])*)"|(-?)\[([^\]]*)\]|(-?)\{([^}]*)\}|\S+/g;
const QUOTES = /[“”„‟]/g;
/** Parts that are looked at, as of a query that is searched. */
const MAX_PARTS = 50;

/** The parts of a query that are no words, in order; empty ones left out. */
export function queryParts(query: string): readonly QueryPart[] {
  const parts: QueryPart[] = [];
  // Typographic quotes count as straight ones, and are as long.
  for (const match of query.replace(QUOTES, '"').matchAll(PART).take(MAX_PARTS)) {
    const [whole, notExact, exact, notTag, tag, notFilter, filter] = match;
    const text = exact ?? tag ?? filter;
    if (text === undefined || text.trim() === "") continue;
    const [before, after] = [
      query.slice(0, match.index).trimEnd(),
      query.slice(match.index + whole.length).trimStart(),
    ];
    const kind = exact === undefined ? (tag === undefined ? "filter" : "tag") : "exact";
    const isNegated = (notExact ?? notTag ?? notFilter) === "-";
    parts.push({
      kind,
      text: text.trim(),
      isNegated,
      rest: before === "" || after === "" ? before + after : `${before} ${after}`,
    });
  }
  return parts;
}

/** A query in which words that were typed wrong are exact texts, so that no other word takes their place. */
export function withExactWords(query: string, words: readonly string[]): string {
  const wanted = new Set(words.map((word) => word.toLowerCase()));
  return query.replace(PART, (part) =>
    wanted.has(part.toLowerCase()) && !part.includes('"') && !part.includes("\\") ? `"${part}"` : part,
  );
}
