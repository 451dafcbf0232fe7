/**
 * Restores a backup. The archive is read twice: first it is checked as a whole, and nothing changes where it is damaged; then
 * the tables are built in one transaction, files are stored, and the commit makes the rows visible. Interrupted before the commit,
 * the rows are as they were, and of the files there may be some more, which no row refers to. A present file whose content differs
 * is replaced after the commit.
 */
import { createHash } from "node:crypto";
import { MARKER_KEY } from "lectern/cli";
import { BootError, type FileStore } from "lectern/core";
import { isEmptyStore, isInUse, type Migrating, rebuildStore, type Store, type TableRows } from "lectern/db";
import { type Fit, fitOf, type Manifest, type Summary } from "./archive/manifest.ts";
import { readArchive } from "./archive/reader.ts";
import type { BackupPlace } from "./places.ts";

/** Where a backup is restored. */
export interface RestoreTarget {
  readonly store: Pick<Store, "sql">;
  readonly files: FileStore;
  /** All plugins and the runtime, as "core". */
  readonly installed: readonly Migrating[];
}

/** Options of a restore. */
export interface RestoreOptions {
  /** Whether present rows are replaced; files that the archive does not have stay, without rows. */
  readonly replace: boolean;
  readonly onNote: (text: string) => void;
}

/** What was restored. */
export interface Restored extends Fit {
  readonly manifest: Manifest;
  readonly summary: Summary;
}

/** Restores a backup. Throws BootError for what does not fit, before anything has changed. */
export async function restoreBackup(
  place: BackupPlace,
  { store, files, installed }: RestoreTarget,
  { replace, onNote }: RestoreOptions,
): Promise<Restored> {
  const refuse = (why: string) => new BootError(`Cannot restore "${place.name}": ${why}`);
  if (await isInUse(store))
    throw refuse("a server or a command uses the store; stop it first, and all other servers of this database");
  if (!replace && !(await isEmptyStore(store)))
    throw refuse("the store is not empty; restore into an empty one, or add --replace, which deletes what is in it");
  const { manifest, matching, hasMarker } = await check(place, files, installed);
  const present = manifest.files && !replace ? await count(files) : 0;
  if (present > matching)
    throw refuse(`there are files already (${present - matching}); restore into an empty folder, or add --replace`);
  const changed: string[] = [];
  let summary: Summary | undefined;
  await rebuildStore(store, manifest, { replace, onLeftOut: onNote }, async ({ table }) => {
    summary = (await fill(place, table, files, changed)).summary;
  });
  if (changed.length > 0) await replaceFiles(place, files, new Set(changed));
  // A backup of a version without markers: the next start writes one.
  if (manifest.files && !hasMarker) await files.remove(MARKER_KEY);
  return { ...fitOf(manifest, installed), manifest, summary: summary as Summary };
}

/** Reads the whole archive. Resolves with the number of its files that are present, by key and size. */
async function check(
  place: BackupPlace,
  files: FileStore,
  installed: readonly Migrating[],
): Promise<{ manifest: Manifest; matching: number; hasMarker: boolean }> {
  let matching = 0;
  let hasMarker = false;
  const { manifest } = await readArchive(await place.read(), (found) => {
    const { problem } = fitOf(found, installed);
    if (problem !== undefined) throw new BootError(`Cannot restore "${place.name}": ${problem}`);
    return {
      table: async (_name, body) => skip(body),
      async file(key, size, body) {
        if (key === MARKER_KEY) hasMarker = true;
        if ((await files.get(key))?.size === size) matching++;
        await skip(body);
      },
    };
  });
  return { manifest, matching, hasMarker };
}

async function fill(
  place: BackupPlace,
  open: (name: string) => Promise<TableRows>,
  files: FileStore,
  changed: string[],
): Promise<{ summary: Summary }> {
  const counts = new Map<string, number>();
  let current: { name: string; rows: TableRows } | undefined;
  const close = async () => {
    if (current) counts.set(current.name, await current.rows.end());
    current = undefined;
  };
  const { summary } = await readArchive(await place.read(), () => ({
    async table(name, body) {
      if (current?.name !== name) {
        await close();
        current = { name, rows: await open(name) };
      }
      for await (const chunk of body) await current.rows.write(chunk);
    },
    async file(key, size, body) {
      await close();
      if (!(await keep(files, key, size, body))) changed.push(key);
    },
  }));
  await close();
  for (const [name, { rows }] of Object.entries(summary.tables))
    if ((counts.get(name) ?? 0) !== rows)
      throw new BootError(
        `Cannot restore "${place.name}": ${counts.get(name) ?? 0} of ${rows} rows of "${name}" arrived`,
      );
  return { summary };
}

/** Stores a file that is not there yet. Resolves to false, and changes nothing, if there is one with other content. */
async function keep(files: FileStore, key: string, size: number, body: AsyncIterable<Uint8Array>): Promise<boolean> {
  const present = await files.get(key);
  if (!present) {
    await files.put(key, streamOf(body));
    return true;
  }
  const hashes = [await hashOf(body), present.size === size ? await hashOf(present.stream()) : ""];
  return hashes[0] === hashes[1];
}

async function replaceFiles(place: BackupPlace, files: FileStore, keys: ReadonlySet<string>): Promise<void> {
  await readArchive(await place.read(), () => ({
    table: async (_name, body) => skip(body),
    async file(key, _size, body) {
      if (keys.has(key)) await files.put(key, streamOf(body));
      else await skip(body);
    },
  }));
}

async function hashOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}

async function skip(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}

async function count(files: FileStore): Promise<number> {
  let found = 0;
  for await (const _file of files.list()) found++;
  return found;
}

function streamOf(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
