import type { StoredFile } from "../files/file_store.ts";

/** Base64 turns three bytes into four characters. */
const GROUP = 3;
const WRITTEN_GROUP = 4;
/** Bytes that are turned at a time, a multiple of the group: what a sent answer costs in memory. */
const CHUNK_BYTES = 48 * 1024;

const DIGITS = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
/** Both characters that twelve bits become. */
const PAIRS = new Uint16Array(
  Uint8Array.from({ length: 8192 }, (_, at) => DIGITS[at % 2 === 0 ? at >> 7 : (at >> 1) & 63] as number).buffer,
);

/**
 * A JSON answer whose last field is the base64 of a file, made while it is sent: a file of any size costs the memory of
 * a few chunks. `field` must not be among `fields`.
 * @example
 * const file = await context.files.get("notes/1.pdf");
 * if (file) return jsonWithFile({ id: 1, name: "Plan" }, "content", file);
 */
export function jsonWithFile(fields: Readonly<Record<string, unknown>>, field: string, file: StoredFile): Response {
  const frame = Buffer.from(JSON.stringify({ ...fields, [field]: "" }));
  const start = frame.subarray(0, -2);
  const parts = pieces(start, file.stream());
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
  const length = frame.length + Math.ceil(file.size / GROUP) * WRITTEN_GROUP;
  return new Response(body, { headers: { "content-type": "application/json", "content-length": String(length) } });
}

async function* pieces(start: Uint8Array, content: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  let rest = Buffer.alloc(0);
  for await (const chunk of content) {
    // What was left over is filled up to a group first, so that nothing long is ever joined.
    const filled = rest.length === 0 ? 0 : Math.min(GROUP - rest.length, chunk.length);
    const joined = Buffer.concat([rest, chunk.subarray(0, filled)]);
    if (joined.length > 0 && joined.length < GROUP) {
      rest = joined;
      continue;
    }
    if (joined.length === GROUP) yield encoded(joined);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const whole = filled + Math.floor((chunk.length - filled) / GROUP) * GROUP;
    for (let at = filled; at < whole; at += CHUNK_BYTES)
      yield encoded(bytes.subarray(at, Math.min(whole, at + CHUNK_BYTES)));
    rest = Buffer.from(bytes.subarray(whole));
    // All of it was read; whoever collects what is left over comes late.
    if (chunk.buffer instanceof ArrayBuffer && chunk.length === chunk.buffer.byteLength) chunk.buffer.transfer(0);
  }
  yield Buffer.from(`${rest.toString("base64")}"}`);
}

/** Whole groups as base64, written where they are sent from: texts on the way there would cost twice as much again. */
function encoded(bytes: Uint8Array): Uint8Array {
  const pairs = new Uint16Array((bytes.length / GROUP) * 2);
  for (let from = 0, to = 0; from < bytes.length; from += GROUP) {
    const group = ((bytes[from] as number) << 16) | ((bytes[from + 1] as number) << 8) | (bytes[from + 2] as number);
    pairs[to++] = PAIRS[group >> 12] as number;
    pairs[to++] = PAIRS[group & 0xfff] as number;
  }
  return new Uint8Array(pairs.buffer);
}
