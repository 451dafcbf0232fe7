import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { yieldToEventLoop } from "lectern/core";

/** A file of a ZIP archive. */
export interface ZipEntry {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Whether to compress it; images, for example, are compressed already. */
  readonly deflate?: boolean;
}

/** Bytes compressed before the event loop is yielded to. */
const SLICE_BYTES = 65_536;

/** Generates a ZIP file in chunks, at the pace of its consumer. */
export async function* zipStream(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  const output: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, bytes) => {
    failure ??= error;
    if (bytes) output.push(bytes);
  });
  const drain = function* () {
    if (failure) throw failure;
    yield* output.splice(0);
  };
  const yieldNow = yieldToEventLoop();
  for await (const { name, content, deflate = false } of entries) {
    const file = deflate ? new ZipDeflate(name, { level: 6 }) : new ZipPassThrough(name);
    zip.add(file);
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
        // A copy, as fflate may keep the array until it is compressed.
        file.push(chunk.slice(at, at + SLICE_BYTES));
        await yieldNow();
        yield* drain();
      }
    }
    file.push(new Uint8Array(0), true);
    yield* drain();
  }
  zip.end();
  yield* drain();
}
