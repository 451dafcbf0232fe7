/**
 * The statement of a search by relevance. It runs the scans, keeps the rows that the viewer sees and that match tags, filters and exact
 * texts, scores them, counts them, and answers the best ones with their digests. Its text depends on the number of terms and the
 * conditions alone, so that it is planned once: the scans are rows of a parameter, and a scan of the other column costs nothing.
 */
import { type RawBuilder, type SearchedParts, sql } from "lectern/core";
import { rows } from "lectern/db";
import { kindPosition } from "../candidates.ts";
import { tagConditions } from "../conditions.ts";
import type { SearchedKind, SearchTask } from "../contract.ts";
import { filterConditions } from "../filters.ts";
import type { Branch, Scans } from "./branches.ts";
import type { IndexFigures } from "./frequencies.ts";
import { exactConditions, partsFor } from "./parts.ts";
import { ranksOf } from "./term_query.ts";
import type { Term } from "./terms.ts";

/** Weights of body, headings, tags and name, in the order D, C, B, A of ts_rank. */
const WEIGHTS = sql`'{0.05, 0.2, 0.3, 1.0}'::real[]`;
/** Rank at which a term has half of its effect, for an entry of average length: repetitions add less and less. */
const HALF = 0.05;
/** Rank of a term in the body that the digest does not list. */
const UNLISTED = 0.03;
/** What forms and beginnings of a word count, beside the word. */
const OTHERS = 0.5;

/** An item that was found. */
export interface Candidate {
  readonly kind: string;
  readonly id: number;
  readonly score: number;
  /** The digest of its entry, as text; of the first ones alone. */
  readonly digest?: string;
  readonly words: number;
  /** The terms that it or its parts have, as bits. */
  readonly has: number;
}

/** What a statement found. */
export interface Ranked {
  /** The best first. */
  readonly items: readonly Candidate[];
  /** Items with any of the terms, as far as they were read. */
  readonly total: number;
  /** Rows that each scan read, by its place. */
  readonly read: readonly number[];
  /** The terms that any of the items has, as bits. */
  readonly met: number;
  /** Items that have each term, as far as they were read. */
  readonly having: readonly number[];
}

/** What is to be read. */
export interface Wanted {
  readonly terms: readonly Term[];
  readonly branches: Scans["branches"];
  readonly expected: Scans["expected"];
  readonly figures: IndexFigures;
  /** The first items that are answered with their digests, and how many are answered in all. */
  readonly closely: number;
  readonly all: number;
  readonly order: Order;
}

/** What results are ordered by; by relevance within. */
export type Order = "relevance" | "updated" | "created" | "name";

/** The column of each order, its direction, and the value of kinds that lack it. */
const ORDERS = {
  relevance: undefined,
  updated: { column: "updated_at", direction: sql`desc nulls last`, without: sql`null::timestamptz` },
  created: { column: "created_at", direction: sql`desc nulls last`, without: sql`null::timestamptz` },
  name: { column: "name_key", direction: sql``, without: sql`null::text` },
} as const;

/** The row of an entry, if it is of the kind, matches filters and exact texts and the viewer sees it. */
function seenRow(task: SearchTask, searched: SearchedKind, order: Order): RawBuilder<unknown> {
  const { kind, table, columns } = searched.kind;
  const own = (name: string) => sql.ref(`${table}.${name}`);
  const by = ORDERS[order];
  const moment =
    by === undefined
      ? sql`null::timestamptz`
      : order === "name" || columns.includes(by.column)
        ? own(by.column)
        : by.without;
  const where = [
    task.context.visibleTo(table, task.viewer),
    ...exactConditions(task, searched),
    ...filterConditions(task.search, searched, task.filterContext),
  ];
  return sql`select ${sql.lit(kindPosition(kind))}::integer as place, ${moment} as moment,
      ${columns.includes("updated_at") ? own("updated_at") : sql`null::timestamptz`} as changed
    from ${sql.table(table)} where hit.kind = ${sql.lit(kind)} and ${own("id")} = hit.item_id and ${sql.join(where, sql` and `)}`;
}

/** An entry whose item has a part with the words. */
function isIn({ kind, table, itemColumn, wordsColumn }: SearchedParts): RawBuilder<unknown> {
  const own = (name: string) => sql.ref(`${table}.${name}`);
  return sql`search_index.kind = ${kind}::text and search_index.item_id in (select ${own(itemColumn)} from ${sql.table(table)}
    where ${own(wordsColumn)} @@ branch.query::tsquery)
    and (branch.beside is null or search_index.words @@ branch.beside::tsquery)`;
}

