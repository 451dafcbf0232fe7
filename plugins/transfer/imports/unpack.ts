import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createInflateRaw } from "node:zlib";
import { UNREADABLE, unusable } from "./validation_errors.ts";
import { type Entry, HEADER_BYTES, readBytes, type Source } from "./zip.ts";

const HEADER_SIGNATURE = 0x0403_4b50;

/**
 * Unpacks an entry chunk by chunk into `take`, which is waited for. Throws ArchiveError as soon as there is more than
 * the directory claims, and where there is less or something else; what was taken by then is to be thrown away.
 */
export async function unpack(
  source: Source,
  entry: Entry,
  take: (chunk: Uint8Array) => void | Promise<void> = () => {},
): Promise<void> {
  const header = await readBytes(source, entry.offset, entry.offset + HEADER_BYTES);
  if (header.readUInt32LE(0) !== HEADER_SIGNATURE) throw unusable(UNREADABLE);
  const start = entry.offset + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = start + entry.packedSize;
  if (end > entry.limit) throw unusable(UNREADABLE);
  let size = 0;
  let crc = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > entry.size) {
        done(unusable(UNREADABLE));
        return;
      }
      crc = Bun.hash.crc32(chunk, crc);
      Promise.resolve(take(chunk)).then(() => done(), done);
    },
  });
  const packed = Readable.from(chunksOf(source, start, end));
  try {
    if (entry.method === "stored") await pipeline(packed, sink);
    else await pipeline(packed, createInflateRaw(), sink);
  } catch (error) {
    // What cannot be inflated is no fault of ours; neither is a full disk theirs.
    if (error instanceof Error && /^(Z_|ERR_STREAM)/.test(String((error as NodeJS.ErrnoException).code)))
      throw unusable(UNREADABLE);
    throw error;
  }
  if (size !== entry.size || crc !== entry.crc) throw unusable(UNREADABLE);
}

/** An entry whole; `maxBytes` bounds what it may claim. */
export async function unpackBytes(source: Source, entry: Entry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await unpack(source, entry, (chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

async function* chunksOf(source: Source, start: number, end: number): AsyncGenerator<Uint8Array> {
  if (start < end) yield* source.stream({ start, end });
}
