/**
 * Copies all files of one store to another. Each copy is read back and compared by its SHA-256, and then entered in a journal on
 * disk, so that a process killed at any moment continues where it was, without reading again what is verified.
 */
import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { type FileStore, isPartial, type StoredEntry } from "../files/file_store.ts";
import { isOfStore } from "../files/instance_marker.ts";
import { digestOf } from "../files/recorded_files.ts";

/** What is copied from where to where. */
export interface FileCopy {
  readonly from: FileStore;
  readonly to: FileStore;
  /** The path of the journal, a SQLite database; one for each direction. */
  readonly journal: string;
  /** Files that are copied at a time. */
  readonly parallel: number;
  /** Called after each file with the totals so far. */
  onProgress?(progress: CopyResult): void;
}

/** The totals of a copy. */
export interface CopyResult {
  /** Files and bytes that were copied and verified now. */
  readonly files: number;
  readonly bytes: number;
  /** Files that had been verified before. */
  readonly kept: number;
}

/** Copies what the journal does not have yet. Throws where a store fails or a copy differs; the journal keeps what is verified. */
export async function copyFiles({ from, to, journal, parallel, onProgress }: FileCopy): Promise<CopyResult> {
  const known = openJournal(journal);
  let total: CopyResult = { files: 0, bytes: 0, kept: 0 };
  const copyOne = async (entry: StoredEntry) => {
    if (known.has(entry) && (await to.get(entry.key))?.size === entry.size) {
      total = { ...total, kept: total.kept + 1 };
    } else {
      const digest = await copyVerified(from, to, entry.key);
      if (digest === undefined) return;
      known.add(entry, digest);
      total = { ...total, files: total.files + 1, bytes: total.bytes + entry.size };
    }
    onProgress?.(total);
  };
  try {
    let batch: StoredEntry[] = [];
    for await (const entry of from.list()) {
      if (isOfStore(entry.key) || isPartial(entry.key)) continue;
      batch.push(entry);
      if (batch.length < parallel) continue;
      await Promise.all(batch.map(copyOne));
      batch = [];
    }
    await Promise.all(batch.map(copyOne));
    return total;
  } finally {
    known.close();
  }
}

/** Copies a file unless the target has the same; undefined where the source has lost it meanwhile. */
async function copyVerified(from: FileStore, to: FileStore, key: string): Promise<string | undefined> {
  const source = await from.get(key);
  if (!source) return undefined;
  const present = await to.get(key);
  if (present?.size === source.size) {
    const digest = await digestOf(source.stream());
    if (digest === (await digestOf(present.stream()))) return digest;
  }
  const hash = createHash("sha256");
  const hashing = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      hash.update(chunk);
      controller.enqueue(chunk);
    },
  });
  await to.put(key, source.stream().pipeThrough(hashing));
  const digest = hash.digest("hex");
  const copy = await to.get(key);
  if (copy?.size === source.size && (await digestOf(copy.stream())) === digest) return digest;
  await to.remove(key);
  throw new Error(`Cannot copy the file "${key}": the copy differs from the original, and was removed`);
}

/** The journal of verified files. An entry holds for a file of the same size and time. */
function openJournal(path: string) {
  const database = new Database(path, { create: true });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  database.exec(
    "create table if not exists verified (key text primary key, size integer, modified integer, sha256 text)",
  );
  const find = database.query<{ found: number }, [string, number, number]>(
    "select 1 as found from verified where key = ? and size = ? and modified = ?",
  );
  const insert = database.query<never, [string, number, number, string]>(
    "insert or replace into verified values (?, ?, ?, ?)",
  );
  return {
    has: ({ key, size, modified }: StoredEntry) => find.get(key, size, modified.getTime()) !== null,
    add: ({ key, size, modified }: StoredEntry, digest: string) =>
      void insert.run(key, size, modified.getTime(), digest),
    close: () => database.close(),
  };
}
