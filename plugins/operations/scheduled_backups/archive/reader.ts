/**
 * Reads a backup archive, entry by entry and with little memory, and refuses one that is truncated, altered or made by other
 * means: entries are plain files with known names in a fixed order, and the last one has the hash of all others. No entry is
 * written to a path that its name says: names of tables are looked up, keys of files are checked as all keys are.
 */
import { createHash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { BootError, checkedKey } from "lectern/core";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { FORMAT, type Manifest, manifestSchema, parsedAs, type Summary, summarySchema, tableOf } from "./manifest.ts";

/** What the reader of an archive does with its parts. */
export interface ArchiveHandler {
  /** A part of the rows of a table. It has to read the whole body, as the other function has. */
  table(name: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  file(key: string, size: number, body: AsyncIterable<Uint8Array>): Promise<void>;
}

/** The largest manifest and summary in bytes. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** An error of an archive: what is wrong with it. */
export class ArchiveError extends BootError {}

/** Whether bytes begin as those of a backup do: with the mark of Zstandard. */
export function isArchiveStart(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, at) => bytes[at] === byte);
}

/** Reads the manifest alone. Throws ArchiveError. */
export async function readManifest(archive: Readable): Promise<Manifest> {
  const entries = guarded(entriesOf(archive));
  try {
    for await (const { header, body } of entries)
      return checkedManifest(header.name, await jsonBytes(header.name, header.size, guarded(body)));
    throw new ArchiveError("its end is missing");
  } finally {
    archive.destroy();
  }
}

/**
 * Reads a whole archive. `handle` gets each part in order; rows of one table come in several parts, one after the other. Throws
 * ArchiveError for a bad archive, and what a handler throws.
 */
export async function readArchive(
  archive: Readable,
  handle: (manifest: Manifest) => Promise<ArchiveHandler> | ArchiveHandler,
): Promise<{ readonly manifest: Manifest; readonly summary: Summary }> {
  const reading = new Reading();
  try {
    for await (const { header, body } of guarded(entriesOf(archive)))
      await reading.entry(header.name, header.size, guarded(body), handle);
    return reading.end();
  } finally {
    archive.destroy();
  }
}

/** The state of reading one archive. */
class Reading {
  readonly #hash = createHash("sha256");
  readonly #tables = new Map<
    string,
    { parts: number; rows: number; bytes: number; hash: ReturnType<typeof createHash> }
  >();
  readonly #files = { count: 0, bytes: 0 };
  #manifest: Manifest | undefined;
  #summary: Summary | undefined;
  #handler: ArchiveHandler | undefined;
  #lastTable = "";

