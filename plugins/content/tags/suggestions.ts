import type { SuggestedTag, Tags } from "lectern/contracts";
import { type RawBuilder, sql, type Viewer } from "lectern/core";
import { flatten, rowsOf } from "lectern/db";
import type { TagsContext } from "./contract.ts";
import { sightOf } from "./queries.ts";

/** Counts that are read in order of names, and of values, so that a text that begins many costs no more. */
const MOST = sql.lit(2_000);

/** Stand for the parameters in the template. */
const PARAMETERS = { text: {}, count: {} } as const;

/** See `Tags.beginningWith`. What is seen is decided as in the listings (queries.ts). */
export function tagsBeginningWith(context: TagsContext): Tags["beginningWith"] {
  // Made once for each viewer, as that takes longer than running it.
  const known = new WeakMap<Viewer, ReturnType<typeof flatten<SuggestedTag>>>();
  return (viewer, text, count) => {
    const statement = known.get(viewer) ?? flatten(statementFor(context, viewer));
    known.set(viewer, statement);
    const values = new Map<unknown, unknown>([
      [PARAMETERS.text, text],
      [PARAMETERS.count, count],
    ]);
    const parameters = statement.parameters.map((given) => (values.has(given) ? values.get(given) : given));
    return rowsOf(context.db, { ...statement, parameters });
  };
}

/** A template: its conditions are those of the viewer. */
function statementFor(context: TagsContext, viewer: Viewer): RawBuilder<SuggestedTag> {
  const typed = sql`(select text_key(${PARAMETERS.text}::text))`;
  const begins = (table: string, column: "name_key" | "value_key") => {
    const key = sql`left(${sql.ref(`${table}.${column}`)}, 200)`;
    return sql<boolean>`${key} >= ${typed} and ${key} < ${typed} || chr(1114111)`;
  };
  const part = (
    counts: "tag_count" | "tag_name_count",
    column: "name_key" | "value_key",
    columns: RawBuilder<unknown>,
  ) => {
    const { isSeen, others } = sightOf(context, viewer, begins("tags", column));
    const n = counts === "tag_count" ? sql`n` : sql`usages`;
    return sql`select * from (select ${columns}, ${n} as n from ${sql.table(counts)}
          where ${begins(counts, column)} and ${isSeen(counts)} order by left(${sql.ref(column)}, 200) limit ${MOST}) as counted
      union all select ${columns}, n from tag_change where ${begins("tag_change", column)} and ${isSeen("tag_change")}
      ${others ? sql`union all select ${columns}, n from (${others}) as other` : sql``}`;
  };
  const spelt = (column: "name" | "value") => sql`min(${sql.ref(column)} collate "C") filter (where n > 0)`;
  return sql<SuggestedTag>`select name, value from (
      (select ${spelt("name")} as name, null as value from (${part("tag_name_count", "name_key", sql`name, name_key`)}) as named
        group by name_key having sum(n) > 0 order by name_key limit ${PARAMETERS.count}::bigint)
      union all
      (select ${spelt("name")} as name, ${spelt("value")} as value
        from (${part("tag_count", "value_key", sql`name, name_key, value, value_key`)}) as valued
        group by name_key, value_key having sum(n) > 0 order by value_key, name_key limit ${PARAMETERS.count}::bigint)) as found`;
}
