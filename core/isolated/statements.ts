/** Runs the statements of an isolated plugin, after the grammar, with the plugin's grants. */
import { AndNode, createQueryId, type Kysely, type QueryResult, type RootOperationNode, sql, WhereNode } from "kysely";
import type { Db } from "../../db/mod.ts";
import type { VisibilityRules } from "../resources/visibility.ts";
import type { Viewer } from "../viewer.ts";
import { checkedQuery, checkedSchemaChange, StatementError } from "./statement_grammar.ts";

/** The result of a statement as it is sent. */
export interface SentRows {
  readonly rows: readonly unknown[];
  readonly affected?: string;
}

type AnyStore = Pick<Kysely<never>, "getExecutor">;

/** Runs a query or a write over a store that has the plugin's grants. Throws StatementError, GrantError. */
export async function runQuery(db: AnyStore, tree: unknown): Promise<SentRows> {
  return sent(await run(db, checkedQuery(tree)));
}

/** Runs a query of one table, limited to the rows that the viewer sees. */
export async function runVisible(
  db: AnyStore,
  tree: unknown,
  {
    table,
    viewer,
    where,
  }: { readonly table: string; readonly viewer: Viewer; readonly where: VisibilityRules["where"] },
): Promise<SentRows> {
  const query = checkedQuery(tree) as RootOperationNode & {
    readonly where?: WhereNode;
    readonly setOperations?: unknown;
  };
  const from = JSON.stringify("from" in query && query.from);
  const { kind } = query;
  if (kind !== "SelectQueryNode" || from !== JSON.stringify(fromOf(table)) || query.setOperations)
    throw new StatementError(`a query of visible("${table}") reads that table alone`);
  const condition = where(table as never, viewer).toOperationNode();
  const all = query.where ? AndNode.create(query.where.where, condition) : condition;
  return sent(await run(db, { ...query, where: WhereNode.create(all) }));
}

/**
 * Runs a statement of a migration: it creates a table, or changes one that a migration of this plugin has created, which its
 * comment in the store tells.
 */
export async function runSchemaChange(db: Db, plugin: string, tree: unknown): Promise<SentRows> {
  const statement = checkedSchemaChange(tree) as RootOperationNode & { readonly table?: unknown };
  const table = tableOf(statement.table);
  const mark = `Made by the isolated plugin "${plugin}"`;
  if (statement.kind === "CreateTableNode") {
    const result = await run(db, statement);
    await sql`comment on table ${sql.table(table)} is ${sql.lit(mark)}`.execute(db);
    return sent(result);
  }
  const found = await sql<{ mark: string | null }>`
    select obj_description(to_regclass(quote_ident(${table})), 'pg_class') as mark`.execute(db);
  if (found.rows[0]?.mark !== mark) throw new StatementError(`"${table}" is no table of the plugin "${plugin}"`);
  return sent(await run(db, statement));
}

function run(db: AnyStore, tree: RootOperationNode): Promise<QueryResult<unknown>> {
  const executor = db.getExecutor();
  const queryId = createQueryId();
  return executor.executeQuery(executor.compileQuery(executor.transformQuery(tree, queryId), queryId));
}

function sent({ rows, numAffectedRows }: QueryResult<unknown>): SentRows {
  return { rows, ...(numAffectedRows !== undefined && { affected: String(numAffectedRows) }) };
}

function fromOf(table: string): object {
  const identifier = { kind: "IdentifierNode", name: table };
  const name = { kind: "SchemableIdentifierNode", identifier };
  return { kind: "FromNode", froms: [{ kind: "TableNode", table: name }] };
}

function tableOf(node: unknown): string {
  const { table } = node as { table: { schema?: unknown; identifier: { name: string } } };
  if (table.schema) throw new StatementError("tables of isolated plugins are in the default schema");
  return table.identifier.name;
}