  async entry(
    name: string,
    size: number,
    body: AsyncIterable<Uint8Array>,
    handle: (manifest: Manifest) => Promise<ArchiveHandler> | ArchiveHandler,
  ): Promise<void> {
    if (this.#summary) throw new ArchiveError(`the entry "${name}" follows its end`);
    if (name === "summary.json") {
      this.#summary = this.#checkedSummary(parsedAs(summarySchema, await jsonBytes(name, size, body)));
      return;
    }
    this.#hash.update(`${name}\n${size}\n`);
    const hashed = each(body, (chunk) => this.#hash.update(chunk));
    if (!this.#manifest) {
      this.#manifest = checkedManifest(name, await jsonBytes(name, size, hashed));
      this.#handler = await handle(this.#manifest);
      return;
    }
    const table = tableOf(name);
    if (table) await this.#table(table, hashed);
    else if (name.startsWith("files/")) await this.#file(name.slice("files/".length), size, hashed);
    else throw new ArchiveError(`it has the unknown entry "${name}"`);
  }

  end(): { readonly manifest: Manifest; readonly summary: Summary } {
    if (this.#manifest && this.#summary) return { manifest: this.#manifest, summary: this.#summary };
    throw new ArchiveError("its end is missing");
  }

  async #table({ name, part }: { name: string; part: number }, body: AsyncIterable<Uint8Array>): Promise<void> {
    const isKnown = this.#manifest?.schema.tables.some((table) => table.name === name);
    const state = this.#tables.get(name) ?? { parts: 0, rows: 0, bytes: 0, hash: createHash("sha256") };
    if (!isKnown || part !== state.parts + 1 || (part > 1 && this.#lastTable !== name) || this.#files.count > 0)
      throw new ArchiveError(`the rows of the table "${name}" are not where they belong`);
    state.parts = part;
    this.#tables.set(name, state);
    this.#lastTable = name;
    const counted = each(body, (chunk) => {
      state.hash.update(chunk);
      state.bytes += chunk.byteLength;
      state.rows += lines(chunk);
    });
    await this.#handler?.table(name, counted);
    await drained(counted);
  }

  async #file(key: string, size: number, body: AsyncIterable<Uint8Array>): Promise<void> {
    this.#files.count++;
    this.#files.bytes += size;
    await this.#handler?.file(safeKey(key), size, body);
    await drained(body);
  }

  #checkedSummary(summary: Summary | undefined): Summary {
    if (!summary || !this.#manifest) throw new ArchiveError("its end is damaged");
    if (summary.sha256 !== this.#hash.digest("hex"))
      throw new ArchiveError("its content does not have the hash of its end");
    for (const { name } of this.#manifest.schema.tables) {
      const found = this.#tables.get(name) ?? { rows: 0, bytes: 0, hash: createHash("sha256") };
      const wanted = summary.tables[name];
      if (found.rows !== wanted?.rows || found.bytes !== wanted.bytes || found.hash.digest("hex") !== wanted.sha256)
        throw new ArchiveError(`the rows of the table "${name}" are not those of its end`);
    }
    const { count, bytes } = summary.files;
    if (count !== this.#files.count || bytes !== this.#files.bytes) throw new ArchiveError("files are missing");
    return summary;
  }
}

/** The entries of a compressed tar. */
async function* entriesOf(archive: Readable): AsyncGenerator<ParsedTarEntry, void> {
  const decoder = createTarDecoder({ strict: true });
  const zstd = createZstdDecompress();
  // Its errors arrive at the reader of `zstd`, and by the decoder at that of the entries.
  pipeline(checkedMagic(archive), zstd, () => {});
  const fed = feed(zstd, decoder.writable.getWriter());
  // Awaited below; until then it may fail while the caller is at an entry, which is no unhandled rejection.
  fed.catch(() => {});
  const reader = decoder.readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (value.header.type !== "file") throw new ArchiveError(`its entry "${value.header.name}" is no plain file`);
      yield value;
    }
    await fed;
  } finally {
    zstd.destroy();
    await reader.cancel().catch(() => {});
    await fed.catch(() => {});
  }
}

async function feed(zstd: Readable, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of zstd) await writer.write(chunk as Uint8Array);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
}

async function* checkedMagic(archive: Readable): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of archive as AsyncIterable<Uint8Array>) {
    if (isFirst && !isArchiveStart(chunk)) throw new ArchiveError("it is no backup of Lectern");
    isFirst = false;
    yield chunk;
  }
  if (isFirst) throw new ArchiveError("it is empty");
}

function checkedManifest(name: string, bytes: Uint8Array): Manifest {
  const manifest = name === "manifest.json" ? parsedAs(manifestSchema, bytes) : undefined;
  const format = formatOf(name, bytes);
  if (format !== undefined && format > FORMAT)
    throw new ArchiveError(
      `its format is ${format}, and this Lectern reads formats up to ${FORMAT}; install a later version`,
    );
  if (!manifest) throw new ArchiveError("it is no backup of Lectern");
  return manifest;
}

/** The format of a manifest whose other fields may be of a later version. */
function formatOf(name: string, bytes: Uint8Array): number | undefined {
  if (name !== "manifest.json") return undefined;
  const found = /"format":\s*(\d+)/.exec(new TextDecoder().decode(bytes.subarray(0, 100)))?.[1];
  return found === undefined ? undefined : Number(found);
}

async function jsonBytes(name: string, size: number, body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (size > MAX_JSON_BYTES) throw new ArchiveError(`its entry "${name}" is larger than ${MAX_JSON_BYTES} bytes`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function safeKey(key: string): string {
  try {
    return checkedKey(key);
  } catch {
    throw new ArchiveError(`its file "${key}" has a name that leaves the folder of files`);
  }
}

async function* each(body: AsyncIterable<Uint8Array>, see: (chunk: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    see(chunk);
    yield chunk;
  }
}

async function drained(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}

/** Ends of lines; COPY writes one for each row, and none within. */
export function lines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}

/** The same items; errors of the source become those of an archive, and are so told from those of handlers. */
async function* guarded<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await items.next().catch((error: unknown) => {
        throw archiveError(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await items.return?.();
  }
}

function archiveError(error: unknown): ArchiveError {
  if (error instanceof ArchiveError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new ArchiveError(`it is truncated or damaged (${text})`, { cause: error });
}
