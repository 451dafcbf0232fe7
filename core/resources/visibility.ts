import { type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { type Db, fixed, type TableName, type Tables } from "../../db/mod.ts";
import type { Viewer } from "../viewer.ts";

/**
 * A rule that keeps rows from a viewer: an SQL condition over the table's columns, qualified by the table's name, or
 * true where this viewer is not restricted. Conditions of all plugins are joined with AND, so none can widen sight. A
 * rule looks at the viewer alone: what it answers is kept for as long as that viewer is remembered.
 */
export type VisibilityRule = (viewer: Viewer) => RawBuilder<boolean> | true;

const EVERYTHING = sql<boolean>`true`;

/** Who may see which rows: the one door to rows on somebody's behalf, for listings and single reads alike. */
export class VisibilityRules {
  readonly #rules = new Map<string, VisibilityRule[]>();
  readonly #known = new WeakMap<Viewer, Map<string, RawBuilder<boolean>>>();

  /** Adds a rule for a table. */
  add(table: TableName, rule: VisibilityRule): void {
    this.#rules.set(table, [...(this.#rules.get(table) ?? []), rule]);
  }

  /** The condition under which the viewer sees rows of a table. Throws where no plugin said who may see them. */
  where(table: TableName, viewer: Viewer): RawBuilder<boolean> {
    const known = this.#known.get(viewer) ?? new Map<string, RawBuilder<boolean>>();
    const condition = known.get(table) ?? this.#condition(table, viewer);
    this.#known.set(viewer, known.set(table, condition));
    return condition;
  }

  #condition(table: TableName, viewer: Viewer): RawBuilder<boolean> {
    const rules = this.#rules.get(table);
    if (!rules) throw new Error(`Cannot show rows of "${table}": no plugin narrows this table`);
    const conditions = rules.map((rule) => rule(viewer)).filter((condition) => condition !== true);
    return conditions.length === 0 ? EVERYTHING : fixed(sql<boolean>`(${sql.join(conditions, sql` and `)})`);
  }

  /** A query over the rows of a table that the viewer may see. */
  visible<T extends TableName>(db: Db, table: T, viewer: Viewer): SelectQueryBuilder<Tables, T, object> {
    const query = db.selectFrom(table) as unknown as SelectQueryBuilder<Tables, T, object>;
    return query.where(this.where(table, viewer) as never);
  }
}
