/**
 * Runs the statements of an isolated plugin: a tree passes the grammar, then the check of grants that the plugin's store brings
 * along, and is compiled here. Rows are counted by PostgreSQL before they are sent, since the server holds all rows of an answer at
 * once. Statements of migrations have no grants; they change tables that this plugin has created, and no others.
 */
import { AndNode, createQueryId, type Kysely, type QueryResult, type RootOperationNode, sql, WhereNode } from "kysely";
import type { AnyContext, Viewer } from "lectern/core";
import type { Db } from "lectern/db";
import { checkedQuery, checkedSchemaChange, StatementError } from "./statement_grammar.ts";

/** The result of a statement as it is sent. */
export interface SentRows {
  readonly rows: readonly unknown[];
  readonly affected?: string;
}

type AnyStore = Pick<Kysely<never>, "getExecutor">;

/**
 * Runs a query or a write over a store that has the plugin's grants. Throws StatementError, GrantError, and an error of the
 * store where the rows as text have more than `maxBytes`.
 */
export async function runQuery(db: AnyStore, tree: unknown, maxBytes: number): Promise<SentRows> {
  return sent(await run(db, checkedQuery(tree), maxBytes));
}

/** A query of the rows that a viewer sees. */
export interface VisibleQuery {
  readonly table: string;
  readonly viewer: Viewer;
  readonly where: AnyContext["visible"]["where"];
  readonly maxBytes: number;
}

/** Runs a query of one table, limited to the rows that the viewer sees. */
export async function runVisible(db: AnyStore, tree: unknown, how: VisibleQuery): Promise<SentRows> {
  const { table, viewer, where, maxBytes } = how;
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
  return sent(await run(db, { ...query, where: WhereNode.create(all) }, maxBytes));
}

/**
 * Runs a statement of a migration: it creates a table, or changes one that a migration of this plugin has created, as its
 * comment in the store says.
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

async function run(db: AnyStore, tree: RootOperationNode, maxBytes?: number): Promise<QueryResult<unknown>> {
  const executor = db.getExecutor();
  const queryId = createQueryId();
  const compiled = executor.compileQuery(executor.transformQuery(tree, queryId), queryId);
  const hasRows = tree.kind === "SelectQueryNode" || "returning" in tree;
  if (maxBytes === undefined || !hasRows) return executor.executeQuery(compiled);
  const result = await executor.executeQuery({ ...compiled, sql: bounded(compiled.sql, Math.floor(maxBytes)) });
  return tree.kind === "SelectQueryNode" ? result : { ...result, numAffectedRows: BigInt(result.rows.length) };
}

/**
 * A statement whose rows PostgreSQL counts before it sends them, since the server reads all rows of an answer at once. The error
 * is that of a text which is no boolean; it names the bytes.
 */
function bounded(statement: string, maxBytes: number): string {
  return `with "isolated_rows" as materialized (${statement}) select * from "isolated_rows" where (
    select case when "size" <= ${maxBytes} then true else ("size" || ' bytes of rows are too many')::boolean end
    from (select coalesce(sum(octet_length("isolated_rows"::text)), 0) as "size" from "isolated_rows") as "sizes")`;
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
