/**
 * The fast path for `sql` templates: they are flattened to text and parameters without Kysely's compiler and, outside
 * transactions, run without its executor: these two cost as much as the driver. Values, lists, nested templates, ref, table,
 * id, join and lit are handled here; any other node, such as a Kysely query in the template, goes through Kysely's compiler,
 * so the result is always that of `.execute(db)`.
 */
import {
  type CompiledQuery,
  type Kysely,
  type OperationNode,
  PostgresQueryCompiler,
  type RawBuilder,
  type RawNode,
  sql,
} from "kysely";
import { runOnPool, writeAhead } from "./routes.ts";

/**
 * The rows of a template, run in the transaction where `db` is one.
 * @example
 * const [note] = await rows(db, sql<{ name: string }>`select name from notes where id = ${1}`);
 */
export async function rows<Row>(db: Pick<Kysely<never>, "executeQuery">, fragment: RawBuilder<Row>): Promise<Row[]> {
  return rowsOf(db, flatten(fragment));
}

/**
 * The same for a template that `flatten` has made a text of, maybe with other parameters since.
 * @example
 * const query = flatten(sql<{ name: string }>`select name from notes where id = ${1}`);
 * const [other] = await rowsOf(db, { ...query, parameters: [2] });
 */
export async function rowsOf<Row>(db: Pick<Kysely<never>, "executeQuery">, query: CompiledQuery<Row>): Promise<Row[]> {
  const found = runOnPool<Row>(db, query.sql, query.parameters);
  return found ?? (await db.executeQuery(query)).rows;
}

/**
 * Runs a write whose answer is not needed. Within a transaction it resolves once the statement is sent: later statements see
 * what it wrote, and where it fails, the next statement or the commit throws its error. Outside transactions it resolves when
 * the statement is done.
 * @example
 * await write(tx.db, sql`update notes set name = ${"New"} where id = ${1}`);
 */
export async function write(db: Pick<Kysely<never>, "executeQuery">, fragment: RawBuilder<unknown>): Promise<void> {
  const query = flatten(fragment);
  await (writeAhead(db, query) ?? db.executeQuery(query));
}

/**
 * A template without values, flattened once: a part of a hot statement. Throws where it has a value, since all callers would
 * share that of the first.
 * @example
 * const columns = flattened(sql`notes.id, notes.name, notes.slug`);
 * const found = await rows(db, sql`select ${columns} from notes where id = ${1}`);
 */
export function flattened<Row>(fragment: RawBuilder<Row>): RawBuilder<Row> {
  const { sql: text, parameters } = flatten(fragment);
  if (parameters.length > 0)
    throw new Error(`Cannot flatten "${text}" once: it holds ${parameters.length} values, wanted none`);
  return sql.raw<Row>(text);
}

/**
 * The same template with its operation tree built once, for fragments that run often with the same values.
 * @example
 * const present = memoized(sql<boolean>`deleted_at is null and owned_by = ${viewer.id}`);
 */
export function memoized<Row>(fragment: RawBuilder<Row>): RawBuilder<Row> {
  const tree = fragment.toOperationNode();
  return Object.defineProperty(fragment, "toOperationNode", { value: () => tree });
}

/**
 * A template as text and parameters, as `fragment.compile(db)` returns it for PostgreSQL.
 * @example
 * flatten(sql`select name from notes where id = ${1}`).sql; // select name from notes where id = $1
 */
export function flatten<Row>(fragment: RawBuilder<Row>): CompiledQuery<Row> {
  const parameters: unknown[] = [];
  const query = fragment.toOperationNode() as RawNode;
  return { sql: fragmentText(query, parameters), parameters, query, queryId: { queryId: "rows" } };
}

/** The text of a template within a statement that has `parameters` already; its own are added to them. */
export function fragmentText(node: OperationNode, parameters: unknown[]): string {
  const before = parameters.length;
  // Its kind says which members a node has; the compiler gets those of other kinds.
  const text = textOf(node as Node, parameters);
  if (text !== undefined) return text;
  parameters.length = before;
  const compiled = new NumberingCompiler(before).compileQuery(node as RawNode, { queryId: "fragment" });
  parameters.push(...compiled.parameters);
  return compiled.sql;
}

/** Kysely's compiler, with parameters that are numbered from `before` + 1 on. */
class NumberingCompiler extends PostgresQueryCompiler {
  readonly #before: number;

  constructor(before: number) {
    super();
    this.#before = before;
  }

  protected override getCurrentParameterPlaceholder(): string {
    return `$${this.#before + this.numParameters}`;
  }
}

interface Node {
  kind: string;
  sqlFragments: readonly string[];
  parameters: readonly Node[];
  values: readonly unknown[];
  value: unknown;
  immediate?: boolean;
  name: string;
  schema?: Node;
  table?: Node;
  column: Node;
  identifier: Node;
}

/** Undefined for a node that needs the compiler. */
function textOf(node: Node, parameters: unknown[]): string | undefined {
  switch (node.kind) {
    case "RawNode":
      return writeRaw(node, parameters);
    case "ValueNode":
      return node.immediate ? literal(node.value) : `$${parameters.push(node.value)}`;
    case "IdentifierNode":
      return `"${node.name.replaceAll('"', '""')}"`;
    case "ColumnNode":
      return textOf(node.column, parameters);
    case "SelectAllNode":
      return "*";
    case "TableNode":
      return node.table && textOf(node.table, parameters);
    case "ReferenceNode":
      return dotted(node.table, node.column, parameters);
    case "SchemableIdentifierNode":
      return dotted(node.schema, node.identifier, parameters);
    case "PrimitiveValueListNode":
      return `(${node.values.map((value) => `$${parameters.push(value)}`).join(", ")})`;
    default:
      return undefined;
  }
}

function writeRaw({ sqlFragments, parameters: children }: Node, parameters: unknown[]): string | undefined {
  let text = "";
  for (let i = 0; i < sqlFragments.length; i++) {
    text += sqlFragments[i];
    const child = children[i];
    if (!child) continue;
    const written = textOf(child, parameters);
    if (written === undefined) return undefined;
    text += written;
  }
  return text;
}

function dotted(before: Node | undefined, after: Node, parameters: unknown[]): string | undefined {
  const name = textOf(after, parameters);
  if (!before || name === undefined) return name;
  const owner = textOf(before, parameters);
  return owner === undefined ? undefined : `${owner}.${name}`;
}

/** The text of `sql.lit` for null, numbers and booleans; strings are left to the compiler. */
function literal(value: unknown): string | undefined {
  if (value === null) return "null";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
