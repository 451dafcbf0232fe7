import { Findings, itemReferences, referenceCheck, type SelfCheck } from "lectern/contracts";
import { sql } from "lectern/core";
import { type Db, rows } from "lectern/db";
import { indexMissing } from "./changes.ts";
import type { SearchContext, SearchedKind } from "./contract.ts";
import { SHIPPED } from "./engine.ts";

/** The checks of the index and of the record of views. The index is not used, and so not checked, where a plugin's engine searches. */
export function searchChecks({ engine, kinds, vocabulary }: SearchContext, db: Db): SelfCheck[] {
  const indexed = () => (engine().name === SHIPPED ? kinds() : []);
  const content = () => kinds().map(({ kind }) => kind);
  return [
    {
      name: "search/missing",
      title: "Every item is in the search index",
      async check() {
        const findings = new Findings();
        for (const searched of indexed()) {
          const { ids, n } = await missingOf(searched, db);
          if (n > 0) findings.add(`${searched.kind.kind} ${ids.join(", ")}${n > ids.length ? " …" : ""}`, n);
        }
        return findings.as("error");
      },
      async fix() {
        let fixed = 0;
        for (const searched of indexed()) {
          fixed += (await missingOf(searched, db)).n;
          for (let after: number | undefined = 0; after !== undefined; )
            after = await indexMissing(searched, { after }, db, vocabulary);
        }
        return fixed;
      },
    },
    referenceCheck(db, {
      name: "search/entries",
      title: "Every entry of the search index is of an item",
      references: () => itemReferences(content(), { table: "search_index", kind: "kind", id: "item_id" }),
      repair: "delete",
    }),
    referenceCheck(db, {
      name: "search/views",
      title: "Every recorded view is of an item and a user",
      references: () => [
        ...itemReferences(content(), { table: "item_views", kind: "kind", id: "item_id" }),
        { table: "item_views", column: "user_id", to: "users" },
      ],
      repair: "delete",
    }),
  ];
}

/** Items that are not in the recycle bin, nor drafts, and have no current entry: a few ids, and their number. */
async function missingOf({ kind: { kind, table, ownOnly } }: SearchedKind, db: Db) {
  const shown = sql`${sql.ref("item.deleted_at")} is null and ${ownOnly === undefined ? sql`true` : sql`not ${sql.ref(`item.${ownOnly}`)}`}`;
  // A template, since no grant names the tables of all kinds.
  const [found] = await rows<{ ids: number[] | null; n: number }>(
    db,
    sql`select (array_agg(item.id order by item.id))[1:5] as ids, count(*)::float8 as n from ${sql.table(table)} as item
      where ${shown} and not exists (select from search_index where search_index.kind = ${kind}::text
        and search_index.item_id = item.id and search_index.words is not null)`,
  );
  return { ids: found?.ids ?? [], n: found?.n ?? 0 };
}
