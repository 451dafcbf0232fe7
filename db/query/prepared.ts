/**
 * Prepared statements: a Kysely query that is built and compiled once and then run with parameters. Its types are those of the
 * builder, its price that of a text: compiling a query costs as much as sending it. A parameter is a value or, for what
 * differs by viewer, an `sql` template, whose text is put in at its place.
 */
import {
  type Compilable,
  type CompiledQuery,
  type DeleteResult,
  DummyDriver,
  type InsertResult,
  Kysely,
  type MergeResult,
  type OperationNodeSource,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCreator,
  type RootOperationNode,
  sql,
  type UpdateResult,
} from "kysely";
import { fragmentText } from "./query.ts";
import { runOnPool, writeAhead } from "./routes.ts";
import type { Tables } from "./tables.ts";

/** A store or transaction, for running prepared statements. */
export type Executor = Pick<Kysely<never>, "executeQuery" | "getExecutor">;

/** The rows of a query; none for a write without `returning`. */
type RowsOf<Output> = Output extends InsertResult | UpdateResult | DeleteResult | MergeResult ? never : Output;

/** A statement that is compiled at its first use. */
export interface Statement<Parameters, Row> {
  /** The plugin and what it does: "books.find". */
  readonly name: string;
  /** The SQL with `:name` for each parameter. Throws what building the query throws. */
  text(): string;
  /** Runs the statement and returns its rows. Throws GrantError for tables that the plugin of `db` may not use. */
  execute(db: Executor, parameters: Parameters): Promise<Row[]>;
  /** Runs the statement and returns its first row. Throws as `execute` does. */
  executeTakeFirst(db: Executor, parameters: Parameters): Promise<Row | undefined>;
  /** The same for a statement that returns a row in any case, such as an insert. Throws, too, where it returned none. */
  executeTakeFirstOrThrow(db: Executor, parameters: Parameters): Promise<Row>;
  /** The statement with its parameters, as `queryWithDeadline` takes it. Throws as `execute` does. */
  compile(db: Executor, parameters: Parameters): CompiledQuery<Row>;
  /** Runs a write whose answer is not needed, as `write()` does. Throws as `execute` does. */
  write(db: Executor, parameters: Parameters): Promise<void>;
}

const STATEMENTS: Statement<never, unknown>[] = [];
/** Builds queries and runs none. */
const BUILDER: QueryCreator<Tables> = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
/** The names of statements by their text, once they are kept. Texts that differ by their templates count each. */
const NAMES = new Map<string, string>();
const MAX_NAMES = 10_000;
let areNamesKept = false;
const QUERY_ID = { queryId: "prepared" };
/** Stands around the name of a parameter in compiled SQL: a character that no query holds. */
const MARK = "\u0001";

/**
 * A statement over the declared tables. `build` is called once, with the builder and an object whose members stand for the
 * parameters: each is one value (not an object of columns), or an `sql` template where its type says so. Call it at the top
 * of a module, so that the statement is in the list of `preparedStatements`.
 * @example
 * const findNote = prepared("notes.find", (db, p: { id: number; visible: ReturnType<typeof sql<boolean>> }) =>
 *   db.selectFrom("notes").select(["id", "name"]).where("id", "=", p.id).where(p.visible),
 * );
 * const note = await findNote.executeTakeFirst(db, { id: 1, visible: sql<boolean>`true` });
 */
export function prepared<Parameters extends object, Output>(
  name: string,
  build: (db: QueryCreator<Tables>, parameters: Parameters) => Compilable<Output>,
): Statement<Parameters, RowsOf<Output>> {
  const statement = new PreparedStatement<Parameters, RowsOf<Output>>(name, build);
  STATEMENTS.push(statement);
  return statement;
}

/**
 * All statements of the modules that were loaded, in the order of their names.
 * @example
 * const texts = preparedStatements().map((statement) => `${statement.name}: ${statement.text()}`);
 */
