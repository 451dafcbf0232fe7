/**
 * The statement that finds items by their names while somebody types. Names are compared by their keys (`text_key` of core), so case and
 * accents make no difference. There are three ranks: names that begin with the text, then names with a word that begins with it, then
 * names that contain all its words in any order. Within each the viewer's recently opened items come first, the last one first, then names
 * in order. A rank is read only where those before it have too few: a condition on a subselect is checked before the scan below it begins.
 *
 * Names that begin with a text are a range of the index by name. For words within names two ways are combined, as neither is fast for all
 * words: the first `WALKED` names in order, where common words and parts of words are found at once, then the trigrams of names, which lead
 * to rare ones. Of words that are common, and by chance rare among the first names, `CANDIDATES` are ordered, and not all. Where the viewer sees few rows of
 * a kind, these are read instead: a scan of names would skip too many hidden ones.
 *
 * It is a template, as its tables and conditions are those of the kinds and the viewer. What was typed is a parameter, and patterns are
 * subselects over it, so that the store plans the statement once: with patterns at hand it would plan for each text, which takes longer than
 * the answer.
 */
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { hasSigns, signsOf } from "lectern/db";
import { KIND_ORDER } from "./candidates.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { MAX_WORDS, SHORT_CHARS } from "./suggestions_text.ts";

/** What a statement depends on beside its parameters. */
export interface SuggestionShape {
  /** Number of words; 0 for one that asks for recently opened items alone. */
  readonly words: number;
  /** Whether all names are searched. */
  readonly isEnough: boolean;
  /** See `TypedText.isUnspaced`. */
  readonly isUnspaced: boolean;
  /** Whether names that contain the words are those with a word that begins with the text. */
  readonly isWhole: boolean;
}

/** Who asks for what. */
export interface SuggestionSearch {
  readonly context: Pick<SearchContext, "visibleTo">;
  readonly viewer: Viewer;
  readonly kinds: readonly SearchedKind[];
  /** SQL for the ids that the viewer sees, of kinds of which these are few. */
  readonly few: ReadonlyMap<string, RawBuilder<unknown>>;
  readonly shape: SuggestionShape;
}

/** Stand for the parameters in the template of a statement: the text, its words, and how many items are wanted. */
export const PARAMETERS = {
  text: {},
  words: Array.from({ length: MAX_WORDS }, () => ({})),
  count: {},
} as const;

/** Views of the viewer that are looked at for recently opened items. */
const RECENT = sql.lit(100);
/** Names of a kind that are read in order for a word within names. */
const WALKED = sql.lit(1_000);
/** Names of a kind that are found by trigrams and ordered. */
const CANDIDATES = sql.lit(500);
/** Follows all texts in the order of keys. */
const LAST = sql`chr(1114111)`;
/** A key as a part of a regular expression, in which ASCII signs may have a meaning. Keys have no backslash. */
const ESCAPED = sql`regexp_replace(key, '[!-@]', '\\\\\\&', 'g')`;
/**
 * What is before a word, in keys: a sign or blank, whose keys are these. No key has digits, and a class with them would keep trigrams from
 * saying where a word begins.
 */
const BEFORE_WORD = "[ -/:-@]";
const SHORT = sql.lit(SHORT_CHARS);
const COUNT = sql`${PARAMETERS.count}::bigint`;
/** A row that begins and is within a name is in two ranks. */
const TWICE = sql`2 * ${COUNT}`;

/** The best items, in order: rows of `kind`, `id` and `viewed_at`. */
export function suggestionStatement(search: SuggestionSearch): RawBuilder<unknown> {
  const parts = { recent: recentItems(search), ...(search.shape.isEnough && ranks(search)) };
  const named = Object.entries(parts).map(([name, part]) => sql`${sql.id(name)} as materialized (${part})`);
  const all = Object.keys(parts).map((name) => sql`select * from ${sql.id(name)}`);
  return sql`with typed as materialized (${patterns(search.shape)}), ${sql.join(named)}
    select kind, id, max(viewed_at) as viewed_at from (${sql.join(all, sql` union all `)}) as each where rank is not null
      group by kind, id order by min(rank), max(viewed_at) desc nulls last, min(name_key), min(place), id limit ${COUNT}`;
}

