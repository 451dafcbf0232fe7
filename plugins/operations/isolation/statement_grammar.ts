/**
 * The statements of an isolated plugin travel as Kysely's trees, never as SQL: the server checks each node by this grammar, then
 * the plugin's grants, then compiles the text itself. What is not listed is refused: templates of `sql` (but for a few words),
 * functions that are not named here, JSON paths, locks by hand, foreign keys.
 */
import type { RootOperationNode } from "kysely";
import { FUNCTIONS, OPERATORS, TEMPLATES, TYPES } from "lectern/db";

/** A statement that the grammar refuses. The message is for the plugin's author. */
export class StatementError extends Error {
  override readonly name = "StatementError";
}

type Check = (value: unknown) => boolean;
/** What a member of a node may be: nodes of these kinds (one, or a list of them), or a value that passes a check. */
type Member = readonly string[] | Check;
type Grammar = Readonly<Record<string, Readonly<Record<string, Member>>>>;

const MAX_DEPTH = 60;
const MAX_NODES = 20_000;
const MAX_NAME = 63;

const oneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value);
const isFlag: Check = (value) => typeof value === "boolean";
const isName: Check = (value) => typeof value === "string" && value.length <= MAX_NAME && !value.includes("\0");
const isList: Check = (value) => Array.isArray(value) && value.every(isParameter);

/** A bound value: it never becomes part of the text. */
function isParameter(value: unknown): boolean {
  return value !== undefined && (typeof value !== "string" || !value.includes("\0"));
}

const QUERIES = ["SelectQueryNode", "InsertQueryNode", "UpdateQueryNode", "DeleteQueryNode"] as const;
const EXPRESSION = [
  "ReferenceNode ColumnNode ValueNode PrimitiveValueListNode ValueListNode BinaryOperationNode UnaryOperationNode AndNode OrNode",
  "ParensNode FunctionNode AggregateFunctionNode CastNode CaseNode TupleNode SelectQueryNode DefaultInsertValueNode RawNode",
  "SelectAllNode",
].flatMap((kinds) => kinds.split(" "));
const SOURCES = ["TableNode", "AliasNode", "SelectQueryNode"];

