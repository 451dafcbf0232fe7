/**
 * Reads untrusted ZIP files. Only the central directory is used, and checked: declared sizes limit what is read, and entries
 * may not overlap, share a name, be encrypted, be symbolic links or have unsafe names. All this happens before anything is
 * unpacked, so that a ZIP bomb costs no more than its directory. No file is written under a name from the archive.
 */
import { formatError, UNREADABLE } from "./validation_errors.ts";

/** A source of bytes with random access, such as a stored file. */
export interface Source {
  readonly size: number;
  stream(range: { readonly start: number; readonly end: number }): ReadableStream<Uint8Array>;
}

/** A file within an archive. */
export interface Entry {
  readonly name: string;
  /** Uncompressed bytes, as the directory declares. */
  readonly size: number;
  readonly packedSize: number;
  readonly method: "stored" | "deflated";
  readonly crc: number;
  /** Offset of its local header. */
  readonly offset: number;
  /** The offset that it must end before. */
  readonly limit: number;
}

/** Limits of an archive. */
export interface ZipLimits {
  readonly maxEntries: number;
  /** Uncompressed bytes of all entries. */
  readonly maxTotalBytes: number;
  /** The greatest ratio of uncompressed to compressed size, of entries above `ratioFromBytes` uncompressed bytes. */
  readonly maxRatio: number;
  readonly ratioFromBytes: number;
}

const END_SIGNATURE = 0x0605_4b50;
const ENTRY_SIGNATURE = 0x0201_4b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
/** Bytes of a local header without the name. */
export const HEADER_BYTES = 30;
const MAX_COMMENT_BYTES = 65_535;
const MAX_DIRECTORY_BYTES = 16_777_216;
const ENCRYPTED = 0x41;
const UTF8 = 0x800;
const TYPE_MASK = 0o170000;
const LINK_TYPE = 0o120000;
/** The attribute of links on Windows. */
const REPARSE_POINT = 0x400;

/** The entries of an archive by name. Throws ArchiveError where a check fails. */
export async function readZip(source: Source, limits: ZipLimits): Promise<ReadonlyMap<string, Entry>> {
  const { start, size, count } = await findDirectory(source);
  if (count > limits.maxEntries) throw formatError(`The ZIP file has more than ${limits.maxEntries} entries.`);
  const entries = parse(await readBytes(source, start, start + size), count);
  rejectOverlaps(entries, start);
  rejectOversized(entries, limits);
  const named = new Map<string, Entry>();
  for (const entry of entries) {
    if (named.has(entry.name)) throw formatError("The ZIP file has two entries of the same name.");
    named.set(entry.name, { ...entry, limit: start });
  }
  return named;
}

/** Reads a range of a source. Throws ArchiveError where the source ends before it. */
export async function readBytes(source: Source, start: number, end: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.stream({ start, end })) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.length !== end - start) throw formatError(UNREADABLE);
  return bytes;
}

/** Finds the central directory. A comment of any content may follow its end record, so the search goes backwards. */
async function findDirectory(source: Source): Promise<{ start: number; size: number; count: number }> {
  const from = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await readBytes(source, from, source.size);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE || tail.readUInt16LE(at + 20) !== tail.length - at - END_BYTES)
      continue;
    const [disk, first] = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)];
    const [onDisk, count] = [tail.readUInt16LE(at + 8), tail.readUInt16LE(at + 10)];
    const [size, start] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
    const isComplete = disk === 0 && first === 0 && onDisk === count && start + size === from + at;
    if (!isComplete || size > MAX_DIRECTORY_BYTES || size < count * ENTRY_BYTES) break;
    return { start, size, count };
  }
  throw formatError(UNREADABLE);
}

function parse(directory: Buffer, count: number): Entry[] {
  const entries: Entry[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE)
      throw formatError(UNREADABLE);
    const lengthAt = (field: number) => directory.readUInt16LE(at + field);
    const [nameLength, extraLength, commentLength] = [lengthAt(28), lengthAt(30), lengthAt(32)];
    const end = at + ENTRY_BYTES + nameLength;
    if (end > directory.length) throw formatError(UNREADABLE);
    entries.push(
      entryAt(directory, at, nameOf(directory.subarray(at + ENTRY_BYTES, end), directory.readUInt16LE(at + 8))),
    );
    at = end + extraLength + commentLength;
  }
  if (at !== directory.length) throw formatError(UNREADABLE);
  return entries;
}

function entryAt(directory: Buffer, at: number, name: string): Entry {
  const flags = directory.readUInt16LE(at + 8);
  const method = directory.readUInt16LE(at + 10);
  const numberAt = (field: number) => directory.readUInt32LE(at + field);
  const [crc, packedSize, size] = [numberAt(16), numberAt(20), numberAt(24)];
  const attributes = directory.readUInt32LE(at + 38);
  if ((flags & ENCRYPTED) !== 0) throw formatError("The ZIP file has encrypted entries.");
  if (isLink(attributes)) throw formatError("The ZIP file has entries that are links.");
  if (method !== 0 && method !== 8) throw formatError("The ZIP file has entries packed in an unknown way.");
  if (method === 0 && size !== packedSize) throw formatError(UNREADABLE);
  const offset = directory.readUInt32LE(at + 42);
  return { name, size, packedSize, method: method === 0 ? "stored" : "deflated", crc, offset, limit: 0 };
}

/** Whether an entry is a link under Unix or Windows, whichever system it declares, as unpackers differ in which they trust. */
function isLink(attributes: number): boolean {
  return ((attributes >>> 16) & TYPE_MASK) === LINK_TYPE || (attributes & REPARSE_POINT) !== 0;
}

function nameOf(bytes: Buffer, flags: number): string {
  const name = bytes.toString((flags & UTF8) !== 0 || isUtf8(bytes) ? "utf8" : "latin1");
  const isUnsafe = [...name].some((character) => character < " " || character === "\\" || character === "\u007f");
  if (isUnsafe || name.startsWith("/") || name.split("/").includes(".."))
    throw formatError("The ZIP file has entries with unsafe names.");
  return name;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8")).equals(bytes);
}

/** Overlapping entries would let a small file declare a large content. */
function rejectOverlaps(entries: readonly Entry[], directoryStart: number): void {
  let free = 0;
  for (const { offset, packedSize, name } of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (offset < free) throw formatError(UNREADABLE);
    free = offset + HEADER_BYTES + name.length + packedSize;
  }
  if (free > directoryStart) throw formatError(UNREADABLE);
}

function rejectOversized(entries: readonly Entry[], { maxTotalBytes, maxRatio, ratioFromBytes }: ZipLimits): void {
  let total = 0;
  for (const { size, packedSize } of entries) {
    total += size;
    if (size > ratioFromBytes && size > packedSize * maxRatio)
      throw formatError(`The ZIP file has entries that grow more than ${maxRatio} times when they are unpacked.`);
  }
  if (total > maxTotalBytes)
    throw formatError(`The ZIP file holds more than ${Math.floor(maxTotalBytes / 1_024_000)} MB when it is unpacked.`);
}
