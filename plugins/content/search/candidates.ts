/**
 * Candidates of a search: picked through what the viewer may see, up to a bound, by the index of words where the search has
 * any, else by the tables' own indexes; then put in order and counted, in one statement.
 */
import { type RawBuilder, sql, type Viewer, type VisibleIds } from "lectern/core";
import { rows } from "lectern/db";
import { type Condition, exactsOf, tagsOf } from "./conditions.ts";
import type { Few } from "./few.ts";
import { type FilterFacts, filtersOf } from "./filters.ts";
import type { SearchedKind } from "./index_items.ts";
import type { Search } from "./parse.ts";
import type { Hit, ResultParts } from "./results.ts";

/** What searching needs of the runtime. */
export interface SearchParts extends ResultParts {
  /** Candidates that are ranked. */
  readonly most: number;
  /** Entries of the index up to which exact texts are looked for within words, too. */
  readonly mostWithin: number;
  readonly reach: (searched: SearchedKind) => VisibleIds;
  /** Whether there are entries of an earlier form. */
  readonly isStale: () => Promise<boolean>;
}

/** Which page of the results is wanted. */
export interface Paging {
  readonly page: number;
  readonly count: number;
}

/** What a statement found. */
export interface Outcome {
  readonly hits: readonly Hit[];
  /** Candidates by the walk that found them. */
  readonly counts: Readonly<Record<string, number>>;
  /** Entries of the index that were gone through, where that was limited. */
  readonly walked: number;
}

/** A search as its statements need it. */
export interface Question {
  readonly parts: SearchParts;
  readonly viewer: Viewer;
  readonly search: Search;
  readonly facts: FilterFacts;
  readonly kinds: readonly SearchedKind[];
  /** SQL for the only ids the viewer may see, and how many these are, by kind, where they are few. */
  readonly few: ReadonlyMap<string, Few>;
  readonly paging: Paging;
}

/** Larger kinds first where nothing else orders the results (content-api 14). */
export const ORDER = ["bookshelf", "book", "chapter", "page"];
/** What a rare word adds where others of the query are common: more than all of these in a body. */
const RARE = sql`0.1::real`;

/** Whether there are more candidates than were wanted, so that counts are lower bounds. */
export function passed(counts: Outcome["counts"], bound: number): boolean {
  return Object.values(counts).some((count) => count > bound);
}

/** A condition on entries of the index, and how good a hit is. */
export interface Match {
  readonly match: RawBuilder<unknown>;
  readonly score: RawBuilder<unknown>;
  /** So many candidates at most; where there are fewer, what they match is rare and counts more. */
  readonly rare?: number;
}

/**
 * Candidates by the index of words: of all kinds by one walk, but for those of which the viewer sees little. A limited
 * walk counts what it goes through, seen or not, so that one that came to its end is known to be complete.
 */
export function pick(question: Question, matches: readonly Match[], bound: number, most?: number): Promise<Outcome> {
  const { kinds, few, search } = question;
  const entry = (column: string) => sql.ref(`search_index.${column}`);
  const tags = tagsOf(search, entry("kind"), entry("item_id"));
  const limit = search.latest === undefined ? bound + 1 : null;
  const many = kinds.filter(({ kind }) => !few.has(kind.kind));
  const walks = [
    ...(many.length === 0
      ? []
      : [{ kinds: many, among: sql`${entry("kind")} = any(${many.map(({ kind }) => kind.kind)}::text[])` }]),
    ...kinds.flatMap((searched) => {
      const { kind } = searched.kind;
      const ids = few.get(kind)?.ids;
      return ids
        ? [{ kinds: [searched], among: sql`${entry("kind")} = ${kind} and ${entry("item_id")} = any(array(${ids}))` }]
        : [];
    }),
  ];
  const found = walks.flatMap((walk, branch) =>
    matches.map(({ match, score, rare }) => {
      const where = sql.join([walk.among, match, ...tags], sql` and `);
      const seen = sql.join(
        walk.kinds.map((searched) => seenAs(question, searched)),
        sql` union all `,
      );
      // The offset keeps the planner from turning the walk over the candidates into a join with whole tables.
      const found = sql`(select ${branch}::integer as branch, hit.kind, hit.item_id as id, ${score} as score, seen.place, seen.moment
        from (select ${entry("kind")}, ${entry("item_id")}, ${entry("digest")}, ${entry("document")}
          from search_index where ${where}) as hit
        ${most === undefined ? sql`cross` : sql`left`} join lateral (${seen} offset 0) as seen ${most === undefined ? sql`` : sql`on true`}
        limit ${rare ?? (most === undefined ? limit : most + 1)}::bigint)`;
      return rare === undefined ? found : raised(found, rare);
    }),
  );
  const all = sql.join(found, sql` union all `);
  if (matches.length === 1) return outcomeOf(question, all);
  return outcomeOf(
    question,
    sql`select branch, kind, id, max(score) as score, place, moment from (${all}) as twice
      group by branch, kind, id, place, moment`,
  );
}

