/**
 * The statements by which answers are shared: which rows an answer shows and what decides who sees them, and whether a viewer sees such rows.
 * Rows that are alike are one: a book of a thousand pages whose rights are those of the book has one kind of page. A sight is read
 * together with what it follows from, so it is right for all rows that are like this whatever has become of the row that was asked about.
 */
import { type RawBuilder, sql } from "kysely";
import { type Db, memoized, rows, type TableName } from "../../db/mod.ts";
import type { SharedAnswers } from "../events/cached_answers.ts";
import type { AlikeRows, SharedRows, ShownRows, Sight } from "../events/shared_rows.ts";
import type { VisibilityRules } from "./visibility.ts";

type Found = AlikeRows & { readonly is_item: boolean; readonly is_same: boolean };
type FactsFor = (id: number) => RawBuilder<Found>;

/** How the rules of tables are asked by a connection that may read all of them. */
export function sharedRows(rules: VisibilityRules, db: Db): SharedRows {
  const statements = new WeakMap<SharedAnswers, FactsFor>();
  return {
    rightsTo: (table) => rules.rightsTo(table),
    isNarrowed: (table) => rules.isNarrowed(table),
    async facts(answers, shown, id) {
      const statement = statements.get(answers) ?? factsStatement(rules, answers, shown);
      statements.set(answers, statement);
      const found = await rows(db, statement(id));
      const item = found.find(({ is_item }) => is_item);
      if (!item) return undefined;
      return { isSame: item.is_same, rows: found.map(({ is_item, is_same, ...row }) => row) };
    },
    // A template: the table varies.
    sights: (viewer, table, ids) =>
      rows(
        db,
        sql<Sight>`select ${rules.likeness(table)} as "like", ${sql.ref(`${table}.owned_by`)} is not distinct from ${viewer.id}::integer as "isOwn",
          ${rules.where(table, viewer)} as "isSeen"
          from ${sql.table(table)} where ${sql.ref(`${table}.id`)} = any(${[...ids]}::integer[])`,
      ),
  };
}

/** One statement for the item and all that is shown with it: they are of one moment. A template: tables and columns vary. */
function factsStatement(rules: VisibilityRules, answers: SharedAnswers, shown: readonly ShownRows[]): FactsFor {
  const alike = (table: TableName, isItem: boolean, isSame: RawBuilder<boolean>) =>
    memoized(sql`select ${isItem ? sql`true` : sql`false`} as is_item, ${isSame} as is_same, ${sql.lit(table)} as "table",
      ${sql.ref(`${table}.owned_by`)} as owned_by, ${rules.likeness(table)} as "like", ${sql.ref(`${table}.id`)} as id
      from ${sql.table(table)} where `);
  const item = alike(answers.table, true, answers.isSame ?? sql`true`);
  const parts = shown.map((part) => ({ ...part, read: alike(part.table, false, sql`false`) }));
  return (id) => {
    const given = sql`${id}::integer`;
    const each = [
      sql`${item}${sql.ref(`${answers.table}.id`)} = ${given}`,
      ...parts.map(({ table, by, read }) =>
        typeof by === "string"
          ? sql`${read}${sql.ref(`${table}.${by}`)} = ${given}`
          : sql`${read}${sql.ref(`${table}.id`)} in (select ${sql.ref(`${by.table}.${by.row}`)} from ${sql.table(by.table)}
              where ${sql.ref(`${by.table}.${by.item}`)} = ${given})`,
      ),
    ];
    return sql<Found>`select is_item, is_same, "table", owned_by, "like", min(id) as id
      from (${sql.join(each, sql` union all `)}) as shown
      group by is_item, is_same, "table", owned_by, "like" order by is_item desc, "table", "like", owned_by`;
  };
}
