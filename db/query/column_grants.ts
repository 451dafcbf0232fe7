/**
 * Tables of which a plugin may read some columns alone. In the trees of its queries such a table is replaced by a subquery of these
 * columns, so that `selectAll`, a whole row and a column without its table's name have no others; PostgreSQL plans the query as if
 * the table itself was read. A reference to another column that is certain to be meant is refused before, with a better error.
 */
import {
  AliasNode,
  ColumnNode,
  type FromNode,
  IdentifierNode,
  type JoinNode,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  ReferenceNode,
  SelectionNode,
  SelectQueryNode,
  TableNode,
  type UsingNode,
} from "kysely";
import { isTree, listOf, nodeIn, type Tree } from "./expression_nodes.ts";

/** Readable columns by table. */
export type ReadableColumns = ReadonlyMap<string, ReadonlySet<string>>;

/** Called for a column that may not be read. */
export type RefuseColumn = (table: string, column: string) => void;

/** The tables of a query under the names by which its columns refer to them; undefined for what is no such table. */
interface Sources {
  readonly byName: ReadonlyMap<string, string | undefined>;
  /** The only source of a query that is not within another one: columns without a table are its own. */
  readonly only: string | undefined;
  /** Names that the query gives to what it selects, which `order by` uses. */
  readonly given: ReadonlySet<string>;
}

const NO_SOURCES: Sources = { byName: new Map(), only: undefined, given: new Set() };
const QUERIES: ReadonlySet<string> = new Set([
  "SelectQueryNode",
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
]);

/** Calls `refuse` for each reference to a column that is not readable, where it is certain whose column is meant. */
export function checkColumns(node: OperationNode, columns: ReadableColumns, refuse: RefuseColumn): void {
  each(node, NO_SOURCES);

  function walk(tree: Tree, outer: Sources): void {
    if (tree.kind === "ReferenceNode") {
      checkReference(tree, outer);
      return;
    }
    const sources = QUERIES.has(tree.kind) ? sourcesOf(tree, outer, columns) : outer;
    for (const key in tree) each(tree[key], sources);
  }

  function each(value: unknown, sources: Sources): void {
    if (Array.isArray(value)) for (const item of value) each(item, sources);
    else if (isTree(value)) walk(value, sources);
  }

  function checkReference({ table, column }: Tree, { byName, only, given }: Sources): void {
    const name = isTree(column) && column.kind === "ColumnNode" ? nameOf(column.column) : undefined;
    if (name === undefined) return;
    const meant = isTree(table) ? byName.get(lastName(table)) : given.has(name) ? undefined : only;
    if (meant !== undefined && !columns.get(meant)?.has(name)) refuse(meant, name);
  }
}

/** A transformer that replaces tables by their readable columns. */
export class ColumnViews extends OperationNodeTransformer {
  readonly #columns: ReadableColumns;

  constructor(columns: ReadableColumns) {
    super();
    this.#columns = columns;
  }

  protected override transformFrom(node: FromNode, id?: QueryId): FromNode {
    const done = super.transformFrom(node, id);
    return { ...done, froms: done.froms.map((from) => this.#narrowed(from)) };
  }

  protected override transformJoin(node: JoinNode, id?: QueryId): JoinNode {
    const done = super.transformJoin(node, id);
    return { ...done, table: this.#narrowed(done.table) };
  }

  protected override transformUsing(node: UsingNode, id?: QueryId): UsingNode {
    const done = super.transformUsing(node, id);
    return { ...done, tables: done.tables.map((table) => this.#narrowed(table)) };
  }

  /** Called for what has been transformed, so the tables of the subqueries made here are not replaced again. */
  #narrowed(source: OperationNode): OperationNode {
    if (AliasNode.is(source) && TableNode.is(source.node)) {
      const view = this.#viewOf(source.node);
      return view ? AliasNode.create(view, source.alias) : source;
    }
    if (!TableNode.is(source)) return source;
    const view = this.#viewOf(source);
    return view ? AliasNode.create(view, IdentifierNode.create(lastName(source))) : source;
  }

  #viewOf(table: TableNode): SelectQueryNode | undefined {
    const columns = this.#columns.get(tableName(table));
    if (!columns) return undefined;
    const selections = [...columns].map((name) => SelectionNode.create(ReferenceNode.create(ColumnNode.create(name))));
    return SelectQueryNode.cloneWithSelections(SelectQueryNode.createFrom([table]), selections);
  }
}

/** The name of a table, with its schema where that is not "public". */
export function tableName(node: unknown): string {
  const schema = nameOf(nodeIn(nodeIn(node, "table"), "schema"));
  return schema === undefined || schema === "public" ? lastName(node) : `${schema}.${lastName(node)}`;
}

function sourcesOf(tree: Tree, outer: Sources, columns: ReadableColumns): Sources {
  const from = listOf(nodeIn(tree, "from")?.froms);
  const joins = listOf(tree.joins).map((join) => nodeIn(join, "table"));
  const used = nodeIn(tree, "using");
  const using = used?.tables === undefined ? [used?.table] : listOf(used.tables);
  const found = [...from, ...joins, ...using, tree.table, tree.into].filter(isTree).map((source) => {
    const table = source.kind === "AliasNode" ? (nodeIn(source, "node") ?? source) : source;
    const name = source.kind === "AliasNode" ? nameOf(source.alias) : nameOfTable(table);
    const meant = table.kind === "TableNode" ? tableName(table) : undefined;
    return [name ?? "", meant !== undefined && columns.has(meant) ? meant : undefined] as const;
  });
  const given = listOf(tree.selections).flatMap((each) => {
    const selection = nodeIn(each, "selection");
    return selection?.kind === "AliasNode" ? [nameOf(selection.alias) ?? ""] : [];
  });
  return {
    byName: new Map([...outer.byName, ...found]),
    only: outer === NO_SOURCES && found.length === 1 ? found[0]?.[1] : undefined,
    given: new Set(given),
  };
}

function nameOfTable(table: Tree): string | undefined {
  return table.kind === "TableNode" ? lastName(table) : undefined;
}

/** The name of a table, or of an alias in its place, without its schema. */
function lastName(node: unknown): string {
  return nameOf(nodeIn(nodeIn(node, "table"), "identifier")) ?? "";
}

function nameOf(node: unknown): string | undefined {
  return isTree(node) && typeof node.name === "string" ? node.name : undefined;
}
