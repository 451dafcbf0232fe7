/**
 * Messages between the server and a confined process: four bytes of length, then JSON. The reader trusts nothing: messages have
 * a greatest length and depth, and what they hold is plain data. Bytes travel as base64. (`../frames.ts` is for processes that are
 * trusted: a message may have any size.)
 */

const HEADER_BYTES = 4;
/** The key of an object that stands for bytes. */
const BYTES_KEY = "$bytes";
/** Objects and lists within each other: JavaScriptCore reads and writes deep ones so slowly that 4 MB would take seconds. */
const MAX_DEPTH = 1_000;
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/**
 * A message that breaks the rules of the protocol.
 * @example
 * const receive = (message: unknown) => {
 *   if (typeof message !== "string") throw new ProtocolError("a message that is no text");
 * };
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

/**
 * A message as it is sent: plain data, in which bytes may stand.
 * @example
 * await Bun.write(Bun.stdout, messageBytes({ found: 3, body: new TextEncoder().encode("text") }));
 */
export function messageBytes(message: unknown): Uint8Array {
  const payload = Buffer.from(JSON.stringify(message, replacer));
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

/**
 * Reads messages from the chunks of a pipe.
 * @example
 * const reader = new MessageReader(65_536);
 * for await (const chunk of Bun.stdin.stream())
 *   for (const message of reader.push(chunk)) await Bun.write(Bun.stdout, messageBytes({ received: message }));
 */
export class MessageReader {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #length = 0;
  #wanted: number | undefined;

  /** `maxBytes` is the greatest length of a message. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Reads a chunk. Yields the messages that it completes. Throws ProtocolError for what is too long, too deep or no JSON. */
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
  checkDepth(payload);
  try {
    const value: unknown = JSON.parse(payload.toString());
    return payload.includes(BYTES_KEY) ? withBytes(value) : value;
  } catch {
    throw new ProtocolError("a message that is no JSON");
  }
}

/** Throws ProtocolError for JSON that is nested too deep. */
function checkDepth(payload: Buffer): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < payload.length; at++) {
    const byte = payload[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) throw new ProtocolError(`a message of more than ${MAX_DEPTH} levels`);
  }
}

function replacer(this: unknown, key: string, value: unknown): unknown {
  // `toJSON` of a Buffer has run before; the holder still has the bytes.
  const original = (this as Record<string, unknown>)[key];
  if (original instanceof Uint8Array) return { [BYTES_KEY]: Buffer.from(original).toString("base64") };
  return typeof value === "bigint" ? String(value) : value;
}

/** The value with its bytes, replaced in place: a function called by `JSON.parse` for each value is several times slower. */
function withBytes(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  const text = members[BYTES_KEY];
  if (typeof text === "string") return new Uint8Array(Buffer.from(text, "base64"));
  for (const name of Object.keys(members)) {
    const member = members[name];
    if (typeof member === "object" && member !== null) members[name] = withBytes(member);
  }
  return value;
}
