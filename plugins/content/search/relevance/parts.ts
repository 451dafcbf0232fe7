/**
 * Parts of items that are found with them, such as the texts of attached files (slot `searched_parts`). Who sees an item sees its parts,
 * so that only those of items that were found are read. Exact texts are looked for in the item and in each part by itself.
 */
import { callContribution, type SearchedParts, sql } from "lectern/core";
import { rows } from "lectern/db";
import { type Condition, contains, exactTextConditions } from "../conditions.ts";
import type { SearchedKind, SearchTask } from "../contract.ts";
import type { SearchQuery } from "../parse_query.ts";
import type { Hit } from "../presenter.ts";
import { allWords } from "../tsquery.ts";
import { passagesOf } from "./passages.ts";
import type { Weighing } from "./rerank.ts";
import { queryOf } from "./term_query.ts";

/** Parts that are shown of an item. */
const MOST = 3;
/** Characters of the text of a part that are read from shortly before its first word. */
const EXCERPT = 6_000;
/** Characters of it before that word. */
const BEFORE = 500;

/** A part with hits, as answers show it. */
export interface FoundPart {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** As HTML. */
  readonly passages: string[];
}

/** The parts of the kinds that are searched. */
export function partsFor({ context, kinds }: Pick<SearchTask, "context" | "kinds">): SearchedParts[] {
  return context.parts().filter((parts) => kinds.some(({ kind }) => kind.kind === parts.kind));
}

/** Queries for parts that may have an exact text of a search, one for each text with words. */
export function exactQueries({ exacts }: SearchQuery): string[] {
  return exacts.flatMap(({ text, negated }) => (negated ? [] : (allWords([text]) ?? [])));
}

/** Each exact text has to be in the item or in one of its parts; those that are not wanted are looked for in the item. */
export function exactConditions(task: SearchTask, searched: SearchedKind): Condition[] {
  const { exacts } = task.search;
  const inItem = exactTextConditions(task.search, searched);
  const ofKind = partsFor(task).filter(({ kind }) => kind === searched.kind.kind);
  return inItem.map((condition, at) => {
    const { text = "", negated = true } = exacts[at] ?? {};
    if (negated) return condition;
    const inParts = ofKind.flatMap((parts) => {
      const item = sql`${sql.ref(`${parts.table}.${parts.itemColumn}`)} = ${sql.ref(`${searched.kind.table}.id`)}`;
      const has = hasExact(parts, text);
      return has ? [sql<boolean>`exists (select from ${sql.table(parts.table)} where ${item} and ${has})`] : [];
    });
    return sql<boolean>`(${sql.join([condition, ...inParts], sql` or `)})`;
  });
}

/** A part has an exact text; undefined for a text without words. */
function hasExact({ table, nameColumn, textColumn, wordsColumn }: SearchedParts, text: string): Condition | undefined {
  const words = allWords([text]);
  if (words === undefined) return undefined;
  const own = (name: string) => sql.ref(`${table}.${name}`);
  return sql<boolean>`(${own(wordsColumn)} @@ ${words}::tsquery
    and (${contains(own(nameColumn), text)} or ${contains(own(textColumn), text)}))`;
}

/** The parts with any of the terms, of which the first `free` match alone, or any exact text, by kind and id of the item. */
export async function matchingParts(
  task: SearchTask,
  items: readonly Hit[],
  { terms, inverse }: Weighing,
  free: number,
): Promise<Map<string, FoundPart[]>> {
  const found = new Map<string, FoundPart[]>();
  const query = terms
    .slice(0, free)
    .map((term) => queryOf(term))
    .join(" | ");
  const wanted = task.search.exacts.filter(({ negated }) => !negated).map(({ text }) => text);
  const words = terms.flatMap(({ alternatives }) => alternatives.map(({ word }) => word));
  for (const parts of partsFor(task)) {
    const ids = items.filter(({ kind }) => kind === parts.kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const own = (name: string) => sql.ref(`${parts.table}.${name}`);
    const hits = [
      ...(query === "" ? [] : [sql`${own(parts.wordsColumn)} @@ ${query}::tsquery`]),
      ...wanted.flatMap((text) => hasExact(parts, text) ?? []),
    ];
    if (hits.length === 0) continue;
    // A template: the table is that of another plugin.
    const matching = await rows<{ id: number; item: number; name: string; excerpt: string | null }>(
      task.context.db,
      sql`select id, item, name, substr(body, greatest(1, coalesce(place, 1) - ${BEFORE}::integer), ${EXCERPT}::integer) as excerpt
        from (select part.*, (select min(nullif(position(word in lower(part.body)), 0)) from unnest(${words}::text[]) as word) as place
          from (select ${own(parts.idColumn)} as id, ${own(parts.itemColumn)} as item, ${own(parts.nameColumn)} as name,
              ${own(parts.textColumn)} as body, row_number() over (partition by ${own(parts.itemColumn)} order by ${own(parts.idColumn)}) as n
            from ${sql.table(parts.table)} where ${own(parts.itemColumn)} = any(${ids}::integer[])
              and (${sql.join(hits, sql` or `)})) as part
          where n <= ${MOST}::integer) as placed order by item, id`,
    );
    for (const { id, item, name, excerpt } of matching) {
      const url = await callContribution(parts, ({ url }) => url(id));
      if (url === undefined) continue;
      const key = `${parts.kind} ${item}`;
      const passages = excerpt === null ? [] : passagesOf(excerpt, terms, inverse);
      found.set(key, [...(found.get(key) ?? []), { id, name, url, passages }]);
    }
  }
  return found;
}
