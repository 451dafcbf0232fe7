/**
 * Search by relevance (`mode=better` of `/api/search`): the words of a search are stemmed, corrected and ranked by how rare they are,
 * where they stand and how near each other. Exact texts, tags and filters are as in the other mode; so is the syntax, but that a word
 * with signs such as `read(file)` is split. Queries without words are not ranked (`without_words.ts`).
 */
import { sql, type Viewer, yieldToEventLoop } from "lectern/core";
import { rows } from "lectern/db";
import type { Paging, SearchContext, SearchTask } from "../contract.ts";
import { kindsIn, loadFilterContext } from "../filters.ts";
import { normalizeText } from "../normalize_text.ts";
import { parseQuery, type SearchQuery } from "../parse_query.ts";
import { type Hit, type Marking, presentResults } from "../presenter.ts";
import { highlighted } from "../preview.ts";
import { exactTexts, type SearchAnswer } from "../queries.ts";
import { findRestrictedIds } from "../restricted_ids.ts";
import { allWords } from "../tsquery.ts";
import { type Branch, expectedOf, type Scans, scansOf } from "./branches.ts";
import { type Candidate, type Order, type Ranked, rankedCandidates } from "./candidates.ts";
import { facetsOf } from "./facets.ts";
import type { IndexFigures } from "./frequencies.ts";
import { exactQueries, type FoundPart, matchingParts, partsFor } from "./parts.ts";
import { matchesOf, passagesOf } from "./passages.ts";
import { type CandidateText, closeScore, inverseOf, type Weighing } from "./rerank.ts";
import { queryOf } from "./term_query.ts";
import { type Term, termsOf } from "./terms.ts";
import { correctedTerms } from "./unseen_words.ts";
import { findWithoutWords } from "./without_words.ts";

/** Items with a term that are ranked and counted exactly. Beyond them the total is a lower bound. */
const BOUND = 500;
/** Candidates that are ranked closely, whose texts are read. */
const CLOSELY = 40;
/** Characters of a text that are read for it. */
const MAX_TEXT = 12_000;
/** Terms that are ranked by, those of exact texts included; further ones are ignored. */
const MAX_RANKED = 16;
/** Results of all pages: more than the scans of so many terms read. */
const MAX_FOUND = 2 * MAX_RANKED * (BOUND + 1);
/** How results are to be answered. */
export interface RelevanceOptions {
  readonly paging: Paging;
  readonly order: Order;
  readonly facets: boolean;
}

/**
 * Answers a search by relevance. What stands in brackets is a tag; where no item has it, the words in it are searched, since texts have
 * brackets too.
 */
export async function findByRelevance(
  context: SearchContext,
  viewer: Viewer,
  query: string,
  options: RelevanceOptions,
): Promise<SearchAnswer> {
  const search = parseQuery(query, { splitsWords: true });
  const found = await answerTo(context, viewer, search, options);
  if (found.total > 0 || !search.tags.some(({ negated }) => !negated)) return found;
  const words = parseQuery(query, { splitsWords: true, readsTags: false });
  const without = await answerTo(context, viewer, words, options);
  if (without.total === 0) return found;
  return { ...without, corrected: { words: [], query: words.typed, ...without.corrected } };
}

