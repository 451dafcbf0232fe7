/**
 * Writes a backup archive: a tar that is compressed by Zstandard while it is written, so that neither a table nor a file is in
 * memory as a whole. Every byte is part of one hash, which the last entry has.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import { messageOf } from "lectern/db";
import { createTarPacker } from "modern-tar";

/** Receives the compressed archive and resolves once it is stored; cancels or aborts where the stream fails. */
export type ArchiveSink = (archive: Readable) => Promise<void>;

const MODE = 0o600;

/** An archive that is being written. */
export class ArchiveWriter {
  readonly #tar = createTarPacker();
  readonly #hash = createHash("sha256");

  /** Adds an entry of exactly `size` bytes. */
  async add(name: string, size: number, content: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<void> {
    this.#hash.update(`${name}\n${size}\n`);
    const header = { name, size, mode: MODE, mtime: new Date(0) };
    const writer = await received(async () => this.#tar.controller.add(header).getWriter());
    for await (const chunk of content) {
      this.#hash.update(chunk);
      await received(() => writer.write(plain(chunk)));
    }
    await received(() => writer.close());
  }

  /** Adds an entry of JSON. */
  async addJson(name: string, value: unknown): Promise<void> {
    const bytes = new TextEncoder().encode(`${JSON.stringify(value, undefined, 1)}\n`);
    await this.add(name, bytes.byteLength, [bytes]);
  }

  /** The hash of everything that was added. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Ends the archive. */
  end(): void {
    this.#tar.controller.finalize();
  }

  /** Ends the archive with an error, which its sink receives. */
  fail(error: unknown): void {
    this.#tar.controller.error(error);
  }

  /** The bytes of the archive, compressed. */
  compressed(): Readable {
    const tar = Readable.fromWeb(this.#tar.readable as Parameters<typeof Readable.fromWeb>[0]);
    const zstd = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    tar.once("error", (error) => zstd.destroy(error));
    zstd.once("error", (error) => tar.destroy(error));
    return tar.pipe(zstd);
  }
}

/** Writes an archive into a sink: `fill` adds its entries. An error of either ends both. */
export async function writeArchive(sink: ArchiveSink, fill: (writer: ArchiveWriter) => Promise<void>): Promise<void> {
  const writer = new ArchiveWriter();
  const stored = sink(writer.compressed());
  // A sink that failed reads no more, so that entries would collect in memory.
  stored.catch((error: unknown) => writer.fail(error));
  const filled = fill(writer).then(
    () => writer.end(),
    (error: unknown) => {
      writer.fail(error);
      throw error;
    },
  );
  const [, end] = await Promise.allSettled([stored, filled]);
  // The cause: an error of the sink also ends the entries, and one of the entries the sink.
  if (end.status === "rejected" && !(end.reason instanceof SinkEnded)) throw end.reason;
  await stored;
  await filled;
}

/** The sink takes no more; its own error says why. */
class SinkEnded extends Error {}

async function received<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    // A size that differs from the announced one is an error of the packer, which the sink receives too.
    throw new SinkEnded(messageOf(cause), { cause });
  }
}

/** The packer takes no subclass such as Buffer. */
function plain(chunk: Uint8Array): Uint8Array {
  return chunk.constructor === Uint8Array ? chunk : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
