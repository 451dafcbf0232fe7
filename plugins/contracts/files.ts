import { deepFreeze, type EventTransaction, type SlotSpecs, type StoredFile } from "lectern/core";

/**
 * Stores files of a plugin for others that write its rows, such as the copy of an instance, and reads them for others that work on them.
 * @example
 * context.contribute("file_keeper", {
 *   plugin: "notes",
 *   async keep(content, tx) {
 *     const key = crypto.randomUUID();
 *     tx.onRollback(() => context.files.remove(key));
 *     await context.files.put(key, content);
 *     return { file_key: key };
 *   },
 *   drop: (key, tx) => tx.afterCommit(() => context.files.remove(key)),
 *   read: (key) => context.files.get(key),
 * });
 */
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
  /** A stored file, whoever may see what it belongs to; undefined if there is none. */
  read(fileKey: string): Promise<StoredFile | undefined>;
}

declare module "lectern/core" {
  interface Slots {
    file_keeper: FileKeeper;
  }
}

/** What is known of these slots beside their types. */
export const fileKeeperSlots = deepFreeze({
  file_keeper: {
    members: { plugin: "text", keep: "function", drop: "function", read: "function" },
    ships: ["keep", "drop", "read"],
    limit: "long",
  },
} as const satisfies SlotSpecs);
