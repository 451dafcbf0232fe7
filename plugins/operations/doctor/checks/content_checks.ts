/**
 * Checks of what stored files hold, by the sizes and checksums that were recorded when they were stored: a disk that loses bytes, and
 * whoever writes into the folder, leave no other trace. Files are listed in batches with their records. Nothing is repaired but a
 * missing record, as the content of a file is nowhere else but in backups; files that are missing are found by their rows.
 */
import { digestOf, isOfStore, isPartial, ORPHAN_AGE_MS, recordFile, recordsOf } from "lectern/cli";
import { type CheckFindings, Findings, type SelfCheck } from "lectern/contracts";
import type { FileStore, StoredEntry } from "lectern/core";
import type { Db, Tables } from "lectern/db";

/** Files whose records one statement reads. */
const BATCH = 500;
const LOST = "Copy these files from a backup into the file store.";

/** The files, and the database that has their records. */
interface Recorded {
  readonly db: Db;
  readonly files: FileStore;
}

/** A file, and its record if it has one. */
interface Found {
  readonly entry: StoredEntry;
  readonly record: Tables["stored_files"] | undefined;
}

/** Files are as large as they were stored, hold the same bytes, and belong to a plugin. `plugins` are all that ever booted here. */
export function contentChecks(stores: Recorded, plugins: () => Promise<ReadonlySet<string>>): SelfCheck[] {
  return [
    {
      name: "core/file_sizes",
      title: "Every stored file has the size that it was stored with",
      check: () =>
        findIn(stores, LOST, async ({ entry: { size }, record }) => {
          if (!record || size === record.size) return undefined;
          return `${size === 0 ? "is empty" : `has ${size} bytes`}, stored were ${record.size}`;
        }),
    },
    {
      name: "core/file_contents",
      title: "Every stored file can be read, and holds what was stored",
      onDemand: true,
      check: () => findIn(stores, LOST, (found) => damageOf(stores.files, found)),
    },
    {
      name: "core/file_checksums",
      title: "The checksum of every stored file is kept",
      async check() {
        const findings = new Findings();
        for await (const { entry, record } of present(stores)) if (!record && isSettled(entry)) findings.add(entry.key);
        return findings.as("warning", "They were stored before checksums were kept: damage to them is not found.");
      },
      async fix() {
        let kept = 0;
        for await (const { entry, record } of present(stores)) {
          const file = record || !isSettled(entry) ? undefined : await stores.files.get(entry.key);
          if (!file) continue;
          await recordFile(stores.db, { key: entry.key, size: file.size, sha256: await digestOf(file.stream()) });
          kept++;
        }
        return kept;
      },
    },
    {
      name: "core/unknown_files",
      title: "Every stored file is of a plugin",
      async check() {
        const known = await plugins();
        const advice = "Move them out of the file store, or delete them: nothing reads them.";
        return findIn(stores, advice, async ({ entry: { key, size } }) => {
          const owner = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
          return known.has(owner) ? undefined : `is of no plugin (${size} bytes)`;
        });
      },
    },
  ];
}

async function findIn(
  stores: Recorded,
  advice: string,
  problemOf: (found: Found) => Promise<string | undefined>,
): Promise<CheckFindings> {
  const findings = new Findings();
  for await (const found of present(stores)) {
    const problem = await problemOf(found);
    if (problem !== undefined) findings.add(`${found.entry.key} ${problem}`);
  }
  return findings.as("error", advice);
}

async function damageOf(files: FileStore, { entry: { key, size }, record }: Found): Promise<string | undefined> {
  try {
    const file = await files.get(key);
    // Removed meanwhile.
    if (!file) return undefined;
    const digest = await digestOf(file.stream());
    return record?.size === size && record.sha256 !== digest ? "holds other bytes than were stored" : undefined;
  } catch (error) {
    return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether its record would be there by now. */
function isSettled({ modified }: StoredEntry): boolean {
  return modified.getTime() < Date.now() - ORPHAN_AGE_MS;
}

/** All files but those of the store itself and those that are being written. */
async function* present({ db, files }: Recorded): AsyncGenerator<Found> {
  let batch: StoredEntry[] = [];
  const withRecords = async () => {
    const records = await recordsOf(
      db,
      batch.map(({ key }) => key),
    );
    return batch.map((entry) => ({ entry, record: records.get(entry.key) }));
  };
  for await (const entry of files.list()) {
    if (isOfStore(entry.key) || isPartial(entry.key)) continue;
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield* await withRecords();
    batch = [];
  }
  yield* await withRecords();
}
