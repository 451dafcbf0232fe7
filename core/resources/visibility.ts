import { type Expression, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { type Db, ExpressionRefused, GrantError, memoized, type TableName, type Tables } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { TableDependency } from "../events/cached_answers.ts";
import { deepFreeze } from "../std/freeze.ts";
import type { Viewer } from "../viewer.ts";

/**
 * A rule that hides rows from a viewer: an SQL condition over the table's columns, qualified by the table's name, or true
 * for a viewer without restriction. The rules of all plugins are joined with AND, so that none widens visibility. A rule
 * depends on the viewer alone: its condition is cached with the viewer. That of a plugin that does not ship is an expression of
 * Kysely, which is checked against its grants.
 */
export type VisibilityRule = ((viewer: Viewer) => Expression<SqlBool> | true) & {
  /** Columns of other tables that the condition reads, by table; plugins that may read the table may read these too. */
  readonly reads?: VisibilityReads;
  /**
   * What of the viewer the condition depends on: roles, permissions and scope alone, or also whether `owned_by` of the row is the viewer. Answers about
   * the table are then cached for groups of viewers (`SharedAnswers`), else for each viewer.
   */
  readonly dependsOn?: "roles" | "ownership";
  /**
   * SQL for all of the row that the condition follows from, but for its owner: of rows that are alike in it the store is asked once for all
   * readers of a group. Without it, a row is like itself alone, until it is written. Of plugins that ship.
   */
  readonly ofRow?: RawBuilder<unknown>;
};

/** Columns by table. */
export type VisibilityReads = { readonly [Table in TableName]?: readonly (keyof Tables[Table] & string)[] };

/** Conditions are shared by all plugins: frozen, so that none can have them mean something else. */
function shared(condition: RawBuilder<boolean>): RawBuilder<boolean> {
  const own = memoized(condition);
  deepFreeze(own.toOperationNode());
  return Object.freeze(own);
}

const EVERYTHING = shared(sql<boolean>`true`);

/** The visibility rules of all tables, for listings and single reads. */
export class VisibilityRules {
  readonly #rules = new Map<string, VisibilityRule[]>();
  readonly #reads = new Map<string, VisibilityReads[]>();
  /** Those of plugins that do not ship: what they return is checked. */
  readonly #given: VisibilityRule[] = [];
  readonly #known = new WeakMap<Viewer, Map<string, RawBuilder<boolean>>>();
  #isClosed = false;

  /** Adds a rule for a table. `reads` names the columns of other tables that it reads, beside those that the rule names. Throws after `close`. */
  add(table: TableName, rule: VisibilityRule, reads: VisibilityReads = {}): void {
    if (this.#isClosed)
      throw new Error(
        `Cannot add a visibility rule for "${table}" once the server has begun to start: who sees what is cached`,
      );
    this.#rules.set(table, [...(this.#rules.get(table) ?? []), rule]);
    this.#reads.set(table, [...(this.#reads.get(table) ?? []), reads, rule.reads ?? {}]);
  }

  /** Ends the time in which rules are added. */
  close(): void {
    this.#isClosed = true;
  }

  /** Adds the rule of a plugin that does not ship, as `fencedRule` returns it. */
  addGiven(table: TableName, rule: VisibilityRule, reads?: VisibilityReads): void {
    this.add(table, rule, reads);
    this.#given.push(rule);
  }

  /** Has these rules make their conditions for a viewer, so that a boot finds what would be refused later. */
  tryGiven(viewer: Viewer): void {
    for (const rule of this.#given) {
      try {
        rule(viewer);
      } catch (error) {
        // Others may follow from what the plugin does not know before it has started.
        if (error instanceof GrantError || error instanceof ExpressionRefused)
          throw new BootError(error.message, { cause: error });
      }
    }
  }

  /** The columns that the rules of these tables read, and those that the rules of the tables in them read, by table. */
  readsOf(tables: readonly string[]): Record<string, string[]> {
    const found = new Map<string, Set<string>>();
    const open = [...tables];
    for (let table = open.pop(); table !== undefined; table = open.pop())
      for (const reads of this.#reads.get(table) ?? [])
        for (const [name, columns] of Object.entries(reads) as [string, readonly string[]][]) {
          if (!found.has(name) && !tables.includes(name)) open.push(name);
          found.set(name, new Set([...(found.get(name) ?? []), ...columns]));
        }
    return Object.fromEntries([...found].map(([name, columns]) => [name, [...columns]]));
  }

  /**
   * The further tables that the rules of a table read, where viewers of the same roles, permissions and scope see the same rows but for those
   * that they own; undefined where they may see others.
   */
  rightsTo(table: TableName): readonly TableDependency[] | undefined {
    const rules = this.#rules.get(table) ?? [];
    const isByRoles = rules.length > 0 && rules.every(({ dependsOn }) => dependsOn !== undefined);
    const reads = Object.entries(this.readsOf([table])) as [TableName, string[]][];
    return isByRoles ? reads.map(([name, only]) => ({ table: name, only })) : undefined;
  }

  /** Whether a plugin that does not ship hides rows of a table. Whoever ships shows the same of tables without rules of roles to all who see an item. */
  isNarrowed(table: TableName): boolean {
    return this.#rules.get(table)?.some((rule) => this.#given.includes(rule)) ?? false;
  }

  /** SQL for a text: rows of a table that have the same are seen by the same viewers of a group, but for those that one owns. */
  likeness(table: TableName): RawBuilder<string> {
    const rules = this.#rules.get(table) ?? [];
    // What a plugin that does not ship says of its SQL is not checked.
    const isKnown = rules.every((rule) => rule.ofRow && !this.#given.includes(rule));
    const version = [sql.ref(`${table}.id`), sql`${sql.ref(`${table}.xmin`)}::text`];
    const parts = isKnown ? rules.flatMap(({ ofRow }) => ofRow ?? []) : version;
    return sql<string>`json_build_array(${sql.join(parts)})::text`;
  }

  /** The condition under which a viewer sees a row of a table. Throws for a table without a rule. */
  where(table: TableName, viewer: Viewer): RawBuilder<boolean> {
    const known = this.#known.get(viewer) ?? new Map<string, RawBuilder<boolean>>();
    const condition = known.get(table) ?? this.#condition(table, viewer);
    this.#known.set(viewer, known.set(table, condition));
    return condition;
  }

  #condition(table: TableName, viewer: Viewer): RawBuilder<boolean> {
    const rules = this.#rules.get(table);
    if (!rules) throw new Error(`Cannot show rows of "${table}": no plugin has a visibility rule for it`);
    const conditions = rules.map((rule) => rule(viewer)).filter((condition) => condition !== true);
    return conditions.length === 0 ? EVERYTHING : shared(sql<boolean>`(${sql.join(conditions, sql` and `)})`);
  }

  /** A query over the rows of a table that a viewer sees. */
  visible<T extends TableName>(db: Db, table: T, viewer: Viewer): SelectQueryBuilder<Tables, T, object> {
    // The builder has no type for a table that is a type parameter.
    const query = db.selectFrom(table) as unknown as SelectQueryBuilder<Tables, T, object>;
    return query.where(this.where(table, viewer) as never);
  }
}
