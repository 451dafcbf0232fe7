/**
 * Grants on tables: a Kysely plugin that checks the tree of each query before it is compiled, within transactions too.
 * Tables are those in from, into, using, joins and schema changes; names defined by `with` are none, in their SQL scope.
 * Writing implies reading. This catches mistakes and is no sandbox: `sql` templates pass (Kysely queries nested in them are
 * checked), as do `rows()` and `withoutPlugins()`. Tables outside the schema "public" are named with theirs
 * ("pg_catalog.pg_class"). Of tables that are granted by column a query has these columns alone (`column_grants.ts`).
 */
import type { Kysely, KyselyPlugin, PluginTransformQueryArgs, RootOperationNode } from "kysely";
import { ColumnViews, checkColumns, type ReadableColumns, tableName } from "./column_grants.ts";
import { GrantError } from "./errors.ts";
import { isTree, listOf, nodeIn, type Tree } from "./expression_nodes.ts";
import type { Db, TableName, Tables } from "./tables.ts";

/** Tables that a plugin may read and write; writing implies reading. */
export interface Grants {
  read: readonly string[];
  write: readonly string[];
  /** Columns that it may read of further tables, by table. */
  columns?: Readonly<Record<string, readonly string[]>>;
  /** Tables that the plugin declares and the operator denied, for errors. */
  denied?: { readonly read: readonly string[]; readonly write: readonly string[] };
}

/**
 * The same store, or transaction, restricted to `grants`. Other queries throw GrantError.
 * @example
 * const narrow = guarded<"notes">(db, "notes", { read: ["notes"], write: [] });
 * await narrow.selectFrom("notes").selectAll().execute();
 */
export function guarded<Name extends TableName = TableName>(
  db: Db,
  plugin: string,
  grants: Grants,
): Kysely<Pick<Tables, Name>> {
  const own = GUARDS.get(grants) ?? guardFor(plugin, grants);
  GUARDS.set(grants, own);
  // A cast, since comparing two Kysely types takes a third of the whole type check.
  return db.withPlugin(own) as unknown as Kysely<Pick<Tables, Name>>;
}

/** One Kysely plugin for the store and all transactions of a plugin, so that a prepared statement is checked once. */
const GUARDS = new WeakMap<Grants, KyselyPlugin>();

function guardFor(plugin: string, grants: Grants): KyselyPlugin {
  const write = new Set(grants.write);
  const columns = readableColumns(grants);
  const read = new Set([...grants.read, ...grants.write, ...columns.keys()]);
  const check: Check = (table, wanted) => {
    if (!(wanted === "write" ? write : read).has(table))
      throw new GrantError(plugin, table, wanted, { denied: isDenied(grants, table, wanted) });
  };
  if (columns.size === 0) return guard(check, (node) => node);
  const views = new ColumnViews(columns);
  return guard(check, (node) => {
    checkColumns(node, columns, (table, column) => {
      throw new GrantError(plugin, table, "read", { columns: [...(columns.get(table) ?? [])], column });
    });
    return views.transformNode(node);
  });
}

/** The tables of which some columns are granted, and not the table. */
function readableColumns({ read, write, columns = {} }: Grants): ReadableColumns {
  const single = Object.entries(columns).filter(([table]) => !read.includes(table) && !write.includes(table));
  return new Map(single.map(([table, names]) => [table, new Set(names)]));
}

/**
 * Whether the operator denied a declared grant.
 * @example
 * const byOperator = isDenied({ denied: { read: [], write: ["notes"] } }, "notes", "read"); // true
 */
export function isDenied({ denied }: Pick<Grants, "denied">, table: string, wanted: "read" | "write"): boolean {
  return Boolean(denied?.write.includes(table) || (wanted === "read" && denied?.read.includes(table)));
}

type Check = (table: string, wanted: "read" | "write") => void;
type Scope = ReadonlySet<string>;

const NO_NAMES: Scope = new Set();
const WRITTEN: Record<string, string> = {
  InsertQueryNode: "into",
  UpdateQueryNode: "table",
  DeleteQueryNode: "from",
  MergeQueryNode: "into",
};
/** Roots whose tables are read, except for those in WRITTEN; other roots change the schema. */
const QUERIES = new Set(["SelectQueryNode", "RawNode", "WithNode", ...Object.keys(WRITTEN)]);

function guard(check: Check, narrowed: (node: RootOperationNode) => RootOperationNode): KyselyPlugin {
  return {
    transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
      each(node, { check, wanted: QUERIES.has(node.kind) ? "read" : "write", names: NO_NAMES });
      return narrowed(node);
    },
    transformResult: async ({ result }) => result,
  };
}

interface Place {
  check: Check;
  wanted: "read" | "write";
  names: Scope;
}

/** Skips names that may be aliases: the owner of a column, `for update of`, names in `sql` templates. */
function walk(node: Tree, place: Place): void {
  if (node.kind === "TableNode") {
    checkTable(node, place);
    return;
  }
  if (node.kind === "SelectModifierNode") return;
  const inner = QUERIES.has(node.kind) && node.kind !== "WithNode" ? enter(node, place) : place;
  const written = WRITTEN[node.kind];
  for (const key in node) {
    if (key === "with" || key === "kind" || (node.kind === "ReferenceNode" && key === "table")) continue;
    const wanted = key === written ? "write" : inner.wanted;
    const value =
      node.kind === "RawNode"
        ? listOf(node.parameters).filter((given) => !isTree(given) || given.kind !== "TableNode")
        : node[key];
    each(value, wanted === inner.wanted ? inner : { ...inner, wanted });
  }
}

function each(value: unknown, place: Place): void {
  if (Array.isArray(value)) {
    for (const item of value) each(item, place);
  } else if (isTree(value)) {
    walk(value, place);
  }
}

/** A nested query reads; its `with` defines names, each for those after it, or for all where recursive. */
function enter(node: Tree, place: Place): Place {
  const clause = nodeIn(node, "with");
  if (!clause) return place.wanted === "read" ? place : { ...place, wanted: "read" };
  const names = new Set(place.names);
  const expressions = listOf(clause.expressions).filter(isTree);
  const named = (expression: Tree) => tableName(nodeIn(nodeIn(expression, "name"), "table"));
  if (clause.recursive) for (const expression of expressions) names.add(named(expression));
  for (const expression of expressions) {
    each(expression.expression, { ...place, wanted: "read", names: new Set(names) });
    names.add(named(expression));
  }
  return { ...place, wanted: "read", names };
}

function checkTable(node: Tree, { check, wanted, names }: Place): void {
  const name = tableName(node);
  const schema = nodeIn(nodeIn(node, "table"), "schema");
  // Only a read can mean a name of `with`: PostgreSQL writes to tables alone, and a name with a schema is that of a table.
  if (wanted === "write" || schema !== undefined || !names.has(name)) check(name, wanted);
}
