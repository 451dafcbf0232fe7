/**
 * Grants on tables: a Kysely plugin that reads each query's tree before it is compiled, inside transactions too.
 * A table is what stands in from, into, using, a join, or a schema change; names given by `with` are none, and
 * are known only where SQL knows them. Writing implies reading. A guard-rail, a reading aid, no sandbox: hand-written
 * `sql` passes (nested Kysely queries in it are still read), so do `rows()` and `withoutPlugins()`. Tables of
 * another schema than "public" are named with it ("pg_catalog.pg_class").
 */
import type { Kysely, KyselyPlugin, OperationNode, PluginTransformQueryArgs, RootOperationNode } from "kysely";
import { GrantError } from "./errors.ts";
import type { Db, TableName, Tables } from "./tables.ts";

/** Table names a plugin may read, and write; a table it may write it may also read. */
export interface Grants {
  read: readonly string[];
  write: readonly string[];
}

/**
 * The same store, narrowed to `grants`; a transaction stays one. Queries beyond them throw GrantError.
 * @example
 * const narrow = guarded<"notes">(db, "notes", { read: ["notes"], write: [] });
 * await narrow.selectFrom("notes").selectAll().execute();
 */
export function guarded<Name extends TableName = TableName>(
  db: Db,
  plugin: string,
  grants: Grants,
): Kysely<Pick<Tables, Name>> {
  const write = new Set(grants.write);
  const read = new Set([...grants.read, ...grants.write]);
  const check: Check = (table, wanted) => {
    if (!(wanted === "write" ? write : read).has(table)) throw new GrantError(plugin, table, wanted);
  };
  // One cast here: comparing two Kysely types costs the compiler a third of its whole work.
  return db.withPlugin(guard(check)) as unknown as Kysely<Pick<Tables, Name>>;
}

type Check = (table: string, wanted: "read" | "write") => void;
type Scope = ReadonlySet<string>;
type Tree = { readonly kind: string } & { readonly [key: string]: unknown };

const NO_NAMES: Scope = new Set();
const WRITTEN: Record<string, string> = {
  InsertQueryNode: "into",
  UpdateQueryNode: "table",
  DeleteQueryNode: "from",
  MergeQueryNode: "into",
};
/** Roots whose tables are read unless named in WRITTEN; every other root changes the schema. */
const QUERIES = new Set(["SelectQueryNode", "RawNode", "WithNode", ...Object.keys(WRITTEN)]);

function guard(check: Check): KyselyPlugin {
  return {
    transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
      const tree = node as unknown as Tree;
      walk(tree, { check, wanted: QUERIES.has(node.kind) ? "read" : "write", names: NO_NAMES });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

interface Place {
  check: Check;
  wanted: "read" | "write";
  names: Scope;
}

/** Passes over what may be an alias: the owner of a column, `for update of`, and names in hand-written sql. */
function walk(node: Tree, place: Place): void {
  if (node.kind === "TableNode") {
    judge(node, place);
    return;
  }
  if (node.kind === "SelectModifierNode") return;
  const inner = QUERIES.has(node.kind) && node.kind !== "WithNode" ? enter(node, place) : place;
  const written = WRITTEN[node.kind];
  for (const key in node) {
    if (key === "with" || key === "kind" || (node.kind === "ReferenceNode" && key === "table")) continue;
    const wanted = key === written ? "write" : inner.wanted;
    const value =
      node.kind === "RawNode" ? (node.parameters as Tree[]).filter(({ kind }) => kind !== "TableNode") : node[key];
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

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && typeof (value as OperationNode).kind === "string";
}

/** A query within a query reads; its `with` adds names, each seen by those after it, or by all when recursive. */
function enter(node: Tree, place: Place): Place {
  const clause = node.with as Tree | undefined;
  if (!clause) return place.wanted === "read" ? place : { ...place, wanted: "read" };
  const names = new Set(place.names);
  const expressions = clause.expressions as { name: { table: Tree }; expression: Tree }[];
  if (clause.recursive) for (const { name } of expressions) names.add(tableName(name.table));
  for (const { name, expression } of expressions) {
    each(expression, { ...place, wanted: "read", names: new Set(names) });
    names.add(tableName(name.table));
  }
  return { ...place, wanted: "read", names };
}

function judge(node: Tree, { check, wanted, names }: Place): void {
  const name = tableName(node);
  // Only a read can mean a `with` name: Postgres writes to tables alone.
  if (wanted === "write" || !names.has(name)) check(name, wanted);
}

function tableName(node: Tree): string {
  const { schema, identifier } = node.table as { schema?: { name: string }; identifier: { name: string } };
  return schema && schema.name !== "public" ? `${schema.name}.${identifier.name}` : identifier.name;
}