export function preparedStatements(): readonly Statement<never, unknown>[] {
  return STATEMENTS.toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Keeps the names of statements that run from now on, for `statementName`; until then they cost nothing. */
export function keepStatementNames(): void {
  areNamesKept = true;
}

/** The name of the prepared statement that ran with this text; undefined for other texts. */
export function statementName(text: string): string | undefined {
  return NAMES.get(text);
}

/** A compiled query, cut at its parameters. */
interface Parts {
  readonly tree: RootOperationNode;
  /** One more than `names`: the text before, between and after the parameters. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
  /** The values that the query itself has, `$1` and further. */
  readonly values: readonly unknown[];
  /** The text where every parameter is a value, numbered in the order of `distinct`. */
  readonly plainText: string;
  readonly distinct: readonly string[];
}

class PreparedStatement<Parameters extends object, Row> implements Statement<Parameters, Row> {
  readonly name: string;
  readonly #build: (db: QueryCreator<Tables>, parameters: Parameters) => Compilable<unknown>;
  #parts: Parts | undefined;
  /** The Kysely plugins, such as those of grants, that have accepted the query. */
  readonly #accepted = new WeakSet<object>();

  constructor(name: string, build: (db: QueryCreator<Tables>, parameters: Parameters) => Compilable<unknown>) {
    this.name = name;
    this.#build = build;
    // All plugins reach it by `preparedStatements`.
    Object.freeze(this);
  }

  text(): string {
    return joined(this.#compiled(), (name) => `:${name}`);
  }

  async execute(db: Executor, parameters: Parameters): Promise<Row[]> {
    const query = this.compile(db, parameters);
    return runOnPool<Row>(db, query.sql, query.parameters) ?? (await db.executeQuery<Row>(query)).rows;
  }

  async executeTakeFirst(db: Executor, parameters: Parameters): Promise<Row | undefined> {
    return (await this.execute(db, parameters))[0];
  }

  async executeTakeFirstOrThrow(db: Executor, parameters: Parameters): Promise<Row> {
    const [row] = await this.execute(db, parameters);
    if (row === undefined) throw new Error(`The statement "${this.name}" returned no row`);
    return row;
  }

  async write(db: Executor, parameters: Parameters): Promise<void> {
    const query = this.compile(db, parameters);
    await (writeAhead(db, query) ?? db.executeQuery(query));
  }

  compile(db: Executor, parameters: Parameters): CompiledQuery<Row> {
    const parts = this.#compiled();
    this.#check(db, parts.tree);
    const given = parameters as Readonly<Record<string, unknown>>;
    const bound = [...parts.values];
    const about = { query: parts.tree, queryId: QUERY_ID };
    if (!parts.distinct.some((name) => isFragment(given[name]))) {
      for (const name of parts.distinct) bound.push(given[name]);
      return this.#named({ sql: parts.plainText, parameters: bound, ...about });
    }
    const numbers = new Map<string, number>();
    const text = joined(parts, (name) => {
      const value = given[name];
      if (isFragment(value)) return templateText(value, bound);
      const number = numbers.get(name) ?? bound.push(value);
      numbers.set(name, number);
      return `$${number}`;
    });
    return this.#named({ sql: text, parameters: bound, ...about });
  }

  #named(query: CompiledQuery<Row>): CompiledQuery<Row> {
    if (areNamesKept && NAMES.size < MAX_NAMES) NAMES.set(query.sql, this.name);
    return query;
  }

  #compiled(): Parts {
    if (this.#parts) return this.#parts;
    const marks = new Proxy({}, { get: (_, name) => sql.raw(`${MARK}${String(name)}${MARK}`) });
    const { query, sql: text, parameters: values } = this.#build(BUILDER, marks as Parameters).compile();
    const pieces = text.split(MARK);
    const cut = {
      texts: pieces.filter((_, at) => at % 2 === 0),
      names: pieces.filter((_, at) => at % 2 === 1),
    };
    const distinct = [...new Set(cut.names)];
    const plainText = joined(cut, (name) => `$${values.length + distinct.indexOf(name) + 1}`);
    this.#parts = { tree: query, values, distinct, plainText, ...cut };
    return this.#parts;
  }

  /** Shows the query to the Kysely plugins of `db`, once for each. A plugin throws for a query that it refuses. */
  #check(db: Executor, tree: RootOperationNode): void {
    for (const plugin of db.getExecutor().plugins) {
      if (this.#accepted.has(plugin)) continue;
      plugin.transformQuery({ node: tree, queryId: QUERY_ID });
      this.#accepted.add(plugin);
    }
  }
}
Object.freeze(PreparedStatement.prototype);

/** The whole text, with `placed` for each parameter. */
function joined({ texts, names }: Pick<Parts, "texts" | "names">, placed: (name: string) => string): string {
  let text = texts[0] ?? "";
  for (let at = 0; at < names.length; at++) text += placed(names[at] ?? "") + texts[at + 1];
  return text;
}

function isFragment(value: unknown): value is OperationNodeSource {
  return typeof value === "object" && value !== null && "toOperationNode" in value;
}

/** The text of a template. Throws TypeError for a query, whose tables would not be checked against grants. */
function templateText(template: OperationNodeSource, parameters: unknown[]): string {
  const node = template.toOperationNode();
  if (node.kind === "RawNode") return fragmentText(node, parameters);
  throw new TypeError(`Cannot pass a ${node.kind} to a prepared statement: wanted an sql template or a value`);
}