/** Rows whose column matches a branch. */
function matching(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${column} @@ branch.query::tsquery and (branch.beside is null or ${column} @@ branch.beside::tsquery)`;
}

/** Which entries are read at all: of kinds of which the viewer sees few rows, those of these rows, by a hash of their ids. */
function restriction({ kinds, restricted }: SearchTask): {
  allowed: RawBuilder<unknown>;
  isAllowed: RawBuilder<unknown>;
} {
  const few = kinds.flatMap(({ kind: { kind } }) => {
    const found = restricted.get(kind);
    return found ? [{ kind, ids: found.ids }] : [];
  });
  const many = kinds.map(({ kind }) => kind.kind).filter((kind) => !restricted.has(kind));
  const isOfMany = sql`search_index.kind = any(${many}::text[])`;
  if (few.length === 0) return { allowed: sql``, isAllowed: isOfMany };
  const ids = few.map(({ kind, ids }) => sql`select ${kind}::text as kind, few.id from (${ids}) as few(id)`);
  return {
    allowed: sql`allowed as materialized (${sql.join(ids, sql` union all `)}),`,
    isAllowed: sql`(${isOfMany} or (search_index.kind, search_index.item_id) in (select kind, id from allowed))`,
  };
}

/** Runs the scans. */
export async function rankedCandidates(task: SearchTask, wanted: Wanted): Promise<Ranked> {
  const { terms, branches, expected, figures, closely, all } = wanted;
  const seen = sql.join(
    task.kinds.map((searched) => seenRow(task, searched, wanted.order)),
    sql` union all `,
  );
  const { allowed, isAllowed } = restriction(task);
  const conditions = sql.join(
    [isAllowed, ...tagConditions(task.search, sql`search_index.kind`, sql`search_index.item_id`)],
    sql` and `,
  );
  const scan = (
    column: Branch["column"],
    condition: RawBuilder<unknown>,
  ) => sql`(select search_index.kind, search_index.item_id,
      search_index.digest, search_index.word_count, ${column === "rows" ? sql`search_index.words` : sql`null::tsvector`} as words from search_index
    where branch.place = ${sql.lit(column)} and ${condition} and ${conditions})`;
  const scans = [
    scan("words", matching(sql`search_index.words`)),
    // Its words are tested after all that is faster to test, see below.
    scan("rows", sql`search_index.words is not null`),
    scan("digest", matching(sql`search_index.digest`)),
    ...partsFor(task).map((parts) => scan("parts", isIn(parts))),
  ];
  const by = ORDERS[wanted.order];
  const ranks = terms.map((term, at) => {
    const { exact, other } = ranksOf(term);
    const rank = (query: string) => sql`ts_rank(${WEIGHTS}, scanned.digest, ${query}::tsquery)`;
    const sum = other === undefined ? rank(exact) : sql`${rank(exact)} + ${sql.lit(OTHERS)} * ${rank(other)}`;
    return sql`case when scanned.has & ${sql.lit(1 << at)} <> 0 then greatest(${sum}, ${sql.lit(UNLISTED)}) else ${sum} end
      as ${sql.ref(`rank_${at}`)}`;
  });
  const names = terms.map((_, at) => sql.ref(`rank_${at}`));
  const perTerm = (make: (name: RawBuilder<unknown>, at: number) => RawBuilder<unknown>) => sql.join(names.map(make));
  const inverse = (at: number) => sql`ln(1 + (figures.entries - figures.${sql.ref(`having_${at}`)} + 0.5)
      / (figures.${sql.ref(`having_${at}`)} + 0.5))`;
  const score = sql.join(
    names.map((name, at) => sql`${inverse(at)} * ${name} / (${name} + ${sql.lit(HALF)} * item.length)`),
    sql` + `,
  );
  // A template: its scans, columns and conditions are those of the search and of contributed kinds.
  const [found] = await rows<Ranked>(
    task.context.db,
    sql`with ${allowed} scanned as materialized (
        select branch.n, branch.has, hit.* from unnest(${branches.map(({ query }) => query)}::text[],
            ${branches.map(({ column }) => column)}::text[], ${branches.map(({ has }) => has)}::integer[],
            ${branches.map(({ most }) => most)}::integer[], ${branches.map(({ beside = null }) => beside)}::text[])
              with ordinality as branch(query, place, has, most, beside, n)
          cross join lateral (select hit.kind, hit.item_id, hit.digest, hit.word_count, hit.place, hit.moment, hit.changed
            from (select hit.*, seen.* from (${sql.join(scans, sql` union all `)}) as hit cross join lateral (${seen} offset 0) as seen
              offset 0) as hit
            where hit.words is null or hit.words @@ branch.query::tsquery limit branch.most) as hit),
      item as materialized (
        select kind, item_id, max(place) as place, max(moment) as moment, max(changed) as changed,
          0.5 + 0.5 * least(4, coalesce(max(word_count), 0) / ${figures.length}::float8) as length,
          max(word_count) as words, bit_or(has) as has, ${perTerm((name) => sql`max(${name}) as ${name}`)}
        from (select kind, item_id, place, moment, changed, word_count, has, ${sql.join(ranks)} from scanned) as each
        group by kind, item_id),
      figures as materialized (
        select greatest(${figures.entries}::float8, count(*)) as entries, count(*) as total,
          ${sql.join(names.map((name, at) => sql`greatest(count(*) filter (where ${name} > 0), ${Math.min(expected[at] ?? 0, figures.entries)}::float8) as ${sql.ref(`having_${at}`)}`))}
        from item),
      best as (select item.kind, item.item_id, item.words, item.has, ${score} as score,
          row_number() over (order by ${by === undefined ? sql`` : sql`item.moment ${by.direction},`} ${score} desc, item.changed desc, item.place, item.item_id) as n
        from item cross join figures)
      select coalesce((select json_agg(json_build_object('kind', best.kind, 'id', best.item_id, 'score', best.score,
            'words', coalesce(best.words, 0), 'has', best.has, 'digest', case when best.n <= ${closely}::integer then
              (select search_index.digest::text from search_index
                where search_index.kind = best.kind and search_index.item_id = best.item_id) end) order by best.n)
          from best where best.n <= ${all}::integer), '[]') as items,
        (select total from figures)::integer as total, (select coalesce(bit_or(has), 0) from item)::integer as met,
        array(select (select count(*) from scanned where scanned.n = branch.n)::integer
          from generate_series(1, ${branches.length}::integer) as branch(n) order by branch.n) as read,
        (select array[${sql.join(names.map((_, at) => sql.ref(`having_${at}`)))}]::float8[] from figures) as having`,
  );
  return found ?? { items: [], total: 0, met: 0, read: [], having: [] };
}
