/**
 * The store cannot be opened, reached or migrated. The message is for operators and never has a password.
 * @example
 * if (error instanceof StoreError) context.log.error("Nothing was stored", { error });
 */
export class StoreError extends Error {
  override readonly name: string = "StoreError";
}

/** SQLSTATE of a server that finds no room on its disk. */
export const DISK_FULL = "53100";

/**
 * The store is unavailable and nothing was done: all connections are busy, the store is closed, or the connection of a
 * transaction was lost before the commit.
 * @example
 * if (error instanceof StoreUnavailable) await Bun.sleep(1_000);
 */
export class StoreUnavailable extends StoreError {
  override readonly name = "StoreUnavailable";
}

/**
 * A connection was lost, could not be opened, or gave no answer in time. It is unknown whether the statement took effect, a
 * commit included, so this is no StoreError.
 * @example
 * if (error instanceof ConnectionLost) context.log.error("It is unknown whether the note was stored", { code: error.code });
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** A code of the system or of postgres.js, such as ECONNREFUSED; DEADLINE_EXCEEDED without an answer in time. */
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** SQLSTATE of a statement that was cancelled, also by its statement_timeout. */
export const QUERY_CANCELED = "57014";

/**
 * A plugin ran a statement that is no read or write of rows, or changed settings of its session.
 * @example
 * if (error instanceof StatementRefused) context.log.error("Use select, insert, update, delete or merge", { error });
 */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";

  readonly plugin: string;

  /** `found` is the statement or the server's message. */
  constructor(plugin: string, found: string, options?: ErrorOptions) {
    super(
      `Plugin "${plugin}" cannot run this statement: found "${found.trim().slice(0, MAX_SHOWN)}", ` +
        `wanted select, insert, update, delete, merge, values, table, with or lock`,
      options,
    );
    this.plugin = plugin;
  }
}

/**
 * A migration of a plugin, or its `syncSchema`, changes more of the schema than what the plugin has made.
 * @example
 * if (error instanceof SchemaDenied) context.log.error("Declare grants.schema", { error });
 */
export class SchemaDenied extends Error {
  override readonly name = "SchemaDenied";

  /** `found` is the server's error, or what was found. */
  constructor(plugin: string, found: unknown) {
    const text = found instanceof Error ? found.message : String(found);
    super(
      `${text}; the schema changes of the plugin "${plugin}" may concern its own tables, and refer to those that it may read: ` +
        `more needs "schema: true" in its grants`,
      { cause: found },
    );
  }
}

/** Characters of a refused statement that an error shows. */
const MAX_SHOWN = 80;

/**
 * A plugin that does not ship gave SQL to the statements of others that is no checked expression, such as a template of `sql`.
 * @example
 * if (error instanceof ExpressionRefused) context.log.error("Build it with expressionBuilder", { error });
 */
export class ExpressionRefused extends Error {
  override readonly name = "ExpressionRefused";
  readonly plugin: string;

  /** `found` is what was refused, `over` are the tables whose columns the expression may name. */
  constructor(plugin: string, found: string, over: readonly string[]) {
    const wanted =
      over.length === 0
        ? "values, or SQL in a statement of its own"
        : "an expression that is built with expressionBuilder of lectern/core, " +
          `over columns of "${over.join('", "')}" with the table before each`;
    super(`Plugin "${plugin}" cannot give this SQL to statements of others: found ${found}, wanted ${wanted}`);
    this.plugin = plugin;
  }
}

/**
 * A plugin used a table, or a column of one, without a grant.
 * @example
 * if (error instanceof GrantError) context.log.error("Grant it first", { table: error.table, wanted: error.wanted });
 */
export class GrantError extends Error {
  override readonly name = "GrantError";
  readonly plugin: string;
  readonly table: string;
  readonly wanted: "read" | "write";
  /** The column that the plugin may not read of a table that is granted by column, where it is known. */
  readonly column: string | undefined;
  /** Whether the plugin declares the grant and the operator denied it. */
  readonly denied: boolean;

  /** `wanted` is the missing grant; `columns` are those that the plugin may read of the table, if it is granted by column. */
  constructor(
    plugin: string,
    table: string,
    wanted: "read" | "write",
    { denied = false, cause, columns, column }: GrantErrorOptions = {},
  ) {
    const what = column === undefined ? `table "${table}"` : `column "${column}" of table "${table}"`;
    super(`Plugin "${plugin}" cannot ${wanted} ${what}: ${reasonOf(table, wanted, { denied, columns })}`, { cause });
    this.column = column;
    this.denied = denied;
    this.plugin = plugin;
    this.table = table;
    this.wanted = wanted;
  }
}

interface GrantErrorOptions {
  readonly denied?: boolean;
  readonly cause?: unknown;
  readonly columns?: readonly string[] | undefined;
  readonly column?: string;
}

function reasonOf(table: string, wanted: string, { denied, columns }: GrantErrorOptions): string {
  if (denied) return `the operator denied it, in the "lectern" block of package.json`;
  if (columns !== undefined && wanted === "read")
    return `it may read its columns "${columns.join('", "')}" alone, wanted grants.columns to list the others`;
  return `it holds no such grant, wanted grants.${wanted} to list "${table}"`;
}
