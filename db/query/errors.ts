/**
 * The store cannot be opened, reached or migrated: a text for operators that never holds a password.
 * @example
 * if (error instanceof StoreError) context.log.error("Nothing was stored", { error });
 */
export class StoreError extends Error {
  override readonly name: string = "StoreError";
}

/**
 * The store takes nothing at the moment, and nothing of what was asked has been done: every connection is busy, it is closed,
 * or the connection of a transaction was lost before its commit.
 * @example
 * if (error instanceof StoreUnavailable) await Bun.sleep(1_000);
 */
export class StoreUnavailable extends StoreError {
  override readonly name = "StoreUnavailable";
}

/**
 * A connection was lost, could not be made, or gave no answer in time. Whether what was asked has been done is not known, so
 * this is no StoreError: a commit that ends so may have happened.
 * @example
 * if (error instanceof ConnectionLost) context.log.error("It is unknown whether the note was stored", { code: error.code });
 */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** Of the system or of postgres.js, such as ECONNREFUSED; DEADLINE_EXCEEDED where no answer came in time. */
  readonly code: string;

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** SQLSTATE of a statement that the server ended: after its statement_timeout, or because somebody cancelled it. */
export const QUERY_CANCELED = "57014";

/**
 * A plugin touched a table it holds no grant for.
 * @example
 * if (error instanceof GrantError) context.log.error("Grant it first", { table: error.table, wanted: error.wanted });
 */
export class GrantError extends Error {
  override readonly name = "GrantError";
  readonly plugin: string;
  readonly table: string;
  readonly wanted: "read" | "write";

  /** Names the plugin, the table and the grant that would have let the query pass. */
  constructor(plugin: string, table: string, wanted: "read" | "write") {
    super(
      `Plugin "${plugin}" cannot ${wanted} table "${table}": it holds no such grant, ` +
        `wanted permissions.${wanted} to list "${table}"`,
    );
    this.plugin = plugin;
    this.table = table;
    this.wanted = wanted;
  }
}
