/**
 * SQL that a plugin gives to the statements of others, such as the condition of a visibility rule. It runs with the rights of
 * those statements, so it is built with Kysely and its tree is copied node by node: what is not known here is refused, a template
 * of `sql` above all, whose text names tables and functions that no tree shows. A column is named with its table, which is the one
 * that the expression is over, or one of a subselect and granted to the plugin; so nothing of the statement around it can be
 * meant. Tables and functions are written with their schema, so that neither a name of `with` nor another function of the
 * same name takes their place. The result is a text with parameters, which stays as it was checked.
 */
import { type Expression, PostgresQueryCompiler, type RawBuilder, type RawNode, sql } from "kysely";
import { ExpressionRefused, GrantError } from "./errors.ts";
import { asText, deep, identifier, isAll, isTree, listOf, type Tree, tableNode } from "./expression_nodes.ts";
import { type Grants, isDenied } from "./grants.ts";
import { memoized } from "./query.ts";
import { FUNCTIONS, OPERATORS, TEMPLATES, TYPES } from "./sql_words.ts";
import { isObject } from "./unknown_values.ts";

/** Whose expression it is, and where it stands. */
export interface ExpressionPlace {
  readonly plugin: string;
  readonly grants: Grants;
  /** The tables whose columns it may name, under their own names: those of the statement that it becomes a part of. */
  readonly over: readonly string[];
  /** The schema of the store's tables. */
  readonly schema: string;
}

/** A table, or a subselect in its place, and the columns that may be named of it; undefined for all of them. */
interface Source {
  readonly table: string;
  readonly columns: ReadonlySet<string> | undefined;
}
/** By their names in the statement. */
type Sources = ReadonlyMap<string, Source>;

const MAX_DEPTH = 60;
const MAX_NODES = 2_000;
/** Characters of a refused text that an error shows. */
const MAX_SHOWN = 80;
/** Words of the grammar: they have no schema, and no function can take their place. */
const SYNTAX: ReadonlySet<string> = new Set(["any", "coalesce", "greatest", "least", "nullif", "trim"]);
/** Functions of Lectern, in the schema of its tables. */
const OWN: ReadonlySet<string> = new Set(["text_key"]);
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
/** One with a minus would begin a comment before another one. */
const UNARY: ReadonlySet<string> = new Set(["not", "exists", "not exists"]);
const JOINS: ReadonlySet<string> = new Set(["InnerJoin", "LeftJoin", "CrossJoin"]);
/** Nodes that are copied with their members, each of which is an expression or a list of them. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  AndNode: ["left", "right"],
  OrNode: ["left", "right"],
  ParensNode: ["node"],
  TupleNode: ["values"],
  ValueListNode: ["values"],
  WhenNode: ["condition", "result"],
};

/**
 * Checks an expression and returns it as a template that any statement may hold, in parentheses. Throws GrantError for a table or a
 * column that the plugin may not read, and ExpressionRefused for anything else that is not allowed.
 * @example
 * const eb = expressionBuilder<{ notes: { deleted_at: string | null } }, "notes">();
 * const place = { plugin: "notes", grants: { read: ["notes"], write: [] }, over: ["notes"], schema: "public" };
 * const present = checkedExpression(eb("notes.deleted_at", "is", null), place);
 */
export function checkedExpression<T>(given: Expression<T>, place: ExpressionPlace): RawBuilder<T> {
  const tree = new Copier(place).whole(given.toOperationNode());
  // The copy has the shape of the node; the compiler of Kysely reads nothing else of it.
  const compiled = new PostgresQueryCompiler().compileQuery(tree as unknown as RawNode, { queryId: "checked" });
  // Neither names nor literals have a dollar, so each one stands before the number of a parameter.
  const texts = `(${compiled.sql})`.split(/\$\d+/);
  return memoized(sql<T>(Object.assign(texts, { raw: texts }), ...compiled.parameters));
}

/** Copies what is known of a tree, and refuses the rest. */
class Copier {
  readonly #place: ExpressionPlace;
  #nodes = 0;

  constructor(place: ExpressionPlace) {
    this.#place = place;
  }