const DATA: Grammar = {
  SelectQueryNode: {
    from: ["FromNode"],
    selections: ["SelectionNode"],
    distinctOn: EXPRESSION,
    joins: ["JoinNode"],
    groupBy: ["GroupByNode"],
    orderBy: ["OrderByNode"],
    where: ["WhereNode"],
    having: ["HavingNode"],
    limit: ["LimitNode"],
    offset: ["OffsetNode"],
    with: ["WithNode"],
    frontModifiers: ["SelectModifierNode"],
    endModifiers: ["SelectModifierNode"],
    setOperations: ["SetOperationNode"],
  },
  InsertQueryNode: {
    into: ["TableNode"],
    columns: ["ColumnNode"],
    values: ["ValuesNode", "SelectQueryNode"],
    returning: ["ReturningNode"],
    onConflict: ["OnConflictNode"],
    with: ["WithNode"],
    defaultValues: isFlag,
  },
  UpdateQueryNode: {
    table: ["TableNode", "AliasNode"],
    from: ["FromNode"],
    joins: ["JoinNode"],
    where: ["WhereNode"],
    updates: ["ColumnUpdateNode"],
    returning: ["ReturningNode"],
    with: ["WithNode"],
  },
  DeleteQueryNode: {
    from: ["FromNode"],
    using: ["UsingNode"],
    joins: ["JoinNode"],
    where: ["WhereNode"],
    returning: ["ReturningNode"],
    with: ["WithNode"],
  },
  FromNode: { froms: SOURCES },
  UsingNode: { tables: SOURCES },
  WhereNode: { where: EXPRESSION },
  HavingNode: { having: EXPRESSION },
  JoinNode: {
    joinType: oneOf("InnerJoin", "LeftJoin", "RightJoin", "FullJoin", "CrossJoin"),
    table: SOURCES,
    on: ["OnNode"],
  },
  OnNode: { on: EXPRESSION },
  AliasNode: { node: [...EXPRESSION, "TableNode"], alias: ["IdentifierNode"] },
  SelectionNode: { selection: [...EXPRESSION, "AliasNode"] },
  SelectAllNode: {},
  ColumnNode: { column: ["IdentifierNode"] },
  ReferenceNode: { column: ["ColumnNode", "SelectAllNode"], table: ["TableNode"] },
  TableNode: { table: ["SchemableIdentifierNode"] },
  SchemableIdentifierNode: { schema: ["IdentifierNode"], identifier: ["IdentifierNode"] },
  IdentifierNode: { name: isName },
  BinaryOperationNode: {
    leftOperand: EXPRESSION,
    operator: ["OperatorNode", "RawNode"],
    rightOperand: EXPRESSION,
  },
  UnaryOperationNode: { operator: ["OperatorNode"], operand: EXPRESSION },
  OperatorNode: { operator: oneOf(...OPERATORS) },
  AndNode: { left: EXPRESSION, right: EXPRESSION },
  OrNode: { left: EXPRESSION, right: EXPRESSION },
  ParensNode: { node: EXPRESSION },
  ValueNode: { value: isParameter, immediate: isFlag },
  PrimitiveValueListNode: { values: isList },
  ValueListNode: { values: EXPRESSION },
  TupleNode: { values: EXPRESSION },
  ValuesNode: { values: ["ValueListNode", "PrimitiveValueListNode"] },
  DefaultInsertValueNode: {},
  ColumnUpdateNode: { column: ["ColumnNode", "ReferenceNode"], value: EXPRESSION },
  OrderByNode: { items: ["OrderByItemNode"] },
  OrderByItemNode: { orderBy: EXPRESSION, direction: ["RawNode"], nulls: oneOf("first", "last") },
  LimitNode: { limit: ["ValueNode"] },
  OffsetNode: { offset: ["ValueNode"] },
  GroupByNode: { items: ["GroupByItemNode"] },
  GroupByItemNode: { groupBy: EXPRESSION },
  ReturningNode: { selections: ["SelectionNode"] },
  OnConflictNode: {
    columns: ["ColumnNode"],
    updates: ["ColumnUpdateNode"],
    updateWhere: ["WhereNode"],
    indexWhere: ["WhereNode"],
    doNothing: isFlag,
  },
  WithNode: { expressions: ["CommonTableExpressionNode"], recursive: isFlag },
  CommonTableExpressionNode: { name: ["CommonTableExpressionNameNode"], materialized: isFlag, expression: QUERIES },
  CommonTableExpressionNameNode: { table: ["TableNode"], columns: ["ColumnNode"] },
  FunctionNode: { func: oneOf(...FUNCTIONS), arguments: EXPRESSION },
  AggregateFunctionNode: {
    func: oneOf(...FUNCTIONS),
    aggregated: [...EXPRESSION, "SelectionNode"],
    distinct: isFlag,
    orderBy: ["OrderByNode"],
    filter: ["WhereNode"],
    over: ["OverNode"],
  },
  OverNode: { orderBy: ["OrderByNode"], partitionBy: ["PartitionByNode"] },
  PartitionByNode: { items: ["PartitionByItemNode"] },
  PartitionByItemNode: { partitionBy: EXPRESSION },
  CastNode: { expression: EXPRESSION, dataType: ["DataTypeNode"] },
  DataTypeNode: { dataType: (value) => typeof value === "string" && TYPES.test(value) },
  CaseNode: { value: EXPRESSION, when: ["WhenNode"], else: EXPRESSION, isStatement: isFlag },
  WhenNode: { condition: EXPRESSION, result: EXPRESSION },
  SetOperationNode: {
    operator: oneOf("union", "intersect", "except"),
    expression: ["SelectQueryNode"],
    all: isFlag,
  },
  SelectModifierNode: {
    modifier: oneOf("Distinct", "ForUpdate", "ForShare", "SkipLocked", "NoWait"),
    of: ["TableNode"],
  },
  RawNode: {
    sqlFragments: (value) => Array.isArray(value) && value.length === 1 && TEMPLATES.includes(String(value[0])),
    parameters: (value) => Array.isArray(value) && value.length === 0,
  },
};

