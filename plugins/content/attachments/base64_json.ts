import { type StoredFile, yieldToEventLoop } from "lectern/core";

/** Base64 encodes groups of three bytes as four characters. */
const GROUP = 3;
const ENCODED_GROUP = 4;
/** Bytes encoded at a time, a multiple of the group: the memory that one answer takes. */
const CHUNK_BYTES = 48 * 1024;

const DIGITS = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
/** The two characters that each value of twelve bits becomes. */
const PAIRS = new Uint16Array(
  Uint8Array.from({ length: 8192 }, (_, at) => DIGITS[at % 2 === 0 ? at >> 7 : (at >> 1) & 63] ?? 0).buffer,
);

/**
 * A JSON answer whose last field is the base64 of a file, encoded while it is sent: a file of any size takes the memory
 * of a few chunks. `field` must not be among `fields`.
 */
export function jsonWithFile(
  fields: Readonly<Record<string, unknown>>,
  field: string,
  file: Pick<StoredFile, "size" | "stream">,
): Response {
  const frame = Buffer.from(JSON.stringify({ ...fields, [field]: "" }));
  const start = frame.subarray(0, -2);
  const parts = encodedParts(start, file.stream());
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
  const length = frame.length + Math.ceil(file.size / GROUP) * ENCODED_GROUP;
  return new Response(body, { headers: { "content-type": "application/json", "content-length": String(length) } });
}

async function* encodedParts(start: Uint8Array, content: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pause = yieldToEventLoop();
  yield start;
  let rest = Buffer.alloc(0);
  for await (const chunk of content) {
    // The remainder of the chunk before is completed to one group first, so that no long buffers are concatenated.
    const filled = rest.length === 0 ? 0 : Math.min(GROUP - rest.length, chunk.length);
    const joined = Buffer.concat([rest, chunk.subarray(0, filled)]);
    if (joined.length > 0 && joined.length < GROUP) {
      rest = joined;
      continue;
    }
    if (joined.length === GROUP) yield encoded(joined);
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    const whole = filled + Math.floor((chunk.length - filled) / GROUP) * GROUP;
    for (let at = filled; at < whole; at += CHUNK_BYTES) {
      // The file and the client may both be faster than this, so that nothing here waits.
      await pause();
      yield encoded(bytes.subarray(at, Math.min(whole, at + CHUNK_BYTES)));
    }
    rest = Buffer.from(bytes.subarray(whole));
    // The chunk is freed now: the garbage collector runs late.
    if (chunk.buffer instanceof ArrayBuffer && chunk.length === chunk.buffer.byteLength) chunk.buffer.transfer(0);
  }
  yield Buffer.from(`${rest.toString("base64")}"}`);
}

/** Encodes whole groups directly into the bytes that are sent; encoding to a string first takes twice the memory. */
function encoded(bytes: Uint8Array): Uint8Array {
  const pairs = new Uint16Array((bytes.length / GROUP) * 2);
  for (let from = 0, to = 0; from < bytes.length; from += GROUP) {
    const group = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    pairs[to++] = PAIRS[group >> 12] ?? 0;
    pairs[to++] = PAIRS[group & 0xfff] ?? 0;
  }
  return new Uint8Array(pairs.buffer);
}
