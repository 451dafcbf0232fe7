/** What plugins contribute about files: which of theirs are in use, and stores in place of the data folder. */
import type { FileStore } from "./file_store.ts";

/**
 * Which files of a plugin are in use. Files of a plugin without a claim are never swept.
 * @example
 * context.contribute("file_claims", {
 *   plugin: "notes",
 *   async used(keys) {
 *     const found = await context.db.selectFrom("notes").select("text").where("text", "in", [...keys]).execute();
 *     return found.map((note) => note.text);
 *   },
 * });
 */
export interface FileClaim {
  /** The plugin whose files these are. */
  readonly plugin: string;
  /** Those of the keys (as in the plugin's own `files`) that some row names. */
  readonly used: (keys: readonly string[]) => Promise<readonly string[]>;
}

/**
 * A file store that settings alone describe: `fileStore` of a plugin's definition. It is opened before the boot, so that a start compares its marker with the
 * database before any migration, and that `restore`, `move-files` and `leader` use it without a boot. It counts as a contribution to
 * `file_store`, so it needs the power of that.
 * @example
 * const folders: DeclaredFileStore<{ folder: string }> = {
 *   name: "share",
 *   check: "SHARE_FOLDER",
 *   place: ({ folder }) => folder,
 *   describe: ({ folder }) => `the share "${folder}"`,
 *   open: ({ folder }) => shareStore(folder),
 * };
 */
export interface DeclaredFileStore<S = Readonly<Record<string, unknown>>> {
  /** Unique: the value of FILES_STORE that chooses it, and the scheme of addresses of other places, such as "s3://backups/daily". */
  readonly name: string;
  /** The variables to look at where it fails, as a part of a sentence. */
  readonly check: string;
  /** Where uploaded files lie, such as a bucket; "" where the settings name nothing, so that it is in use by FILES_STORE alone. */
  place(settings: S): string;
  /** That place in messages. */
  describe(settings: S): string;
  /** Opens it without a request. Keys are not checked before (`checkedKey`). Throws BootError for settings that cannot be used. */
  open(settings: S): FileStore;
  /** Opens another place of the same service, for backups; absent where there is none. Throws BootError. */
  openOther?(place: string, settings: S): FileStore;
}

/**
 * A place where files lie, such as another object store: the contribution to the slot `file_store`. FILES_STORE chooses it; the
 * data folder ("disk") and a bucket ("s3") ship. One that settings alone describe is better declared (`DeclaredFileStore`). `testFileStore` of `lectern/test` tests an implementation.
 * @example
 * const files = new Map<string, { blob: Blob; modified: Date }>();
 * context.contribute("file_store", {
 *   name: "memory",
 *   async put(key, content) {
 *     const blob = await new Response(content).blob();
 *     files.set(key, { blob, modified: new Date() });
 *     return blob.size;
 *   },
 *   async get(key) {
 *     const file = files.get(key);
 *     if (!file) return undefined;
 *     const { blob, modified } = file;
 *     const body = (range?: { start: number; end: number }) => blob.slice(range?.start, range?.end);
 *     return { size: blob.size, modified, body, stream: (range) => body(range).stream(), bytes: () => blob.bytes() };
 *   },
 *   async remove(key) {
 *     files.delete(key);
 *   },
 *   async *list(prefix = "") {
 *     for (const [key, { blob, modified }] of files)
 *       if (key.startsWith(prefix)) yield { key, size: blob.size, modified };
 *   },
 * });
 */
export interface FileStoreProvider extends Omit<FileStore, "put"> {
  /** Unique: the value of FILES_STORE that chooses it. */
  readonly name: string;
  /**
   * Writes a whole file and resolves with its size in bytes when it is durable. Readers see the former file or the whole new
   * one, never a part; where the content fails, nothing changes. Keys are checked: at most 500 characters, names separated by "/"
   * without control characters and backslashes. The content is read once, and may be larger than the memory.
   */
  put(key: string, content: Uint8Array | Blob | ReadableStream<Uint8Array>): Promise<number>;
}

declare module "../registry.ts" {
  interface Slots {
    file_claims: FileClaim;
    file_store: FileStoreProvider;
  }
}
