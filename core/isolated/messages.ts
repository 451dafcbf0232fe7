/**
 * Messages between the server and an isolated process: four bytes of length, then JSON. The reader trusts nothing: messages have
 * a greatest length, and what they hold is plain data. Bytes travel as base64.
 */

const HEADER_BYTES = 4;
/** The key of an object that stands for bytes. */
const BYTES_KEY = "$bytes";

/** A message that breaks the rules of the protocol. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/** A message as it is sent. */
export function messageBytes(message: unknown): Uint8Array {
  const payload = Buffer.from(JSON.stringify(message, replacer));
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** Reads messages from the chunks of a pipe. */
export class MessageReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #wanted: number | undefined;

  /** `maxBytes` is the greatest length of a message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads a chunk. Yields the messages that it completes. Throws ProtocolError for what is too long or no JSON. */
  *push(chunk: Uint8Array): Generator<unknown> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      if (this.#wanted === undefined) {
        if (this.#length < HEADER_BYTES) return;
        this.#wanted = this.#take(HEADER_BYTES).readUInt32LE();
        if (this.#wanted > this.#maxBytes)
          throw new ProtocolError(`a message of ${this.#wanted} bytes, more than ${this.#maxBytes}`);
      }
      if (this.#length < this.#wanted) return;
      const payload = this.#take(this.#wanted);
      this.#wanted = undefined;
      yield parsed(payload);
    }
  }

  #take(bytes: number): Buffer {
    const first = this.#chunks[0];
    if (this.#chunks.length !== 1 || !first) this.#chunks = [Buffer.concat(this.#chunks)];
    const all = Buffer.from(this.#chunks[0]?.buffer ?? new ArrayBuffer(0), this.#chunks[0]?.byteOffset, this.#length);
    this.#chunks = [all.subarray(bytes)];
    this.#length -= bytes;
    return all.subarray(0, bytes);
  }
}

function parsed(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString(), reviver);
  } catch {
    throw new ProtocolError("a message that is no JSON");
  }
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  // `toJSON` of a Buffer has run before; the holder still has the bytes.
  const original = (this as Record<string, unknown>)[key];
  if (original instanceof Uint8Array) return { [BYTES_KEY]: Buffer.from(original).toString("base64") };
  return typeof value === "bigint" ? String(value) : value;
}

function reviver(key: string, value: unknown): unknown {
  if (key === "__proto__") return undefined;
  if (typeof value !== "object" || value === null || !(BYTES_KEY in value)) return value;
  const { [BYTES_KEY]: text } = value as Record<string, unknown>;
  return typeof text === "string" ? new Uint8Array(Buffer.from(text, "base64")) : undefined;
}
