/**
 * Messages between the server and its child processes, over pipes. A message is plain data as JSON; long texts and bytes
 * in it travel beside, in pieces, so that neither side reads or writes megabytes at once, and the event loop of the server
 * gets its turn between two pieces.
 */

/** Texts up to this length stay in the JSON. */
const SHORT_CHARS = 1_024;
const PIECE = 65_536;
const HEADER = 5;

const KIND = { text: 1, textEnd: 2, bytes: 3, bytesEnd: 4, message: 5 } as const;

type Path = readonly (string | number)[];

interface Envelope {
  readonly value: unknown;
  /** Where the long texts and bytes belong, in the order in which they were sent. */
  readonly places: readonly Path[];
}

const encoder = new TextEncoder();

/** The frames of a message, to be written in order. Texts must be well formed; undefined in objects is left out. */
export function* framesOf(message: unknown): Generator<Uint8Array> {
  const places: Path[] = [];
  const lifted: (string | Uint8Array)[] = [];
  const value = withoutLong(message, [], (long, path) => {
    lifted.push(long);
    places.push(path);
  });
  for (const long of lifted) {
    if (typeof long === "string") yield* textFrames(long);
    else yield* byteFrames(long);
  }
  yield frame(KIND.message, encoder.encode(JSON.stringify({ value, places } satisfies Envelope)));
}

function withoutLong(value: unknown, path: Path, lift: (long: string | Uint8Array, path: Path) => void): unknown {
  if (typeof value === "string") {
    if (value.length <= SHORT_CHARS) return value;
    lift(value, path);
    return null;
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) {
    lift(value, path);
    return null;
  }
  if (Array.isArray(value)) return value.map((item, index) => withoutLong(item, [...path, index], lift));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutLong(inner, [...path, name], lift)]),
  );
}

function* textFrames(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + PIECE);
    // Both halves of a surrogate pair go together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
    yield frame(KIND.text, encoder.encode(text.slice(at, end)));
    at = end;
  }
  yield frame(KIND.textEnd, new Uint8Array());
}

function* byteFrames(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield frame(KIND.bytes, bytes.subarray(at, at + PIECE));
  yield frame(KIND.bytesEnd, new Uint8Array());
}

function frame(kind: number, payload: Uint8Array): Uint8Array {
  const made = new Uint8Array(HEADER + payload.length);
  made[0] = kind;
  new DataView(made.buffer).setUint32(1, payload.length);
  made.set(payload, HEADER);
  return made;
}

/** Puts messages together again from whatever pieces a pipe gives. */
export class FrameReader {
  #rest = Buffer.alloc(0);
  /** A text that begins with a byte order mark keeps it. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pieces: (string | Uint8Array)[] = [];
  #lifted: (string | Uint8Array)[] = [];

  /** Takes in a piece; answers the messages that are complete with it. Throws for what is no message. */
  *push(piece: Uint8Array): Generator<unknown> {
    let rest =
      this.#rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([this.#rest, piece]);
    while (rest.length >= HEADER) {
      const end = HEADER + rest.readUInt32BE(1);
      if (rest.length < end) break;
      const kind = rest[0];
      const payload = rest.subarray(HEADER, end);
      rest = rest.subarray(end);
      if (kind === KIND.message) yield this.#message(payload);
      else this.#take(kind, payload);
    }
    this.#rest = Buffer.from(rest);
  }

  #take(kind: number | undefined, payload: Buffer): void {
    if (kind === KIND.text) this.#pieces.push(this.#decoder.decode(payload));
    else if (kind === KIND.bytes) this.#pieces.push(new Uint8Array(payload));
    else if (kind === KIND.textEnd) this.#lifted.push(this.#pieces.splice(0).join(""));
    else if (kind === KIND.bytesEnd)
      this.#lifted.push(new Uint8Array(Buffer.concat(this.#pieces.splice(0) as Uint8Array[])));
    else throw new Error(`Cannot read a message between processes: found a frame of kind ${kind}`);
  }

  #message(payload: Buffer): unknown {
    const envelope = JSON.parse(payload.toString()) as Envelope;
    const root = { value: envelope.value };
    for (const [index, path] of envelope.places.entries()) place(root, ["value", ...path], this.#lifted[index]);
    this.#lifted = [];
    return root.value;
  }
}

function place(root: object, path: Path, value: unknown): void {
  let at = root as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as typeof at;
  at[path.at(-1) as string | number] = value;
}