/** Candidates by one word; that it is rare is known by their being fewer than the limit. */
function raised(found: RawBuilder<unknown>, rare: number): RawBuilder<unknown> {
  return sql`(select branch, kind, id,
      (score + case when count(*) over () < ${rare}::bigint then ${RARE} else 0 end)::real as score, place, moment
    from ${found} as alone)`;
}

/** The row of a candidate, if it is of that kind, wanted and seen by the viewer. */
function seenAs(question: Question, searched: SearchedKind): RawBuilder<unknown> {
  const { parts, viewer, search } = question;
  const { kind, table } = searched.kind;
  const { value: moment, joined } = orderOf(search, searched, sql`hit.item_id`);
  const where = [sql`hit.kind = ${kind}`, sql`${sql.ref(`${table}.id`)} = hit.item_id`, parts.sees(table, viewer)];
  return sql`select ${placeOf(kind)}::integer as place, ${moment} as moment from ${sql.table(table)} ${joined}
    where ${sql.join([...where, ...wantedOf(question, searched)], sql` and `)}`;
}

/** Filters and tags alone: nothing is ranked, so beyond the bound the page of results is read in order. */
export async function unranked(question: Question, bound: number): Promise<Outcome> {
  const { parts, kinds, viewer, search, few, paging } = question;
  const { page, count } = paging;
  const from = (searched: SearchedKind, branch: number, more: RawBuilder<unknown>) => {
    const { kind, table } = searched.kind;
    const id = sql.ref(`${table}.id`);
    const ids = few.get(kind)?.ids;
    const where = [
      parts.sees(table, viewer),
      ...wantedOf(question, searched),
      ...tagsOf(search, sql`${kind}`, id),
      ...(ids ? [sql`${id} = any(array(${ids}))`] : []),
    ];
    const { value: moment, joined } = orderOf(search, searched, id);
    return sql`(select ${branch}::integer as branch, ${kind}::text as kind, ${id} as id, 0::real as score, ${placeOf(kind)}::integer as place,
      ${moment} as moment from ${sql.table(table)} ${joined} where ${sql.join(where, sql` and `)} ${more})`;
  };
  const limit = search.latest === undefined ? bound + 1 : null;
  const union = (more: (searched: SearchedKind) => RawBuilder<unknown>) =>
    sql.join(
      kinds.map((searched, branch) => from(searched, branch, more(searched))),
      sql` union all `,
    );
  const outcome = await outcomeOf(
    question,
    union(() => sql`limit ${limit}::bigint`),
  );
  if (limit === null || !passed(outcome.counts, bound)) return outcome;
  const inOrder = union(({ kind: { table } }) => sql`order by ${sql.ref(`${table}.id`)} limit ${page * count}::bigint`);
  return { ...(await outcomeOf(question, inOrder)), counts: outcome.counts };
}

function wantedOf({ search, facts }: Question, searched: SearchedKind): Condition[] {
  return [...exactsOf(search, searched), ...filtersOf(search, searched, facts)];
}

function placeOf(kind: string): number {
  return ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length;
}

/** What {sort_by:last_commented} orders by. As in the original it leaves only what has comments, which pages alone do. */
function orderOf({ latest }: Search, { kind }: SearchedKind, id: RawBuilder<unknown>) {
  if (latest === undefined) return { value: sql`null::timestamptz`, joined: sql`` };
  const comments = sql`select max(comments.created_at) as moment from comments
    where comments.page_id = ${id} and ${kind.kind} = 'page' having count(*) > 0`;
  return { value: sql`commented.moment`, joined: sql`cross join lateral (${comments}) as commented` };
}

/** Puts candidates in order and counts them, in one statement. */
async function outcomeOf({ parts, paging, search }: Question, found: RawBuilder<unknown>): Promise<Outcome> {
  const { page, count } = paging;
  const order = search.latest === undefined ? sql`` : search.latest === "desc" ? sql`moment desc,` : sql`moment,`;
  const statement = sql<Outcome>`with found as materialized (${found})
    select coalesce((select json_agg(json_build_object('kind', kind, 'id', id)) from (select kind, id from found
        where place is not null order by ${order} score desc, place, id limit ${count}::bigint offset ${(page - 1) * count}::bigint) as picked), '[]') as hits,
      coalesce((select json_object_agg(branch, counted.count) from (select branch, count(place) from found group by branch)
        as counted), '{}') as counts, (select count(*) from found) as walked`;
  const [outcome] = await rows(parts.db, statement);
  return outcome ?? { hits: [], counts: {}, walked: 0 };
}
