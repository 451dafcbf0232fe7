/**
 * Selects the candidates of a search among the rows that the viewer sees, up to a bound: through the search index if the
 * query has words, else through the indexes of the tables. The same statement orders and counts them. It is a template, since
 * its branches, tables and conditions are those of the search and of contributed kinds.
 */
import { type RawBuilder, sql } from "lectern/core";
import { flattened, rows } from "lectern/db";
import { anyTextCondition, type Condition, exactTextConditions, isNamed, tagConditions } from "./conditions.ts";
import type { SearchedKind, SearchTask } from "./contract.ts";
import { filterConditions } from "./filters.ts";
import type { Hit } from "./presenter.ts";

/** The result of a statement. */
export interface Candidates {
  /** The page of results. */
  readonly hits: readonly Hit[];
  /** Number of candidates by scan. */
  readonly counts: Readonly<Record<string, number>>;
  /** Number of index entries that were scanned, visible or not; meaningful for a limited scan. */
  readonly scanned: number;
}

/** The order of kinds among results of equal score (content-api 14). */
export const KIND_ORDER = ["bookshelf", "book", "chapter", "page"];
/** Score that a rare word adds: more than all common words of a query in a body together. */
const RARE_BONUS = sql`0.1::real`;

/**
 * Score of an item whose name is the query: more than any other, and the same for every kind, so that books and chapters come before
 * pages of their name, whose bodies often repeat it.
 */
const NAMED_SCORE = sql`10::real`;

/** Columns of index entries, and what is read of those that match. */
const ENTRY = { kind: flattened(sql.ref("search_index.kind")), id: flattened(sql.ref("search_index.item_id")) };
const ENTRIES = flattened(
  sql`select search_index.kind, search_index.item_id, search_index.digest, search_index.document from search_index`,
);

/** SQL for the row that an entry is of, by kind. */
const ROWS_OF_HITS = new WeakMap<SearchedKind, RawBuilder<unknown>>();

/** Whether a scan found more candidates than the bound, so that counts are lower bounds. */
export function exceeds(counts: Candidates["counts"], bound: number): boolean {
  return Object.values(counts).some((count) => count > bound);
}

/** A condition on index entries, with the score of a match. */
export interface IndexMatch {
  readonly condition: RawBuilder<unknown>;
  /** Of the entries that match, those are candidates whose item has one of these texts; undefined if all are. */
  readonly texts?: readonly string[] | undefined;
  readonly score: RawBuilder<unknown>;
  /** Maximum number of candidates; if there are fewer, the word is rare and adds `RARE_BONUS`. */
  readonly rare?: number;
}

/**
 * Candidates by the search index: one scan for all kinds, and one for each kind of which the viewer sees few rows. With
 * `maxScanned`, a scan ends after that many entries, visible or not; it was complete if it counts no more than that.
 */
export function indexedCandidates(
  task: SearchTask,
  matches: readonly IndexMatch[],
  bound: number,
  maxScanned?: number,
): Promise<Candidates> {
  const { kinds, restricted, search } = task;
  const tags = tagConditions(search, ENTRY.kind, ENTRY.id);
  const limit = search.latest === undefined ? bound + 1 : null;
  const unrestricted = kinds.filter(({ kind }) => !restricted.has(kind.kind));
  const scans = [
    ...(unrestricted.length === 0
      ? []
      : [
          {
            kinds: unrestricted,
            among: sql`${ENTRY.kind} = any(${unrestricted.map(({ kind }) => kind.kind)}::text[])`,
          },
        ]),
    ...kinds.flatMap((searched) => {
      const { kind } = searched.kind;
      const ids = restricted.get(kind)?.ids;
      return ids
        ? [{ kinds: [searched], among: sql`${ENTRY.kind} = ${kind} and ${ENTRY.id} = any(array(${ids}))` }]
        : [];
    }),
  ];
  const found = scans.flatMap((scan, branch) =>
    matches.map(({ condition, texts, score, rare }) => {
      const where = sql.join([scan.among, condition, ...tags], sql` and `);
      const seen = visibleRows(task, scan.kinds, texts);
      // `offset 0` keeps the planner from replacing the lateral subquery by a join with whole tables.
      const found = sql`(select ${branch}::integer as branch, hit.kind, hit.item_id as id,
          case when ${isNamed(search, sql`seen.name`)} then ${NAMED_SCORE} else ${score} end as score, seen.place, seen.moment
        from (${ENTRIES} where ${where}) as hit
        ${maxScanned === undefined ? sql`cross` : sql`left`} join lateral (${seen} offset 0) as seen
          ${maxScanned === undefined ? sql`` : sql`on true`}
        limit ${rare ?? (maxScanned === undefined ? limit : maxScanned + 1)}::bigint)`;
      return rare === undefined ? found : withRareBonus(found, rare);
    }),
  );
  const all = sql.join(found, sql` union all `);
  if (matches.length === 1) return orderAndCount(task, all);
  return orderAndCount(
    task,
    sql`select branch, kind, id, max(score) as score, place, moment from (${all}) as twice
      group by branch, kind, id, place, moment`,
  );
}

