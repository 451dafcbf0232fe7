/**
 * Finding items. Candidates are picked through what the viewer may see, up to a bound: by the index of words where the
 * search has any, else by the tables' own indexes. Then the candidates are put in order and counted. Up to the
 * bound the order and the total are exact. Beyond it, words rank the items that hold them in their digest, where names,
 * tags, headings and frequent words are, and the total is marked as a lower bound.
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import {
  type Match,
  type Outcome,
  type Paging,
  passed,
  pick,
  type Question,
  type SearchParts,
  unranked,
} from "./candidates.ts";
import type { Condition } from "./conditions.ts";
import { fewOf } from "./few.ts";
import { factsOf, kindsIn } from "./filters.ts";
import { allOf, anyOf, eachOf, inHeadings, inNames } from "./match.ts";
import type { Search } from "./parse.ts";
import { resultsOf } from "./results.ts";

/** A page of a search. */
export interface Found {
  readonly data: Record<string, unknown>[];
  readonly total: number;
  /** Only where there are more than were counted. */
  readonly total_is_lower_bound?: true;
}

/** How much a hit counts in the body, headings, tags and name; PostgreSQL takes D, C, B, A. A name outweighs all else. */
const WEIGHTS = sql`'{0.02, 0.2, 0.15, 1.0}'::real[]`;
/** Entries of the index that are gone through for a viewer who sees little, before what that viewer sees is. */
const WALKED = 2_000;
/** Searches without words count so many times as many candidates, as nothing is ranked. */
const UNRANKED = 10;

/** Answers a search: a page of results, and how many there are in all. */
export async function findItems(parts: SearchParts, viewer: Viewer, search: Search, paging: Paging): Promise<Found> {
  const kinds = kindsIn(parts.kinds, search);
  const terms = anyOf(search.terms);
  // Words without a letter or digit are no words of any text.
  if (kinds.length === 0 || (search.terms.length > 0 && terms === undefined)) return { data: [], total: 0 };
  const [facts, few] = await Promise.all([factsOf(parts.db, viewer, search), fewOf(parts, viewer, kinds)]);
  const question = { parts, viewer, search, facts, kinds, few, paging };
  const exact = allOf(exactTexts(search));
  let found = await matching(question, terms, exact);
  // The index knows where words begin. What it does not find may stand within one, for which texts are read.
  if (exact !== undefined && totalOf(found) === 0 && (await isWithin(parts))) found = await matching(question, terms);
  const { hits, counts, bound } = found;
  const wanted = [...search.terms, ...search.exacts.filter(({ negated }) => !negated).map(({ text }) => text)];
  return {
    data: await resultsOf(parts, viewer, hits, wanted),
    total: totalOf(found),
    ...(passed(counts, bound) && { total_is_lower_bound: true }),
  };
}

/** What a search matches, and the bound up to which that is exact. */
async function matching(
  question: Question,
  terms?: string,
  exact?: string,
): Promise<Outcome & { readonly bound: number }> {
  const { most } = question.parts;
  if (terms === undefined && exact === undefined) {
    const bound = most * UNRANKED;
    return { ...(await unranked(question, bound)), bound };
  }
  return { ...(await byWords(question, terms, exact, most)), bound: most };
}

function totalOf({ counts }: Outcome): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Whether there are few enough entries for their texts to be read. */
async function isWithin({ db, mostWithin }: SearchParts): Promise<boolean> {
  const [more] = await rows(db, sql`select 1 as found from search_index offset ${mostWithin}::bigint limit 1`);
  return more === undefined;
}

/** Texts whose words every result must hold. */
function exactTexts({ exacts, filters }: Search): string[] {
  return [
    ...exacts.filter(({ negated }) => !negated).map(({ text }) => text),
    ...filters.filter(({ name, negated }) => name === "in_body" && !negated).map(({ value }) => value),
  ];
}

/** Words: items that hold them in their digest first, and all others where these are not more than can be ranked. */
async function byWords(
  question: Question,
  terms: string | undefined,
  exact: string | undefined,
  bound: number,
): Promise<Outcome> {
  const stale = await question.parts.isStale();
  const held = (column: string, query: string | undefined) =>
    query === undefined ? [] : [sql<boolean>`${sql.ref(`search_index.${column}`)} @@ ${query}::tsquery`];
  const isExact = held("words", exact);
  const run = (matches: readonly Condition[][], alone: readonly Match[] = []) => {
    const all = [
      ...matches.map((match) => ({ match: sql.join(match, sql` and `), score: scoreOf("digest", terms) })),
      ...alone,
    ];
    const old = { match: staleMatch(terms), score: scoreOf("document", terms) };
    return pick(question, stale ? [...all, old] : all, bound);
  };
  if ([...question.few.values()].some(({ total }) => total > WALKED) && !stale) {
    const match = sql.join([...held("words", terms), ...isExact], sql` and `);
    const short = await pick(
      { ...question, few: new Map() },
      [{ match, score: scoreOf("digest", terms) }],
      bound,
      WALKED,
    );
    if (short.walked <= WALKED && !passed(short.counts, bound)) return short;
  }
  if (terms !== undefined) {
    const first = await run([[...held("digest", terms), ...isExact]]);
    if (passed(first.counts, bound)) {
      const { search } = question;
      const each = eachOf(search.terms);
      return run(
        [inNames(search.terms), inHeadings(search.terms), terms].map((query) => [...held("digest", query), ...isExact]),
        // Among items that hold a common word, those that hold a rare one would be met by chance alone.
        each.map((term) => ({
          match: sql.join([...held("words", term), ...isExact], sql` and `),
          score: scoreOf("digest", terms),
          rare: Math.ceil(bound / each.length),
        })),
      );
    }
  }
  return run([[...held("words", terms), ...isExact]]);
}

function scoreOf(column: string, terms: string | undefined): RawBuilder<unknown> {
  return terms === undefined ? sql`0::real` : sql`ts_rank(${WEIGHTS}, hit.${sql.ref(column)}, ${terms}::tsquery)`;
}

/** Entries of the first form: they hold words as PostgreSQL splits them, so exact texts are left to the text itself. */
function staleMatch(terms: string | undefined): RawBuilder<unknown> {
  const isOld = sql`search_index.words is null`;
  return terms === undefined ? isOld : sql`${isOld} and search_index.document @@ ${terms}::tsquery`;
}
