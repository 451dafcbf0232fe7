import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { codeOf } from "lectern/db";
import { formatError, UNREADABLE } from "./validation_errors.ts";
import { type Entry, HEADER_BYTES, readBytes, type Source } from "./zip.ts";

const HEADER_SIGNATURE = 0x0403_4b50;

/**
 * Unpacks an entry, awaiting `onChunk` for each chunk. Throws ArchiveError as soon as there is more data than the directory
 * declares, and at the end where size or checksum differ; the chunks are to be discarded then.
 */
export async function unpack(
  source: Source,
  entry: Entry,
  onChunk: (chunk: Uint8Array) => void | Promise<void> = () => {},
): Promise<void> {
  const header = await readBytes(source, entry.offset, entry.offset + HEADER_BYTES);
  if (header.readUInt32LE(0) !== HEADER_SIGNATURE) throw formatError(UNREADABLE);
  const start = entry.offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = start + entry.packedSize;
  if (end > entry.limit) throw formatError(UNREADABLE);
  let size = 0;
  let crc = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > entry.size) {
        done(formatError(UNREADABLE));
        return;
      }
      crc = Bun.hash.crc32(chunk, crc);
      Promise.resolve(onChunk(chunk)).then(() => done(), done);
    },
  });
  const packed = Readable.from(chunksOf(source, start, end));
  try {
    if (entry.method === "stored") await pipeline(packed, sink);
    else await pipeline(packed, createInflateRaw(), sink);
  } catch (error) {
    // Errors of zlib are the archive's; others, such as a full disk, are not.
    if (error instanceof Error && /^(Z_|ERR_STREAM)/.test(codeOf(error))) throw formatError(UNREADABLE);
    throw error;
  }
  if (size !== entry.size || crc !== entry.crc) throw formatError(UNREADABLE);
}

/** Unpacks an entry into memory. */
export async function unpackBytes(source: Source, entry: Entry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await unpack(source, entry, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

async function* chunksOf(source: Source, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start < end) yield* source.stream({ start, end });
}
