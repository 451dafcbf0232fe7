/**
 * Writes a backup: the rows of one moment, then the files that they refer to. Both are streamed, so that memory does not grow
 * with the size of the instance, and others write meanwhile. A file that is removed meanwhile stays until the backup ends
 * (`core/files/held_files.ts`); files that are stored meanwhile may be in it, without a row.
 */
import { createHash } from "node:crypto";
import { isPartial } from "lectern/cli";
import type { FileStore } from "lectern/core";
import { type Snapshot, type Store, withSnapshot } from "lectern/db";
import packaged from "../../../package.json" with { type: "json" };
import { FORMAT, type Manifest, type Summary, tableEntry } from "./archive/manifest.ts";
import { lines } from "./archive/reader.ts";
import { type ArchiveWriter, writeArchive } from "./archive/writer.ts";
import type { BackupPlace } from "./places.ts";

/** What is backed up. */
export interface BackupSource {
  readonly store: Pick<Store, "sql">;
  /** Undefined for a backup of the store alone. */
  readonly files: FileStore | undefined;
}

/** What a backup has. */
export interface BackupContents {
  readonly tables: number;
  readonly rows: number;
  readonly files: number;
  /** Keys of files that were listed and were gone: something else than Lectern removed them. */
  readonly lost: readonly string[];
}

/** Rows are collected up to this size, as an entry says its size before its content. */
const PART_BYTES = 4 * 1024 * 1024;
/** Lost files that are named. */
const NAMED_FILES = 20;

/** Writes a backup to a place, which has the former one until this one is complete. */
export async function createBackup({ store, files }: BackupSource, place: BackupPlace): Promise<BackupContents> {
  const summary: { tables: Summary["tables"]; files: { count: number; bytes: number } } = {
    tables: {},
    files: { count: 0, bytes: 0 },
  };
  const lost: string[] = [];
  await writeArchive(place.write, async (writer) => {
    await withSnapshot(store, {
      async rows(snapshot) {
        await writer.addJson("manifest.json", manifestOf(snapshot, files !== undefined));
        for (const { name } of snapshot.schema.tables)
          summary.tables[name] = await addTable(writer, name, await snapshot.copy(name));
      },
      async files() {
        if (files) await addFiles(writer, files, summary.files, lost);
      },
    });
    await writer.addJson("summary.json", { ...summary, sha256: writer.digest() } satisfies Summary);
  });
  const tables = Object.values(summary.tables);
  return {
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    files: summary.files.count,
    lost: lost.slice(0, NAMED_FILES),
  };
}

function manifestOf({ server, schema, sequences, ledgers }: Snapshot, files: boolean): Manifest {
  return {
    format: FORMAT,
    lectern: packaged.version,
    createdAt: new Date().toISOString(),
    postgres: server,
    files,
    ledgers: ledgers as Manifest["ledgers"],
    schema: schema as Manifest["schema"],
    sequences: [...sequences],
  };
}

async function addTable(
  writer: ArchiveWriter,
  name: string,
  rows: AsyncIterable<Uint8Array>,
): Promise<Summary["tables"][string]> {
  const hash = createHash("sha256");
  const total = { rows: 0, bytes: 0 };
  let [part, size] = [0, 0];
  let chunks: Uint8Array[] = [];
  const flush = async () => {
    if (size === 0) return;
    const bytes = Buffer.concat(chunks);
    hash.update(bytes);
    total.rows += lines(bytes);
    total.bytes += size;
    [chunks, size] = [[], 0];
    await writer.add(tableEntry(name, ++part), bytes.byteLength, [bytes]);
  };
  for await (const chunk of rows) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= PART_BYTES) await flush();
  }
  await flush();
  return { ...total, sha256: hash.digest("hex") };
}

async function addFiles(
  writer: ArchiveWriter,
  files: FileStore,
  total: { count: number; bytes: number },
  lost: string[],
): Promise<void> {
  for await (const { key } of files.list()) {
    if (isPartial(key)) continue;
    const file = await files.get(key);
    if (!file) {
      lost.push(key);
      continue;
    }
    await writer.add(`files/${key}`, file.size, file.stream());
    total.count++;
    total.bytes += file.size;
  }
}
