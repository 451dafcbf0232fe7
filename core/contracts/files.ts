import type { EventTransaction } from "../events/event_bus.ts";

/** Which files of a plugin are in use. Files of a plugin without a claim are never swept. */
export interface FileClaim {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /** Those of the keys (as in the plugin's own `files`) that some row names. */
  readonly used: (keys: readonly string[]) => Promise<readonly string[]>;
}

/** Stores files of a plugin for others that write its rows, such as the copy of an instance. */
export interface FileKeeper {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /**
   * Stores bytes, removed on rollback. Returns the columns of their row, `file_key` among them. Throws ApiError 422 for
   * bytes that the plugin would refuse from a request.
   */
  keep(content: Uint8Array, tx: EventTransaction): Promise<Readonly<Record<string, unknown>>>;
  /** Removes a file that no row names, at the commit. */
  drop(fileKey: string, tx: EventTransaction): void;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    file_claims: FileClaim;
    file_keeper: FileKeeper;
  }
}
