/** The store cannot be opened, reached or migrated: a text for operators that never holds a password. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/** A plugin touched a table it holds no grant for. */
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