  whole(tree: unknown): Tree {
    const { over } = this.#place;
    return this.#expression(tree, new Map(over.map((table) => [table, this.#readable(table)])), 0);
  }

  #expression(given: unknown, sources: Sources, depth: number): Tree {
    this.#nodes += 1;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) throw this.#refused("an expression of that size");
    const node = this.#node(given);
    const { kind } = node;
    const inner = (value: unknown) => this.#expression(value, sources, depth + 1);
    const all = (values: unknown) => listOf(values).map(inner);
    const plain = Object.hasOwn(PLAIN, kind) ? PLAIN[kind] : undefined;
    if (plain)
      return this.#copied(node, kind, Object.fromEntries(plain.map((name) => [name, deep(node[name], inner)])));
    switch (kind) {
      case "ReferenceNode":
        return this.#reference(node, sources);
      case "ValueNode":
        return this.#value(node);
      case "PrimitiveValueListNode":
        return this.#copied(node, kind, { values: listOf(node.values).map((value) => this.#parameter(value)) });
      case "BinaryOperationNode":
        return this.#copied(node, kind, {
          leftOperand: inner(node.leftOperand),
          operator: this.#operator(node.operator, (word) => OPERATORS.includes(word)),
          rightOperand: inner(node.rightOperand),
        });
      case "UnaryOperationNode":
        return this.#copied(node, kind, {
          operator: this.#operator(node.operator, (word) => UNARY.has(word)),
          operand: inner(node.operand),
        });
      case "CaseNode":
        return this.#copied(node, kind, {
          value: deep(node.value, inner),
          when: deep(node.when, inner),
          else: deep(node.else, inner),
          isStatement: node.isStatement === true || undefined,
        });
      case "CastNode":
        return this.#copied(node, kind, { expression: inner(node.expression), dataType: this.#type(node.dataType) });
      case "FunctionNode":
        return this.#copied(node, kind, {
          func: this.#function(node.func),
          arguments: all(node.arguments).map(asText),
        });
      case "AggregateFunctionNode":
        return this.#aggregate(node, sources, depth);
      case "SelectQueryNode":
        return this.#select(node, sources, depth);
      case "RawNode":
        return this.#raw(node, inner);
      default:
        throw this.#refused(kind);
    }
  }

  #node(value: unknown): Tree {
    if (!isTree(value)) throw this.#refused("nothing");
    return value;
  }

  /** A copy of a node with these members. Throws where it has others: they would be left out in silence. */
  #copied(node: Tree, kind: string, members: Readonly<Record<string, unknown>>): Tree {
    for (const name in node)
      if (name !== "kind" && node[name] !== undefined && !Object.hasOwn(members, name))
        throw this.#refused(`"${name}" of ${kind}`);
    return { kind, ...members };
  }

  #reference(node: Tree, sources: Sources): Tree {
    const source = this.#tableName(node.table);
    const { table, columns } = sources.get(source) ?? {};
    if (table === undefined) throw this.#refused(`a column of "${source}", which is no table of it`);
    const { column } = node;
    const name = isTree(column) && column.kind === "ColumnNode" ? this.#name(column.column) : undefined;
    if (columns && (name === undefined || !columns.has(name)))
      throw new GrantError(this.#place.plugin, table, "read", {
        columns: [...columns],
        ...(name !== undefined && { column: name }),
      });
    const shown = name === undefined ? this.#all(column) : { kind: "ColumnNode", column: identifier(name) };
    return this.#copied(node, "ReferenceNode", { table: tableNode(source), column: shown });
  }

  #value(node: Tree): Tree {
    const { value, immediate } = node;
    if (immediate && typeof value === "string" && /[\\$\0]/.test(value)) throw this.#refused("a literal with \\ or $");
    if (immediate && !["string", "number", "boolean"].includes(typeof value) && value !== null)
      throw this.#refused("such a literal");
    return this.#copied(node, "ValueNode", {
      value: this.#parameter(value),
      immediate: immediate === true || undefined,
    });
  }

  /** A value that is sent as a parameter: an object could bring SQL of its own. */
  #parameter(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#parameter(each));
    if (value instanceof Date) return new Date(value);
    if (value === null || ["string", "number", "bigint", "boolean"].includes(typeof value)) return value;
    throw this.#refused(`a value that is ${typeof value === "object" ? "an object" : typeof value}`);
  }

  #operator(node: unknown, isAllowed: (word: string) => boolean): Tree {
    const word = isTree(node) && node.kind === "OperatorNode" ? node.operator : undefined;
    if (typeof word !== "string" || !isAllowed(word)) throw this.#refused(`the operator "${String(word)}"`);
    return { kind: "OperatorNode", operator: word };
  }

  #type(node: unknown): Tree {
    const name = isTree(node) && node.kind === "DataTypeNode" ? node.dataType : undefined;
    if (typeof name !== "string" || !TYPES.test(name)) throw this.#refused(`a cast to "${String(name)}"`);
    return { kind: "DataTypeNode", dataType: name };
  }

  /** The name of a function with its schema. */
  #function(name: unknown): string {
    if (typeof name !== "string" || !FUNCTIONS.includes(name)) throw this.#refused(`the function "${String(name)}"`);
    if (SYNTAX.has(name)) return name;
    return OWN.has(name) ? `"${this.#place.schema.replaceAll('"', '""')}".${name}` : `pg_catalog.${name}`;
  }

  #aggregate(node: Tree, sources: Sources, depth: number): Tree {
    const inner = (value: unknown) => this.#expression(value, sources, depth + 1);
    const { filter } = node;
    return this.#copied(node, "AggregateFunctionNode", {
      func: this.#function(node.func),
      aggregated: listOf(node.aggregated).map((each) => (isAll(each) ? this.#all(each) : inner(each))),
      distinct: node.distinct === true || undefined,
      filter: filter && this.#clause(filter, "WhereNode", "where", inner),
    });
  }

  /** A subselect: its tables are granted ones, or subselects again, and their columns are named by it and within it. */
  #select(node: Tree, outer: Sources, depth: number): Tree {
    const sources = new Map(outer);
    const add = (source: unknown) => this.#source(this.#node(source), { outer, sources, depth });
    const { where, having, limit, offset } = node;
    const part = (given: unknown) => (given === undefined ? undefined : this.#node(given));
    const [from, groupBy, orderBy] = [part(node.from), part(node.groupBy), part(node.orderBy)];
    const froms = listOf(from?.froms).map(add);
    const joined = listOf(node.joins).map((join) => [this.#node(join), add(this.#node(join).table)] as const);
    const inner = (value: unknown) => this.#expression(value, sources, depth + 1);
    const clause = (given: unknown, kind: string, member: string) => given && this.#clause(given, kind, member, inner);
    return this.#copied(node, "SelectQueryNode", {
      from: from && this.#copied(from, "FromNode", { froms }),
      joins: node.joins && joined.map(([join, table]) => this.#join(join, table, inner)),
      selections: deep(node.selections, (each) => this.#selection(this.#node(each), inner)),
      where: clause(where, "WhereNode", "where"),
      having: clause(having, "HavingNode", "having"),
      groupBy: groupBy && {
        kind: "GroupByNode",
        items: listOf(groupBy.items).map((each) => this.#clause(each, "GroupByItemNode", "groupBy", inner)),
      },
      orderBy: orderBy && {
        kind: "OrderByNode",
        items: listOf(orderBy.items).map((each) => this.#order(this.#node(each), inner)),
      },
      limit: clause(limit, "LimitNode", "limit"),
      offset: clause(offset, "OffsetNode", "offset"),
    });
  }

  #clause(given: unknown, kind: string, member: string, inner: (value: unknown) => Tree): Tree {
    const node = this.#node(given);
    if (node.kind !== kind) throw this.#refused(node.kind);
    return this.#copied(node, kind, { [member]: inner(node[member]) });
  }

  #join(node: Tree, table: Tree, inner: (value: unknown) => Tree): Tree {
    const { joinType, on } = node;
    if (typeof joinType !== "string" || !JOINS.has(joinType)) throw this.#refused(`a join by ${String(joinType)}`);
    return this.#copied(node, "JoinNode", { joinType, table, on: on && this.#clause(on, "OnNode", "on", inner) });
  }

  #order(node: Tree, inner: (value: unknown) => Tree): Tree {
    const { nulls } = node;
    if (nulls !== undefined && nulls !== "first" && nulls !== "last") throw this.#refused("such an order");
    return this.#copied(node, "OrderByItemNode", {
      orderBy: inner(node.orderBy),
      direction: deep(node.direction, inner),
      nulls,
    });
  }

  #selection(node: Tree, inner: (value: unknown) => Tree): Tree {
    const selection = this.#node(node.selection);
    if (isAll(selection)) throw this.#refused("all columns; name those that it needs");
    const shown =
      selection.kind === "AliasNode"
        ? this.#copied(selection, "AliasNode", {
            node: inner(selection.node),
            alias: identifier(this.#name(selection.alias)),
          })
        : inner(selection);
    return this.#copied(node, "SelectionNode", { selection: shown });
  }

  /** A table of a subselect, under its name or another one. */
  #source(
    node: Tree,
    { outer, sources, depth }: { outer: Sources; sources: Map<string, Source>; depth: number },
  ): Tree {
    const given = node.kind === "AliasNode" ? this.#node(node.node) : node;
    const table = given.kind === "TableNode" ? this.#tableName(given) : undefined;
    const name = node.kind === "AliasNode" ? this.#name(node.alias) : table;
    if (name === undefined) throw this.#refused(`${given.kind} without a name`);
    const shown = table === undefined ? this.#subselect(given, outer, depth + 1) : tableNode(table, this.#place.schema);
    sources.set(name, table === undefined ? { table: name, columns: undefined } : this.#readable(table));
    return { kind: "AliasNode", node: shown, alias: identifier(name) };
  }

  #subselect(node: Tree, outer: Sources, depth: number): Tree {
    if (node.kind !== "SelectQueryNode") throw this.#refused(`${node.kind} as a table`);
    return this.#expression(node, outer, depth);
  }

  /** Words such as `now()`, and what is no text: `sql.ref`, `sql.lit` and `sql.val`. */
  #raw(node: Tree, inner: (value: unknown) => Tree): Tree {
    const text = listOf(node.sqlFragments).map(String).join("…");
    const values = listOf(node.parameters);
    if (values.length === 1 && text === "…") return inner(values[0]);
    if (values.length === 0 && TEMPLATES.includes(text))
      return this.#copied(node, "RawNode", { sqlFragments: [text], parameters: [] });
    throw this.#refused(`the text "${text.trim().slice(0, MAX_SHOWN)}" of a template of sql`);
  }

  /** A table with the columns that the plugin may read. Throws GrantError where it may read none. */
  #readable(table: string): Source {
    const { plugin, grants } = this.#place;
    if (grants.read.includes(table) || grants.write.includes(table)) return { table, columns: undefined };
    const columns = grants.columns && Object.hasOwn(grants.columns, table) ? grants.columns[table] : undefined;
    if (!columns) throw new GrantError(plugin, table, "read", { denied: isDenied(grants, table, "read") });
    return { table, columns: new Set(columns) };
  }

  #all(node: unknown): Tree {
    if (!isAll(node)) throw this.#refused("such a column");
    return { kind: "SelectAllNode" };
  }

  /** The name of a table, which is written without a schema. */
  #tableName(node: unknown): string {
    if (!isTree(node)) throw this.#refused("a column without its table");
    const { identifier: name, schema } = isObject(node.table) ? node.table : {};
    if (node.kind !== "TableNode" || schema !== undefined) throw this.#refused("a table with a schema");
    return this.#name(name);
  }

  #name(node: unknown): string {
    const name = isTree(node) && node.kind === "IdentifierNode" ? node.name : undefined;
    if (typeof name !== "string" || !NAME.test(name)) throw this.#refused(`the name "${String(name)}"`);
    return name;
  }

  #refused(found: string): ExpressionRefused {
    return new ExpressionRefused(this.#place.plugin, found, this.#place.over);
  }
}
