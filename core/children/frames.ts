/**
 * Messages between the server and its child processes, over pipes. A message is JSON; long strings and bytes are sent before
 * it in separate frames, so that neither side reads or writes megabytes at once and the server can yield to its event loop
 * between two frames.
 */

/** Length up to which a string stays in the JSON. */
const SHORT_LENGTH = 1_024;
const FRAME_LENGTH = 65_536;
const HEADER_BYTES = 5;

const KIND = { text: 1, textEnd: 2, bytes: 3, bytesEnd: 4, message: 5 } as const;

type Path = readonly (string | number)[];

interface Envelope {
  readonly value: unknown;
  /** The paths of the long strings and bytes, in the order of their frames. */
  readonly places: readonly Path[];
}

const encoder = new TextEncoder();

/** The frames of a message, in order. Strings must be well formed; undefined in objects is left out. */
export function* framesOf(message: unknown): Generator<Uint8Array> {
  const places: Path[] = [];
  const detached: (string | Uint8Array)[] = [];
  const value = detachLong(message, [], (long, path) => {
    detached.push(long);
    places.push(path);
  });
  for (const long of detached) {
    if (typeof long === "string") yield* textFrames(long);
    else yield* byteFrames(long);
  }
  yield frame(KIND.message, encoder.encode(JSON.stringify({ value, places } satisfies Envelope)));
}

function detachLong(value: unknown, path: Path, detach: (long: string | Uint8Array, path: Path) => void): unknown {
  if (typeof value === "string") {
    if (value.length <= SHORT_LENGTH) return value;
    detach(value, path);
    return null;
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) {
    detach(value, path);
    return null;
  }
  if (Array.isArray(value)) return value.map((item, index) => detachLong(item, [...path, index], detach));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, detachLong(inner, [...path, name], detach)]),
  );
}

function* textFrames(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + FRAME_LENGTH);
    // A surrogate pair is not split.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    yield frame(KIND.text, encoder.encode(text.slice(at, end)));
    at = end;
  }
  yield frame(KIND.textEnd, new Uint8Array());
}

function* byteFrames(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += FRAME_LENGTH)
    yield frame(KIND.bytes, bytes.subarray(at, at + FRAME_LENGTH));
  yield frame(KIND.bytesEnd, new Uint8Array());
}

function frame(kind: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  bytes[0] = kind;
  new DataView(bytes.buffer).setUint32(1, payload.length);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Reads messages from the chunks of a pipe. */
export class FrameReader {
  #rest = Buffer.alloc(0);
  /** A text that begins with a byte order mark keeps it. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pieces: (string | Uint8Array)[] = [];
  #detached: (string | Uint8Array)[] = [];

  /** Reads a chunk. Yields the messages that it completes. Throws for a frame of an unknown kind. */
  *push(chunk: Uint8Array): Generator<unknown> {
    let rest =
      this.#rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + rest.readUInt32BE(1);
      if (rest.length < end) break;
      const kind = rest[0];
      const payload = rest.subarray(HEADER_BYTES, end);
      rest = rest.subarray(end);
      if (kind === KIND.message) yield this.#message(payload);
      else this.#take(kind, payload);
    }
    this.#rest = Buffer.from(rest);
  }

  #take(kind: number | undefined, payload: Buffer): void {
    if (kind === KIND.text) this.#pieces.push(this.#decoder.decode(payload));
    else if (kind === KIND.bytes) this.#pieces.push(new Uint8Array(payload));
    else if (kind === KIND.textEnd) this.#detached.push(this.#pieces.splice(0).join(""));
    else if (kind === KIND.bytesEnd)
      this.#detached.push(new Uint8Array(Buffer.concat(this.#pieces.splice(0) as Uint8Array[])));
    else throw new Error(`Cannot read a message between processes: found a frame of kind ${kind}`);
  }

  #message(payload: Buffer): unknown {
    const envelope = JSON.parse(payload.toString()) as Envelope;
    const root = { value: envelope.value };
    for (const [index, path] of envelope.places.entries()) place(root, ["value", ...path], this.#detached[index]);
    this.#detached = [];
    return root.value;
  }
}

function place(root: object, path: Path, value: unknown): void {
  let at = root as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as typeof at;
  at[path.at(-1) as string | number] = value;
}
