/**
 * Spools an export completely before its answer begins, so that the answer has a Content-Length, as clients expect, and an
 * error while writing becomes an error response instead of a broken file. Small exports are buffered in memory, larger ones
 * in a temporary file that is unlinked right after it is opened, so that nothing remains when the process dies.
 */
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { yieldToEventLoop } from "lectern/core";

/** A complete export, ready to be sent. */
export interface Spooled {
  /** In bytes. */
  readonly size: number;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

const IN_MEMORY_BYTES = 1_048_576;
const CHUNK_BYTES = 131_072;
const encoder = new TextEncoder();

/** Consumes all chunks. Rejects with what they throw, and with the file system's error where the disk is full. */
export async function spool(pieces: AsyncIterable<string | Uint8Array>): Promise<Spooled> {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let size = 0;
  let file: FileHandle | undefined;
  const flush = async () => {
    file ??= await openUnlinked();
    await writeAll(file, Buffer.concat(buffered), size - bufferedBytes);
    buffered = [];
    bufferedBytes = 0;
  };
  try {
    const yieldNow = yieldToEventLoop();
    for await (const piece of pieces) {
      await yieldNow();
      const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
      buffered.push(bytes);
      bufferedBytes += bytes.length;
      size += bytes.length;
      if (bufferedBytes > IN_MEMORY_BYTES) await flush();
    }
    if (!file) return { size, body: new Uint8Array(Buffer.concat(buffered)) };
    await flush();
    return { size, body: streamOf(file, size) };
  } catch (error) {
    await file?.close();
    throw error;
  }
}

async function openUnlinked(): Promise<FileHandle> {
  const path = join(tmpdir(), `lectern-export-${crypto.randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

async function writeAll(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

function streamOf(file: FileHandle, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, size - at));
        const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
        at += bytesRead;
        if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead));
        if (at < size && bytesRead > 0) return;
        await file.close();
        if (at < size) controller.error(new Error(`Cannot read a spooled export: read ${at} of ${size} bytes`));
        else controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
