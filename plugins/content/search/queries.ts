/**
 * Answers searches. Candidates are selected among the rows that the viewer sees, up to a bound, then ordered and counted.
 * Up to the bound, order and total are exact. Beyond it, only items with the words in their digest (names, tags, headings
 * and frequent words) are ranked, and the total is marked as a lower bound.
 */
import { type RawBuilder, type Static, sql, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import {
  type Candidates,
  exceeds,
  type IndexMatch,
  indexedCandidates,
  namedEntries,
  unrankedCandidates,
} from "./candidates.ts";
import type { Paging, SearchContext, SearchTask, searchAnswerSchema } from "./contract.ts";
import type { Found } from "./engine.ts";
import { kindsIn, loadFilterContext } from "./filters.ts";
import type { SearchQuery } from "./parse_query.ts";
import { markingOf, presentResults } from "./presenter.ts";
import { findRestrictedIds } from "./restricted_ids.ts";
import {
  allWords,
  eitherOf,
  hasWords,
  singleTerms,
  type TermsOptions,
  type TermsQuery,
  termsQuery,
} from "./tsquery.ts";

/** The answer of a search; `total_is_lower_bound` is present if there are more candidates than were counted. */
export type SearchAnswer = Static<typeof searchAnswerSchema>;

/** Weights of body, headings, tags and name, in the order D, C, B, A of ts_rank. A match in the name outweighs all others. */
const WEIGHTS = sql`'{0.02, 0.2, 0.15, 1.0}'::real[]`;
/** Index entries that are scanned for a viewer who sees few rows, before these rows are scanned instead. */
const MAX_SCANNED = 2_000;
/** Searches without words count this many times as many candidates, since they are not ranked. */
const UNRANKED_FACTOR = 10;

const entryBeyond = prepared("search.entryBeyond", (db, p: { offset: number }) =>
  db.selectFrom("search_index").offset(sql<number>`${p.offset}::bigint`).limit(sql.lit(1)),
);

/** Answers a search with a page of results and the total. */
export async function findItems(
  context: SearchContext,
  viewer: Viewer,
  search: SearchQuery,
  paging: Paging,
): Promise<SearchAnswer> {
  const kinds = kindsIn(context.kinds(), search);
  // Terms without letters or digits match no text.
  if (kinds.length === 0 || (search.terms.length > 0 && !hasWords(search.terms))) return { data: [], total: 0 };
  const [filterContext, restricted] = await Promise.all([
    loadFilterContext(context, viewer, search),
    findRestrictedIds(context, viewer, kinds),
  ]);
  const task = { context, viewer, search, filterContext, kinds, restricted, paging };
  const { hits, total, isLowerBound } = await context.engine().find(task);
  const wanted = [...search.terms, ...search.exacts.filter(({ negated }) => !negated).map(({ text }) => text)];
  return {
    data: await presentResults(context, viewer, hits, markingOf(wanted)),
    total,
    ...(isLowerBound && { total_is_lower_bound: true as const }),
  };
}

/** Finds a page of the items by the shipped index. */
export async function findInStore(task: SearchTask): Promise<Found> {
  const { context, search } = task;
  const exact = allWords(exactTexts(search));
  const found = await candidatesOf(task, exact);
  // The index matches prefixes of words. An exact text it does not find may be within a word, so all texts are read.
  if (exact === undefined || found.total > 0 || !(await maySearchWithin(context))) return found;
  return candidatesOf(task);
}

/** Finds a page of the items that match filters, tags and exact texts, without ranking them. */
export async function findUnranked(task: SearchTask): Promise<Found> {
  const bound = task.context.maxCandidates * UNRANKED_FACTOR;
  return foundIn(await unrankedCandidates(task, bound), bound);
}

async function candidatesOf(task: SearchTask, exact?: string): Promise<Found> {
  if (task.search.terms.length === 0 && exact === undefined) return findUnranked(task);
  const { maxCandidates } = task.context;
  return foundIn(await candidatesByWords(task, exact, maxCandidates), maxCandidates);
}

function foundIn({ hits, counts }: Candidates, bound: number): Found {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { hits, total, isLowerBound: exceeds(counts, bound) };
}

/** Whether the index has few enough entries to search within words, which reads all texts. */
async function maySearchWithin({ db, maxEntriesWithin }: SearchContext): Promise<boolean> {
  return (await entryBeyond.executeTakeFirst(db, { offset: maxEntriesWithin })) === undefined;
}

/** Texts whose words every result must contain. */
export function exactTexts({ exacts, filters }: SearchQuery): string[] {
  return [
    ...exacts.filter(({ negated }) => !negated).map(({ text }) => text),
    ...filters.filter(({ name, negated }) => name === "in_body" && !negated).map(({ value }) => value),
  ];
}

/** Candidates by words: first by the digest; if these are no more than can be ranked, by all words. */
async function candidatesByWords(task: SearchTask, exact: string | undefined, bound: number): Promise<Candidates> {
  const { terms } = task.search;
  const { hasUnfolded, joined, isSmall } = await task.context.indexState();
  const query = (among?: TermsOptions["among"]) => termsQuery(terms, { joined, ...(among && { among }) });
  const all = query();
  const ranked = eitherOf(all);
  const isExact = exact === undefined ? [] : [matches("words", exact)];
  const found = (column: Matched, wanted: TermsQuery): IndexMatch[] =>
    matchesOf(column, wanted, isExact).map((match) => ({ ...match, score: scoreOf("digest", ranked) }));
  const run = (conditions: readonly IndexMatch[]) =>
    indexedCandidates(task, hasUnfolded ? [...conditions, ...unfoldedEntries(all)] : conditions, bound);
  if ([...task.restricted.values()].some(({ total }) => total > MAX_SCANNED) && !hasUnfolded) {
    const short = await indexedCandidates({ ...task, restricted: new Map() }, found("words", all), bound, MAX_SCANNED);
    if (short.scanned <= MAX_SCANNED && !exceeds(short.counts, bound)) return short;
  }
  if (ranked === undefined) return run(found("words", all));
  if (isSmall) {
    // Few entries have few candidates, so a scan of the digest beforehand would only cost its time.
    const every = await run(found("either", all));
    if (!exceeds(every.counts, bound)) return every;
  }
  const first = await run(found("digest", all));
  if (!exceeds(first.counts, bound)) return run(found("words", all));
  const named = namedEntries(task);
  // The bound may cut off the items with a rare word among those with a common one, so each word is also searched alone.
  const singles = singleTerms(terms, { joined });
  return run([
    ...[query("names"), query("headings"), all].flatMap((wanted) => found("digest", wanted)),
    ...(named ? [{ condition: sql.join([named, ...isExact], sql` and `), score: scoreOf("digest", ranked) }] : []),
    ...singles.flatMap((single) =>
      found("words", single).map((match) => ({ ...match, rare: Math.ceil(bound / singles.length) })),
    ),
  ]);
}

/**
 * Where entries are matched. `either` finds what `words` does: all words of the digest are among them. It reads `words`, which is stored
 * apart from the row, only of entries that the digest does not decide, which is faster where all entries are read.
 */
type Matched = "words" | "digest" | "document" | "either";

function matches(column: Matched, query: string): RawBuilder<unknown> {
  return column === "either"
    ? sql`(search_index.digest @@ ${query}::tsquery or search_index.words @@ ${query}::tsquery)`
    : sql`${sql.ref(`search_index.${column}`)} @@ ${query}::tsquery`;
}

/** The conditions on entries with any of the terms, or with any words if there are no terms; `isExact` also holds for each. */
function matchesOf(
  column: Matched,
  { certain, unverified, texts }: TermsQuery,
  isExact: readonly RawBuilder<unknown>[],
): Omit<IndexMatch, "score">[] {
  const all = (condition: readonly RawBuilder<unknown>[]) => sql.join([...condition, ...isExact], sql` and `);
  if (certain === undefined && unverified === undefined) return [{ condition: all([]) }];
  return [
    ...(certain === undefined ? [] : [{ condition: all([matches(column, certain)]) }]),
    ...(unverified === undefined ? [] : [{ condition: all([matches(column, unverified)]), texts }]),
  ];
}

function scoreOf(column: string, terms: string | undefined): RawBuilder<unknown> {
  return terms === undefined ? sql`0::real` : sql`ts_rank(${WEIGHTS}, hit.${sql.ref(column)}, ${terms}::tsquery)`;
}

/**
 * Entries written before migration 0002 have words as PostgreSQL splits them, so exact texts are only checked in the text
 * itself.
 */
function unfoldedEntries(terms: TermsQuery): IndexMatch[] {
  const score = scoreOf("document", eitherOf(terms));
  return matchesOf("document", terms, [sql`search_index.words is null`]).map((match) => ({ ...match, score }));
}