const SCHEMA: Grammar = {
  ...DATA,
  CreateTableNode: {
    table: ["TableNode"],
    columns: ["ColumnDefinitionNode"],
    constraints: ["PrimaryKeyConstraintNode", "UniqueConstraintNode"],
  },
  ColumnDefinitionNode: {
    column: ["ColumnNode"],
    dataType: ["DataTypeNode"],
    primaryKey: isFlag,
    autoIncrement: isFlag,
    unique: isFlag,
    notNull: isFlag,
    nullsNotDistinct: isFlag,
    defaultTo: ["DefaultValueNode"],
    generated: ["GeneratedNode"],
  },
  GeneratedNode: { identity: isFlag, always: isFlag, byDefault: isFlag },
  DefaultValueNode: { defaultValue: ["ValueNode", "RawNode"] },
  PrimaryKeyConstraintNode: { columns: ["ColumnNode"], name: ["IdentifierNode"] },
  UniqueConstraintNode: { columns: ["ColumnNode"], name: ["IdentifierNode"], nullsNotDistinct: isFlag },
  CreateIndexNode: {
    name: ["IdentifierNode"],
    table: ["TableNode"],
    columns: ["ColumnNode", "OrderByItemNode"],
    unique: isFlag,
    where: ["WhereNode"],
    nullsNotDistinct: isFlag,
  },
  AlterTableNode: {
    table: ["TableNode"],
    columnAlterations: ["AddColumnNode", "DropColumnNode", "RenameColumnNode"],
  },
  AddColumnNode: { column: ["ColumnDefinitionNode"] },
  DropColumnNode: { column: ["ColumnNode"] },
  RenameColumnNode: { column: ["ColumnNode"], renameTo: ["ColumnNode"] },
  DropTableNode: { table: ["TableNode"] },
};

/** Statements that change the schema, allowed in migrations. */
const SCHEMA_ROOTS = ["CreateTableNode", "CreateIndexNode", "AlterTableNode", "DropTableNode"];

/** Checks the tree of a query or of a write. Throws StatementError. */
export function checkedQuery(tree: unknown): RootOperationNode {
  return new Checker(DATA).root(tree, QUERIES);
}

/** Checks the tree of a statement of a migration. Throws StatementError. */
export function checkedSchemaChange(tree: unknown): RootOperationNode {
  return new Checker(SCHEMA).root(tree, SCHEMA_ROOTS);
}

class Checker {
  readonly #grammar: Grammar;
  #nodes = 0;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
  }

  root(tree: unknown, kinds: readonly string[]): RootOperationNode {
    this.#node(tree, kinds, 0);
    // Every node has been checked by the grammar.
    return tree as RootOperationNode;
  }

  #node(node: unknown, kinds: readonly string[], depth: number): void {
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) throw new StatementError("the statement is too large");
    const kind = isRecord(node) ? node.kind : undefined;
    if (!isRecord(node) || typeof kind !== "string" || !kinds.includes(kind)) throw new StatementError(refusal(kind));
    const members = this.#grammar[kind] ?? {};
    for (const [name, value] of Object.entries(node)) {
      if (name === "kind" || value === undefined) continue;
      const member = Object.hasOwn(members, name) ? members[name] : undefined;
      if (typeof member === "function") {
        if (!member(value)) throw new StatementError(refusal(kind, name, value));
      } else if (!member) throw new StatementError(refusal(kind, name));
      else for (const each of Array.isArray(value) ? value : [value]) this.#node(each, member, depth + 1);
    }
    if (kind === "ValueNode") checkImmediate(node);
  }
}

/** A value that becomes part of the text: numbers, truth values, null and plain words. */
function checkImmediate({ value, immediate }: Readonly<Record<string, unknown>>): void {
  if (!immediate || value === null || typeof value === "boolean" || Number.isFinite(value)) return;
  if (typeof value !== "string" || !/^[\w .:-]*$/.test(value)) throw new StatementError("a literal has odd characters");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusal(kind: unknown, member?: string, value?: unknown): string {
  const what = member === undefined ? `${String(kind)}` : `"${member}" of ${String(kind)}`;
  const shown = value === undefined ? "" : `: ${JSON.stringify(value).slice(0, 80)}`;
  const hint = kind === "RawNode" ? "; statements are built with Kysely, templates of `sql` are not sent" : "";
  return `isolated plugins cannot send ${what}${shown}${hint}`;
}