/** Condition on index entries: items of the shipped kinds whose name is the query. Those of others may have no index by name. */
export function namedEntries({ kinds, search }: SearchTask): RawBuilder<unknown> | undefined {
  const named = kinds.flatMap(({ kind: { kind, table } }) =>
    KIND_ORDER.includes(kind)
      ? [
          sql`select ${kind}::text as kind, ${sql.ref(`${table}.id`)} as id from ${sql.table(table)}
            where ${sql.ref(`${table}.name_key`)} = (select text_key(${search.typed}::text))`,
        ]
      : [],
  );
  if (named.length === 0) return undefined;
  return sql`(search_index.kind, search_index.item_id) in (${sql.join(named, sql` union all `)})`;
}

/** The hits of another engine: three lists of one length. */
export interface EngineHits {
  readonly kinds: readonly string[];
  readonly ids: readonly number[];
  /** SQL for their scores. */
  readonly scores: RawBuilder<unknown>;
}

/** Candidates among the hits of another engine, which keep its scores. */
export function engineCandidates(task: SearchTask, { kinds, ids, scores }: EngineHits): Promise<Candidates> {
  const tags = tagConditions(task.search, sql`hit.kind`, sql`hit.item_id`);
  const seen = visibleRows(task, task.kinds);
  return orderAndCount(
    task,
    sql`select 0::integer as branch, hit.kind, hit.item_id as id, hit.score, seen.place, seen.moment
      from unnest(${[...kinds]}::text[], ${[...ids]}::integer[], ${scores}) as hit(kind, item_id, score)
      cross join lateral (${seen} offset 0) as seen
      where ${sql.join([sql`true`, ...tags], sql` and `)}`,
  );
}

/** Adds the bonus to candidates of one word if they are fewer than the limit. */
function withRareBonus(found: RawBuilder<unknown>, rare: number): RawBuilder<unknown> {
  return sql`(select branch, kind, id,
      (score + case when score < ${NAMED_SCORE} and count(*) over () < ${rare}::bigint then ${RARE_BONUS} else 0 end)::real as score,
      place, moment
    from ${found} as alone)`;
}

/**
 * The row of a candidate of one of the kinds, if it matches the conditions, has one of the texts and is visible to the viewer. It has
 * the name, so that the statement compares that with the query in one place for all kinds, which planning takes time for.
 */
function visibleRows(task: SearchTask, kinds: readonly SearchedKind[], texts?: readonly string[]): RawBuilder<unknown> {
  const { context, viewer } = task;
  const rows = kinds.map((searched) => {
    const where = [
      context.visibleTo(searched.kind.table, viewer),
      ...conditionsOf(task, searched),
      ...(texts ? [anyTextCondition(texts, searched)] : []),
    ];
    return sql`${rowOfHit(task, searched)} and ${sql.join(where, sql` and `)}`;
  });
  return sql.join(rows, sql` union all `);
}

/** The row that an entry is of, by kind; without a further order it is the same for all searches, and flattened once. */
function rowOfHit(task: SearchTask, searched: SearchedKind): RawBuilder<unknown> {
  const known = task.search.latest === undefined ? ROWS_OF_HITS.get(searched) : undefined;
  if (known) return known;
  const { kind, table } = searched.kind;
  const { value: moment, joined } = orderOf(task, searched, sql`hit.item_id`);
  const row = sql`select ${sql.lit(kindPosition(kind))}::integer as place, ${moment} as moment, ${sql.ref(`${table}.name`)}
    from ${sql.table(table)} ${joined} where hit.kind = ${sql.lit(kind)} and ${sql.ref(`${table}.id`)} = hit.item_id`;
  if (task.search.latest !== undefined) return row;
  const flat = flattened(row);
  ROWS_OF_HITS.set(searched, flat);
  return flat;
}