/** The row of patterns: the key of the text and what follows it, and the keys of its words and regular expressions for them, over keys. */
function patterns({ words, isUnspaced }: SuggestionShape): RawBuilder<unknown> {
  const keyOf = (part: object) => sql`(select text_key(${part}::text) as key) as part`;
  const wordOf = (word: object) =>
    isUnspaced
      ? sql`(select ${ESCAPED} from ${keyOf(word)})`
      : sql`(select case when char_length(key) < ${SHORT} then ${sql.lit(`(^|${BEFORE_WORD})`)} else '' end || ${ESCAPED} from ${keyOf(word)})`;
  const more = PARAMETERS.words
    .slice(0, words)
    .map(
      (word, at) =>
        sql`, (select key from ${keyOf(word)}) as ${sql.id(`key${at}`)}, ${wordOf(word)} as ${sql.id(`word${at}`)}`,
    );
  const within = isUnspaced ? ESCAPED : sql`${sql.lit(BEFORE_WORD)} || ${ESCAPED}`;
  return sql`select key, key || ${LAST} as until, ${within} as within, ${signsOf(sql`key`)} as signs ${sql.join(more, sql` `)}
    from ${keyOf(PARAMETERS.text)}`;
}

const typed = (name: string) => sql`(select ${sql.id(name)} from typed)`;

/** Conditions on the rows of a kind, and their order. */
function conditionsOf({ context, shape, viewer }: SuggestionSearch, { kind: { table } }: SearchedKind) {
  const key = sql.ref(`${table}.name_key`);
  const places = Array.from({ length: shape.words }, (_, at) => at);
  const words = places.map((at) => sql`${key} ~ ${typed(`word${at}`)}`);
  const parts = places.map((at) => sql`position(${typed(`key${at}`)} in ${key}) > 0`);
  const matching = places.map((at) => sql`${key} || '' ~ ${typed(`word${at}`)}`);
  return {
    key,
    /** As `containing`, for rows that are read one by one: a word that they lack leaves them out, and no trigrams are read for them. */
    scanned: sql.join([sql`true`, ...parts, ...matching], sql` and `),
    begins: sql`${key} >= ${typed("key")} and ${key} < ${typed("until")}`,
    within: sql`${key} ~ ${typed("within")}`,
    containing: sql.join([sql`true`, ...words], sql` and `),
    seen: context.visibleTo(table, viewer),
    present: sql`${sql.ref(`${table}.deleted_at`)} is null`,
    byName: sql`order by ${key}, ${sql.ref(`${table}.id`)}`,
  };
}

function columnsOf({ kind: { kind, table } }: SearchedKind, rank: RawBuilder<unknown>, viewed?: RawBuilder<unknown>) {
  return sql`${sql.lit(kind)}::text as kind, ${sql.ref(`${table}.id`)} as id, ${rank} as rank,
    ${viewed ?? sql`null`}::timestamptz as viewed_at, ${sql.ref(`${table}.name_key`)} as name_key,
    ${sql.lit(KIND_ORDER.indexOf(kind))}::integer as place`;
}

/** The rank of a row that is read in no order; null for none. */
function rankOf(search: SuggestionSearch, searched: SearchedKind): RawBuilder<unknown> {
  if (search.shape.words === 0) return sql`0`;
  const { begins, containing, within } = conditionsOf(search, searched);
  return sql`case when ${begins} then 0 when ${within} then 1 when ${containing} then 2 end`;
}

/** Recently opened items. */
function recentItems(search: SuggestionSearch): RawBuilder<unknown> {
  const { kinds, viewer } = search;
  const each = kinds.map((searched) => {
    const { kind, table } = searched.kind;
    const { scanned, seen } = conditionsOf(search, searched);
    return sql`select ${columnsOf(searched, rankOf(search, searched), sql`viewed.viewed_at`)} from viewed
      join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = viewed.item_id
      where viewed.kind = ${sql.lit(kind)} and ${scanned} and ${seen}`;
  });
  return sql`with viewed as materialized (select item_views.kind, item_views.item_id, item_views.viewed_at from item_views
      where item_views.user_id = ${viewer.id}::integer order by item_views.viewed_at desc limit ${RECENT})
    ${sql.join(each, sql` union all `)}`;
}

