import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { yieldToEventLoop } from "lectern/core";

/** A file of an archive. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Whether packing it pays: pictures and the like are packed already. */
  readonly deflate?: boolean;
}

/** Bytes packed at a time, so that nobody else waits long. */
const SLICE_BYTES = 65_536;

/** A ZIP file, piece by piece, written no faster than it is taken. */
export async function* archive(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  let failed: Error | null = null;
  const zip = new Zip((error, bytes) => {
    failed ??= error;
    if (bytes) made.push(bytes);
  });
  const taken = function* () {
    if (failed) throw failed;
    yield* made.splice(0);
  };
  const yieldNow = yieldToEventLoop();
  for await (const { name, content, deflate = false } of entries) {
    const file = deflate ? new ZipDeflate(name, { level: 6 }) : new ZipPassThrough(name);
    zip.add(file);
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        // A copy, as what is handed over may be kept until it is packed.
        file.push(chunk.slice(at, at + SLICE_BYTES));
        await yieldNow();
        yield* taken();
      }
    }
    file.push(new Uint8Array(0), true);
    yield* taken();
  }
  zip.end();
  yield* taken();
}