/** Candidates by filters, tags and exact texts only. Nothing is ranked, so beyond the bound the page is read in order of id. */
export async function unrankedCandidates(task: SearchTask, bound: number): Promise<Candidates> {
  const { context, kinds, viewer, search, restricted, paging } = task;
  const { page, count } = paging;
  const from = (searched: SearchedKind, branch: number, more: RawBuilder<unknown>) => {
    const { kind, table } = searched.kind;
    const id = sql.ref(`${table}.id`);
    const ids = restricted.get(kind)?.ids;
    const where = [
      context.visibleTo(table, viewer),
      ...conditionsOf(task, searched),
      ...tagConditions(search, sql`${kind}`, id),
      ...(ids ? [sql`${id} = any(array(${ids}))`] : []),
    ];
    const { joined, ...by } = orderOf(task, searched, id);
    const moment = task.order && search.latest === undefined ? columnOf(task.order, searched) : by.value;
    return sql`(select ${branch}::integer as branch, ${kind}::text as kind, ${id} as id, 0::real as score,
      ${kindPosition(kind)}::integer as place,
      ${moment} as moment from ${sql.table(table)} ${joined} where ${sql.join(where, sql` and `)} ${more})`;
  };
  const limit = search.latest === undefined ? bound + 1 : null;
  const union = (more: (searched: SearchedKind) => RawBuilder<unknown>) =>
    sql.join(
      kinds.map((searched, branch) => from(searched, branch, more(searched))),
      sql` union all `,
    );
  const candidates = await orderAndCount(
    task,
    union(() => sql`limit ${limit}::bigint`),
  );
  if (limit === null || !exceeds(candidates.counts, bound)) return candidates;
  const first = task.order === undefined ? sql`` : sql`${directed(task.order)},`;
  const inOrder = union(
    ({ kind: { table } }) => sql`order by ${first} ${sql.ref(`${table}.id`)} limit ${page * count}::bigint`,
  );
  return { ...(await orderAndCount(task, inOrder)), counts: candidates.counts };
}

/** Conditions on the rows of a kind: exact texts and filters. */
export function conditionsOf({ search, filterContext }: SearchTask, searched: SearchedKind): Condition[] {
  return [...exactTextConditions(search, searched), ...filterConditions(search, searched, filterContext)];
}

/** The place of a kind among results that rank the same. */
export function kindPosition(kind: string): number {
  return KIND_ORDER.includes(kind) ? KIND_ORDER.indexOf(kind) : KIND_ORDER.length;
}

/** No further order, as in most searches. */
const UNORDERED = { value: flattened(sql`null::timestamptz`), joined: flattened(sql``) };

/** The value that {sort_by:last_commented} orders by. As in BookStack, only pages with comments are found then. */
function orderOf({ context, search: { latest } }: SearchTask, { kind }: SearchedKind, id: RawBuilder<unknown>) {
  if (latest === undefined) return UNORDERED;
  if (!context.hasTable("comments"))
    return { value: sql`null::timestamptz`, joined: sql`cross join (select where false) as none` };
  const comments = sql`select max(comments.created_at) as moment from comments
    where comments.page_id = ${id} and ${kind.kind} = 'page' having count(*) > 0`;
  return { value: sql`commented.moment`, joined: sql`cross join lateral (${comments}) as commented` };
}

/** The column that items without a rank are ordered by; null of kinds that lack it. */
function columnOf(order: NonNullable<SearchTask["order"]>, { kind: { columns, table } }: SearchedKind) {
  if (order === "name") return sql.ref(`${table}.name_key`);
  const column = `${order}_at`;
  return columns.includes(column) ? sql.ref(`${table}.${column}`) : sql`null::timestamptz`;
}

/** Names from A to Z, times from the last one. */
function directed(order: NonNullable<SearchTask["order"]>): RawBuilder<unknown> {
  return order === "name" ? sql`moment` : sql`moment desc nulls last`;
}

/** Orders and counts candidates in one statement. */
async function orderAndCount(
  { context, paging, search, order: by }: SearchTask,
  found: RawBuilder<unknown>,
): Promise<Candidates> {
  const { page, count } = paging;
  const without = by === undefined ? sql`` : sql`${directed(by)},`;
  const order = search.latest === undefined ? without : search.latest === "desc" ? sql`moment desc,` : sql`moment,`;
  const statement = sql<Candidates>`with found as materialized (${found})
    select coalesce((select json_agg(json_build_object('kind', kind, 'id', id)) from (select kind, id from found
        where place is not null order by ${order} score desc, place, id
        limit ${count}::bigint offset ${(page - 1) * count}::bigint) as picked), '[]') as hits,
      coalesce((select json_object_agg(branch, counted.count) from (select branch, count(place) from found group by branch)
        as counted), '{}') as counts, (select count(*) from found) as scanned`;
  const [candidates] = await rows(context.db, statement);
  return candidates ?? { hits: [], counts: {}, scanned: 0 };
}