/** The rows of each rank, by the names of the parts of the statement, each of which reads nothing where those before it have enough. */
function ranks(search: SuggestionSearch): Record<string, RawBuilder<unknown>> {
  const { few, kinds, shape } = search;
  const many = kinds.filter(({ kind }) => !few.has(kind.kind));
  const each = (part: (searched: SearchedKind) => RawBuilder<unknown>) => unionOf(many.map(part));
  /** Whether parts of the statement have too few items. */
  const lacks = (...parts: readonly RawBuilder<unknown>[]) =>
    sql`(select count(*) < ${COUNT} from (${sql.join(parts, sql` union `)}) as enough)`;
  const begun = sql`select kind, id from begun`;
  const signs = ({ kind: { table } }: SearchedKind) => {
    const key = sql.ref(`${table}.name_key`);
    return shape.isUnspaced ? sql`and ${hasSigns(key)} and ${signsOf(key)} @> ${typed("signs")}` : sql``;
  };
  return {
    seen: unionOf(kinds.filter(({ kind }) => few.has(kind.kind)).map((searched) => fewItems(search, searched))),
    begun: each((searched) => {
      const { begins, byName, present, seen } = conditionsOf(search, searched);
      return sql`(select ${columnsOf(searched, sql`0`)} from ${sql.table(searched.kind.table)}
        where ${present} and ${begins} and ${seen} ${byName} limit ${COUNT})`;
    }),
    walked: each((searched) => {
      const { byName, present, scanned, seen, within } = conditionsOf(search, searched);
      const table = sql.table(searched.kind.table);
      const own = (name: string) => sql.ref(`${searched.kind.table}.${name}`);
      const named = sql`select ${own("id")}, ${own("name_key")} from ${table} where ${lacks(begun)} and ${present} ${byName} limit ${WALKED}`;
      // The first names are read from their index alone, under the name of the table, to which the conditions belong.
      const first = sql`select ${own("id")} from (${named}) as ${table} where ${scanned} ${shape.isWhole ? sql`and ${within}` : sql``}`;
      return sql`(select ${columnsOf(searched, shape.isWhole ? sql`1` : sql`case when ${within} then 1 else 2 end`)} from (${first} offset 0) as first
        join ${table} on ${own("id")} = first.id where ${seen} ${byName} limit ${TWICE})`;
    }),
    // Rows with the words of a text of several have them in its order for a part: one scan finds both, as each word that is short has many.
    ...(shape.words < 2 && {
      within: each((searched) => {
        const { present, seen, within } = conditionsOf(search, searched);
        const walked = sql`select kind, id from walked where kind = ${sql.lit(searched.kind.kind)} and rank = 1`;
        return sql`(select * from (select ${columnsOf(searched, sql`1`)} from ${sql.table(searched.kind.table)}
          where ${lacks(begun, walked)} and ${present} and ${seen} and ${within} ${signs(searched)} limit ${CANDIDATES}) as candidate
          order by name_key, id limit ${TWICE})`;
      }),
    }),
    ...(!shape.isWhole && {
      containing: each((searched) => {
        const { containing, present, seen, within } = conditionsOf(search, searched);
        const known = shape.words < 2 ? sql`select kind, id from within` : begun;
        // Of other kinds than this one the first names may be further ones in order.
        const walked = sql`select kind, id from walked where kind = ${sql.lit(searched.kind.kind)} or rank = 1`;
        return sql`(select ${columnsOf(searched, sql`case when ${within} then 1 else 2 end`)} from ${sql.table(searched.kind.table)}
          where ${lacks(begun, walked, known)} and ${present} and ${seen} and ${containing} ${signs(searched)}
          limit ${CANDIDATES})`;
      }),
    }),
  };
}

/** The rows that the viewer sees of a kind of which these are few. */
function fewItems(search: SuggestionSearch, searched: SearchedKind): RawBuilder<unknown> {
  const { kind, table } = searched.kind;
  const { scanned, seen } = conditionsOf(search, searched);
  return sql`select ${columnsOf(searched, rankOf(search, searched))} from ${sql.table(table)}
    where ${sql.ref(`${table}.id`)} = any(array(${search.few.get(kind)})) and ${scanned} and ${seen}`;
}

function unionOf(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  if (parts.length > 0) return sql.join(parts, sql` union all `);
  return sql`select null::text as kind, null::integer as id, 0 as rank, null::timestamptz as viewed_at, null::text as name_key,
    0 as place where false`;
}