async function answerTo(
  context: SearchContext,
  viewer: Viewer,
  search: SearchQuery,
  { paging, order, facets }: RelevanceOptions,
): Promise<SearchAnswer> {
  const kinds = kindsIn(context.kinds(), search);
  const exact = exactTexts(search);
  const free = await termsOf(search.terms, context.vocabulary);
  const ofExact = await termsOf(exact, context.vocabulary, { isExact: true });
  const asked = [...free, ...ofExact].slice(0, MAX_RANKED);
  // Terms without letters or digits match no text.
  const isNothing = asked.length === 0 && search.terms.length > 0;
  if (kinds.length === 0 || isNothing) return { data: [], total: 0 };
  const [filters, restricted, figures] = await Promise.all([
    loadFilterContext(context, viewer, search),
    findRestrictedIds(context, viewer, kinds),
    context.frequencies.figures(),
  ]);
  const hasShelves = context.kinds().some(({ kind }) => kind.table === "bookshelves");
  const places = { seesShelf: hasShelves ? context.visibleTo("bookshelves", viewer) : undefined };
  const filterContext = { ...filters, places };
  const task: SearchTask = { context, viewer, search, filterContext, kinds, restricted, paging };
  if (asked.length === 0) return findWithoutWords(task, order, facets ? BOUND : 0);
  const closely = order === "relevance" ? CLOSELY : 0;
  const all = Math.max(facets ? BOUND : closely, Math.min(MAX_FOUND, paging.page * paging.count));
  const scan = async (terms: readonly Term[], areCommon: ReadonlySet<number> = new Set()): Promise<Found> => {
    const hasParts = partsFor(task).length > 0;
    const words = { ofItem: allWords(exact), ofParts: hasParts ? exactQueries(search) : [] };
    const scans = scansFor(terms, free.length, words, { figures, bound: BOUND, areCommon, hasParts });
    const ranked = await rankedCandidates(task, { terms, ...scans, figures, closely, all, order });
    const cut = scans.branches.filter(({ most }, at) => (ranked.read[at] ?? 0) >= most);
    // A term that was to be read whole.
    const unforeseen = terms.flatMap((_, at) =>
      cut.some(({ has, column, most }) => has === 1 << at && column === "words" && most > BOUND) ? [at] : [],
    );
    const isLowerBound = cut.length > 0 || !scans.isComplete;
    return unforeseen.length === 0 || areCommon.size > 0
      ? { ...ranked, isLowerBound }
      : scan(terms, new Set([...areCommon, ...unforeseen]));
  };
  const first = await scan(asked);
  const terms = await correctedTerms(task, asked, { free: free.length, met: first.met, figures });
  const found = terms === asked ? first : await scan(terms);
  const weighing: Weighing = {
    terms,
    inverse: found.having.map((having) => inverseOf(having, Math.max(figures.entries, found.total))),
    length: figures.length,
    typed: normalizeText(search.typed),
  };
  const { hits, used } =
    closely > 0 ? await rerank(task, found.items, weighing) : { hits: found.items, used: new Map() };
  const start = (paging.page - 1) * paging.count;
  const shown = hits.slice(start, start + paging.count);
  const [results, inParts] = await Promise.all([
    presentResults(context, viewer, shown, marking(terms, weighing.inverse)),
    matchingParts(task, shown, weighing, free.length),
  ]);
  return {
    data: results.map((result) => ({ ...result, ...attached(inParts.get(`${result.type} ${result.id}`)) })),
    total: found.total,
    ...(found.isLowerBound && { total_is_lower_bound: true as const }),
    ...correctedBy(terms, used, search.typed),
    ...(facets && { facets: await facetsOf(task, found.items.slice(0, BOUND)) }),
  };
}

/** What was found, and whether there may be more. */
interface Found extends Ranked {
  readonly isLowerBound: boolean;
}

/**
 * The scans for terms of which the first `free` may each match alone, and whose entries all have the words of exact texts: those of the
 * item, or one text in a part. Term and text may be in one part, or one of them in a part and the other in the item.
 */
