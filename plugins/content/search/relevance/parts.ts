/**
 * Parts of items that are found with them, such as the texts of attached files (slot `searched_parts`). Who sees an item sees its parts,
 * so that only those of items that were found are read.
 */
import { callContribution, type SearchedParts, sql } from "lectern/core";
import { rows } from "lectern/db";
import type { SearchTask } from "../contract.ts";
import type { Hit } from "../presenter.ts";
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

/** The parts of the kinds that are searched. A search for exact texts finds none, since they are looked for in the items alone. */
export function partsFor({ context, kinds, search }: SearchTask): SearchedParts[] {
  if (search.exacts.some(({ negated }) => !negated)) return [];
  return context.parts().filter((parts) => kinds.some(({ kind }) => kind.kind === parts.kind));
}

/** The parts with any of the terms, by kind and id of the item. */
export async function matchingParts(
  task: SearchTask,
  items: readonly Hit[],
  { terms, inverse }: Weighing,
): Promise<Map<string, FoundPart[]>> {
  const found = new Map<string, FoundPart[]>();
  const query = terms.map((term) => queryOf(term)).join(" | ");
  const words = terms.flatMap(({ alternatives }) => alternatives.map(({ word }) => word));
  for (const parts of partsFor(task)) {
    const ids = items.filter(({ kind }) => kind === parts.kind).map(({ id }) => id);
    if (ids.length === 0) continue;
    const own = (name: string) => sql.ref(`${parts.table}.${name}`);
    // A template: the table is that of another plugin.
    const matching = await rows<{ id: number; item: number; name: string; excerpt: string | null }>(
      task.context.db,
      sql`select id, item, name, substr(body, greatest(1, coalesce(place, 1) - ${BEFORE}::integer), ${EXCERPT}::integer) as excerpt
        from (select part.*, (select min(nullif(position(word in lower(part.body)), 0)) from unnest(${words}::text[]) as word) as place
          from (select ${own(parts.idColumn)} as id, ${own(parts.itemColumn)} as item, ${own(parts.nameColumn)} as name,
              ${own(parts.textColumn)} as body, row_number() over (partition by ${own(parts.itemColumn)} order by ${own(parts.idColumn)}) as n
            from ${sql.table(parts.table)} where ${own(parts.itemColumn)} = any(${ids}::integer[])
              and ${own(parts.wordsColumn)} @@ ${query}::tsquery) as part
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
