/**
 * Finds and removes orphaned files. A file is written before its row and removed after it, so that a crash leaves a file
 * without a row and never a row without its file. Plugins say which of their files are in use (slot `file_claims`); files of
 * plugins that do not, or that are not loaded, are counted and kept. Uploads to a bucket that a crash has left unfinished are ended
 * by their age.
 */

import { DAY_MS } from "../std/time.ts";
import { type FileStore, isPartial, type StoredEntry, type UnfinishedUpload } from "./file_store.ts";
import { isOfStore } from "./instance_marker.ts";
import type { FileClaim } from "./provided.ts";

/** The result of a sweep. */
export interface SweepResult {
  /** Orphaned files, removed unless it was a dry run. */
  readonly orphans: readonly StoredEntry[];
  readonly kept: number;
  /** The number of files of plugins without a claim, by the first part of their keys. */
  readonly unclaimed: ReadonlyMap<string, number>;
  /** Unfinished uploads, ended unless it was a dry run. */
  readonly unfinished: readonly UnfinishedUpload[];
}

/** Options of a sweep. */
export interface SweepOptions {
  /** Removes nothing. */
  readonly dryRun: boolean;
  /** Milliseconds; younger files are kept, since their row may not be committed yet. */
  readonly olderThanMs?: number;
}

/** A day, far longer than any request or transaction. */
export const ORPHAN_AGE_MS = DAY_MS;
const BATCH = 500;

/** Files that were compared with the claims of plugins. */
export interface ComparedFiles extends Omit<SweepResult, "unclaimed" | "unfinished"> {
  /** The plugin, by the first part of the keys. */
  readonly owner: string;
  /** The number of files, if no plugin claims those of `owner`. */
  readonly unclaimed: number;
}

/** Compares a store of files with the claims of plugins, in batches, and removes nothing. */
export async function* findOrphans(
  files: FileStore,
  claims: readonly FileClaim[],
  olderThanMs: number = ORPHAN_AGE_MS,
): AsyncGenerator<ComparedFiles> {
  for await (const batch of batches(files.list())) {
    for (const [owner, entries] of Map.groupBy(batch, ({ key }) => key.slice(0, key.indexOf("/")))) {
      const used = await usedOf(owner, entries, claims);
      const before = Date.now() - olderThanMs;
      const orphans = used ? entries.filter(({ key, modified }) => !used.has(key) && modified.getTime() < before) : [];
      yield { owner, orphans, kept: entries.length - orphans.length, unclaimed: used ? 0 : entries.length };
    }
  }
}

/** Sweeps a store of files. */
export async function sweepFiles(
  files: FileStore,
  claims: readonly FileClaim[],
  { dryRun, olderThanMs = ORPHAN_AGE_MS }: SweepOptions,
): Promise<SweepResult> {
  const unclaimed = new Map<string, number>();
  const orphans: StoredEntry[] = [];
  let kept = 0;
  for await (const found of findOrphans(files, claims, olderThanMs)) {
    orphans.push(...found.orphans);
    kept += found.kept;
    if (found.unclaimed > 0) unclaimed.set(found.owner, (unclaimed.get(found.owner) ?? 0) + found.unclaimed);
  }
  const unfinished = await Array.fromAsync(findUnfinished(files, olderThanMs));
  if (!dryRun) {
    for (const { key } of orphans) await files.remove(key);
    for (const upload of unfinished) await files.unfinished?.end(upload);
  }
  return { orphans, kept, unclaimed, unfinished };
}

/** The unfinished uploads that no running process can still finish; ends none. */
export async function* findUnfinished(
  { unfinished }: FileStore,
  olderThanMs: number = ORPHAN_AGE_MS,
): AsyncGenerator<UnfinishedUpload> {
  for await (const upload of unfinished?.list() ?? [])
    if (upload.started.getTime() < Date.now() - olderThanMs) yield upload;
}

/** The keys in use; undefined if no plugin claims them. Incompletely written files are in use by none. */
async function usedOf(
  owner: string,
  entries: readonly StoredEntry[],
  claims: readonly FileClaim[],
): Promise<ReadonlySet<string> | undefined> {
  if (entries.every(({ key }) => isPartial(key))) return new Set();
  const own = claims.filter(({ plugin }) => plugin === owner);
  if (own.length === 0) return undefined;
  const keys = entries.map(({ key }) => key.slice(owner.length + 1));
  const used = await Promise.all(own.map((claim) => claim.used(keys)));
  return new Set(used.flat().map((key) => `${owner}/${key}`));
}

async function* batches(entries: AsyncIterable<StoredEntry>): AsyncGenerator<StoredEntry[]> {
  let batch: StoredEntry[] = [];
  for await (const entry of entries) {
    if (isOfStore(entry.key)) continue;
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