function scansFor(
  terms: readonly Term[],
  free: number,
  exact: { readonly ofItem: string | undefined; readonly ofParts: readonly string[] },
  options: Parameters<typeof scansOf>[2] & { readonly figures: IndexFigures },
): Scans {
  const every = terms.slice(0, free);
  const { ofItem } = exact;
  if (ofItem === undefined) return scansOf(every, options.figures, options);
  const ofExact = ((1 << terms.length) - 1) & ~((1 << free) - 1);
  const most = options.bound + 1;
  const scan = (column: Branch["column"], query: string, has: number, beside?: string): Branch => ({
    ...{ column, query, has: has | ofExact, most },
    ...(beside !== undefined && { beside }),
  });
  const ofParts = exact.ofParts.map((query) => `(${query})`).join(" | ");
  const branches =
    every.length === 0
      ? [scan("words", ofItem, 0), ...(ofParts === "" ? [] : [scan("parts", ofParts, 0)])]
      : every.flatMap((term, at) => {
          const [query, has] = [queryOf(term), 1 << at];
          const inParts = [
            scan("parts", `(${ofParts}) & ${query}`, has),
            ...[scan("parts", ofParts, has, query), scan("parts", query, has, ofItem)],
          ];
          return [scan("words", `${query} & ${ofItem}`, has), ...(ofParts === "" ? [] : inParts)];
        });
  return { branches, isComplete: true, expected: terms.map((term) => expectedOf(term, options.figures)) };
}

/** Ranks the first candidates closely, and gives the words that corrected terms matched in the best of them. */
async function rerank(
  task: SearchTask,
  items: readonly Candidate[],
  weighing: Weighing,
): Promise<{ readonly hits: readonly Hit[]; readonly used: ReadonlyMap<number, string> }> {
  const first = items.slice(0, CLOSELY);
  const texts = await textsOf(task, first);
  const used = new Map<number, string>();
  const yieldNow = yieldToEventLoop();
  const scored: { readonly hit: Candidate; readonly score: number; readonly met: ReadonlyMap<number, string> }[] = [];
  for (const hit of first) {
    await yieldNow();
    const text = texts.get(`${hit.kind} ${hit.id}`) ?? { name: "", body: "" };
    scored.push({ hit, ...closeScore(hit, text, weighing) });
  }
  scored.sort((a, b) => b.score - a.score);
  for (const { met } of scored) for (const [at, word] of met) if (!used.has(at)) used.set(at, word);
  return { hits: [...scored.map(({ hit }) => hit), ...items.slice(CLOSELY)], used };
}

async function textsOf({ context, kinds }: SearchTask, items: readonly Hit[]): Promise<Map<string, CandidateText>> {
  const found = await Promise.all(
    kinds.map(async ({ kind, body }) => {
      const ids = items.filter((item) => item.kind === kind.kind).map(({ id }) => id);
      if (ids.length === 0) return [];
      const own = (name: string) => sql.ref(`${kind.table}.${name}`);
      // A template: the tables are those of contributed kinds, which the types of the builder do not know.
      const texts = await rows<CandidateText & { id: number }>(
        context.db,
        sql`select ${own("id")}, ${own("name")}, left(${body}, ${MAX_TEXT}::integer) as body from ${sql.table(kind.table)}
          where ${own("id")} = any(${ids}::integer[])`,
      );
      return texts.map((text) => [`${kind.kind} ${text.id}`, text] as const);
    }),
  );
  return new Map(found.flat());
}

function marking(terms: readonly Term[], inverse: readonly number[]): Marking {
  const passages = (body: string) => passagesOf(body, terms, inverse);
  return {
    name: (name) => highlighted(name, 0, name.length, matchesOf(name, terms)),
    content: (body) => passages(body).join(" "),
    passages,
    isIn: (text) => matchesOf(text, terms).length > 0,
  };
}

function attached(parts: readonly FoundPart[] | undefined): { attachments?: FoundPart[] } {
  return parts && parts.length > 0 ? { attachments: [...parts] } : {};
}

/** The part of an answer that says what was searched in place of words that no item has; only what the viewer finds is told. */
function correctedBy(
  terms: readonly Term[],
  used: ReadonlyMap<number, string>,
  typed: string,
): Pick<SearchAnswer, "corrected"> {
  const words = terms.flatMap(({ typed, alternatives: [exact], isCorrected }, at) => {
    const found = used.get(at);
    return isCorrected && found !== undefined && found !== exact?.word ? [{ typed, used: found }] : [];
  });
  if (words.length === 0) return {};
  const query = typed.replace(/\S+/g, (word) => words.find((one) => one.typed === word)?.used ?? word);
  return { corrected: { query, words } };
}
