/**
 * Exports are written completely before their answer begins: so the answer has a length, as clients expect, and what
 * goes wrong while writing is an error and no broken file. Small ones wait in memory, others in a temporary file that
 * has no name any more while it is written: nothing is left of it, whatever happens to the process.
 */
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { yieldToEventLoop } from "lectern/core";

/** What waits to be sent. */
export interface Spooled {
  /** In bytes. */
  readonly size: number;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
}

const IN_MEMORY_BYTES = 1_048_576;
const CHUNK_BYTES = 131_072;
const encoder = new TextEncoder();

/** Takes in all pieces. Rejects with what they throw, and with the file system's error where the disk is full. */
export async function spool(pieces: AsyncIterable<string | Uint8Array>): Promise<Spooled> {
  let kept: Uint8Array[] = [];
  let waiting = 0;
  let size = 0;
  let file: FileHandle | undefined;
  const flush = async () => {
    file ??= await nameless();
    await writeAll(file, Buffer.concat(kept), size - waiting);
    kept = [];
    waiting = 0;
  };
  try {
    const yieldNow = yieldToEventLoop();
    for await (const piece of pieces) {
      await yieldNow();
      const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
      kept.push(bytes);
      waiting += bytes.length;
      size += bytes.length;
      if (waiting > IN_MEMORY_BYTES) await flush();
    }
    if (!file) return { size, body: new Uint8Array(Buffer.concat(kept)) };
    await flush();
    return { size, body: reading(file, size) };
  } catch (error) {
    await file?.close();
    throw error;
  }
}

async function nameless(): Promise<FileHandle> {
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

function reading(file: FileHandle, size: number): ReadableStream<Uint8Array> {
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
        if (at < size) controller.error(new Error(`Cannot read a spooled export: found ${at} bytes, wanted ${size}`));
        else controller.close();
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  );
}
