import type { EventTransaction } from "../events/event_bus.ts";

/** Which files of a plugin are in use. Files of a plugin that makes no claim are never swept away. */
export interface FileClaim {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /** Those of the keys, as the plugin's own `files` knows them, that some row names. */
  readonly used: (keys: readonly string[]) => Promise<readonly string[]>;
}

/** Keeps a plugin's files for whoever writes its rows, such as a copy of a whole instance. */
export interface FileKeeper {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /**
   * Stores bytes and answers the columns of a row that tell of them, `file_key` among them. They are taken back if the
   * transaction is. Throws ApiError 422 for what the plugin would refuse from a request.
   */
  keep(content: Uint8Array, tx: EventTransaction): Promise<Readonly<Record<string, unknown>>>;
  /** Removes a file with the commit, once no row names it. */
  drop(fileKey: string, tx: EventTransaction): void;
}

declare module "../runtime/registry.ts" {
  interface Slots {
    file_claims: FileClaim;
    file_keeper: FileKeeper;
  }
}
