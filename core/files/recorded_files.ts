/**
 * Sizes and checksums of stored files, in the table `stored_files`, by which `doctor` finds files that were damaged where they
 * lie. A file is recorded after it is stored, and forgotten after it is removed: a crash in between leaves a file without a record, or a
 * record without its file, and neither is taken for damage. Files of before this table are recorded by `doctor --fix`.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db, Migrations } from "../../db/mod.ts";
import { isUpload } from "../input/uploads.ts";
import type { FileContent, FileStore } from "./file_store.ts";
import { isOfStore } from "./instance_marker.ts";

/** What was stored under a key. */
export interface StoredFilesTable {
  key: string;
  /** In bytes. */
  size: number;
  /** SHA-256 in hexadecimal digits. */
  sha256: string;
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    stored_files: StoredFilesTable;
  }
}

/** The table of stored files. */
export const storedFilesMigrations: Migrations = {
  async "0011_stored_files"(db) {
    await sql`create table stored_files (key text primary key, size bigint not null, sha256 text not null)`.execute(db);
  },
};

/** A file store that records what it stores. */
export function recordedFiles(files: FileStore, db: Db): FileStore {
  return {
    async put(key, content) {
      if (isOfStore(key)) return files.put(key, content);
      const { passed, digest } = hashed(content);
      const size = await files.put(key, passed);
      try {
        await recordFile(db, { key, size, sha256: await digest() });
      } catch (cause) {
        // Its caller takes it for not stored.
        await files.remove(key).catch(() => {});
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
      return size;
    },
    get: (key) => files.get(key),
    async remove(key) {
      await files.remove(key);
      if (!isOfStore(key)) await db.deleteFrom("stored_files").where("key", "=", key).execute();
    },
    list: (prefix) => files.list(prefix),
    get unfinished() {
      return files.unfinished;
    },
  };
}

/** Records a file that is stored. */
export async function recordFile(db: Db, row: StoredFilesTable): Promise<void> {
  const { size, sha256 } = row;
  await db
    .insertInto("stored_files")
    .values(row)
    .onConflict((present) => present.column("key").doUpdateSet({ size, sha256 }))
    .execute();
}

/** The records of files, by key. */
export async function recordsOf(db: Db, keys: readonly string[]): Promise<ReadonlyMap<string, StoredFilesTable>> {
  const found = await db
    .selectFrom("stored_files")
    .selectAll()
    .where("key", "=", sql<string>`any(${[...keys]}::text[])`)
    .execute();
  return new Map(found.map((row) => [row.key, row]));
}

/** The SHA-256 of a stream in hexadecimal digits. Rejects with what reading it throws. */
export async function digestOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest("hex");
}

/**
 * Content to pass on and its digest once that was read. A stream is hashed on its way; of an upload and a blob, which can be read twice,
 * the original is passed on, so that a store links it without copying.
 */
function hashed(content: FileContent): { passed: FileContent; digest(): Promise<string> } {
  if (content instanceof Uint8Array)
    return { passed: content, digest: async () => createHash("sha256").update(content).digest("hex") };
  if (isUpload(content) || content instanceof Blob)
    return { passed: content, digest: () => digestOf(content.stream() as ReadableStream<Uint8Array>) };
  const hash = createHash("sha256");
  const hashing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      hash.update(chunk);
      controller.enqueue(chunk);
    },
  });
  return { passed: content.pipeThrough(hashing), digest: async () => hash.digest("hex") };
}
