/**
 * JSON that strangers made, as large as a file may be. It is counted before it is parsed, since the damage would be done
 * by then; and parsed in slices, so that the server answers others meanwhile. Cutting looks at brackets, commas and
 * quotes alone: whether a slice is JSON is left to the parser, and what it cannot be read as is refused as a whole.
 */
import { randomText, type YieldToEventLoop } from "lectern/core";

/** Objects and arrays within each other. */
const MAX_DEPTH = 64;
/** Values of all kinds together. */
const MAX_VALUES = 2_000_000;
/** Bytes that are parsed at once; a text that is longer is still one. */
const SLICE_BYTES = 262_144;
/** Steps between looks at the clock. */
const STRIDE = 4_096;
const MARK_LENGTH = 16;

const ODD_COMMA = "Nothing before or after a comma";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
/** Bytes that open an object or array, and that close one; two lie between those of a pair. */
const OPENING = new Set([OBJECT, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const PAIR = 2;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The object that bytes are the JSON of; undefined where they are none, or nest or hold more than any archive does. */
export async function parseObject(
  bytes: Uint8Array,
  yieldNow: YieldToEventLoop,
  sliceBytes = SLICE_BYTES,
): Promise<Record<string, unknown> | undefined> {
  const large = await largeOnes(bytes, yieldNow, sliceBytes);
  if (!large) return undefined;
  const start = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  try {
    const [value, ...more] = await new Slices(bytes, large, { yieldNow, sliceBytes }).list(start, bytes.length);
    return typeof value === "object" && value !== null && !Array.isArray(value) && more.length === 0
      ? (value as Record<string, unknown>)
      : undefined;
  } catch (error) {
    // What the parser and the decoder throw; anything else is ours.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Where objects and arrays of more than a slice begin and end; undefined where there is too much of anything. */
async function largeOnes(
  bytes: Uint8Array,
  yieldNow: YieldToEventLoop,
  sliceBytes: number,
): Promise<ReadonlyMap<number, number> | undefined> {
  const found = new Map<number, number>();
  const open: number[] = [];
  let values = 0;
  for (let at = 0, steps = 0; at < bytes.length; at++, steps++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at + 1);
    else if (OPENING.has(byte)) {
      open.push(at);
      values += 1;
    } else if (CLOSING.has(byte)) {
      const start = open.pop();
      if (start === undefined || bytes[start] !== byte - PAIR) return undefined;
      if (at - start > sliceBytes) found.set(start, at);
    } else if (byte === COMMA) values += 1;
    if (open.length > MAX_DEPTH || values > MAX_VALUES) return undefined;
    if (steps % STRIDE === 0) await yieldNow();
  }
  return open.length === 0 ? found : undefined;
}

/** Some of what lies in an object or array, in which marks stand for large ones. */
interface Slice {
  readonly text: string;
  /** Where the large ones begin, in the order of their marks. */
  readonly inner: readonly number[];
  /** Whether it is all there is: only then may it be empty. */
  readonly isWhole: boolean;
}

/** Parses what lies in large objects and arrays some at a time. */
class Slices {
  readonly #bytes: Uint8Array;
  readonly #large: ReadonlyMap<number, number>;
  readonly #options: { readonly yieldNow: YieldToEventLoop; readonly sliceBytes: number };
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** Stands for a large one until that is parsed; nobody can have written it. */
  readonly #mark = randomText(MARK_LENGTH);

  constructor(
    bytes: Uint8Array,
    large: ReadonlyMap<number, number>,
    options: { yieldNow: YieldToEventLoop; sliceBytes: number },
  ) {
    this.#bytes = bytes;
    this.#large = large;
    this.#options = options;
  }

  /** The elements between two places. Throws SyntaxError and TypeError as the parser and the decoder do. */
  async list(from: number, to: number): Promise<unknown[]> {
    const elements: unknown[] = [];
    for await (const { text, inner, isWhole } of this.#slices(from, to)) {
      const taken = JSON.parse(`[${text}]`) as unknown[];
      if (taken.length === 0 && !isWhole) throw new SyntaxError(ODD_COMMA);
      await this.#fill(taken, inner);
      for (const one of taken) elements.push(one);
    }
    return elements;
  }

  async #object(from: number, to: number): Promise<Record<string, unknown>> {
    const entries: [string, unknown][] = [];
    for await (const { text, inner, isWhole } of this.#slices(from, to)) {
      const taken = JSON.parse(`{${text}}`) as Record<string, unknown>;
      await this.#fill(taken, inner);
      const more = Object.entries(taken);
      if (more.length === 0 && !isWhole) throw new SyntaxError(ODD_COMMA);
      for (const one of more) entries.push(one);
    }
    return Object.fromEntries(entries);
  }

  /** What stands between two places, cut at commas. */
  async *#slices(from: number, to: number): AsyncGenerator<Slice> {
    const [bytes, large] = [this.#bytes, this.#large];
    let text = "";
    let inner: number[] = [];
    let begin = from;
    let depth = 0;
    for (let at = from, steps = 0; at < to; at++, steps++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) at = endOfText(bytes, at + 1);
      else if (OPENING.has(byte)) {
        const end = large.get(at);
        if (end === undefined) depth += 1;
        else {
          text += `${this.#decoder.decode(bytes.subarray(begin, at))}"${this.#mark}${inner.push(at) - 1}"`;
          begin = end + 1;
          at = end;
        }
      } else if (CLOSING.has(byte)) depth -= 1;
      else if (byte === COMMA && depth === 0 && at - begin > this.#options.sliceBytes) {
        yield { text: text + this.#decoder.decode(bytes.subarray(begin, at)), inner, isWhole: false };
        [text, inner, begin] = ["", [], at + 1];
      }
      if (steps % STRIDE === 0) await this.#options.yieldNow();
    }
    yield { text: text + this.#decoder.decode(bytes.subarray(begin, to)), inner, isWhole: begin === from };
  }

  /** Puts large ones in their places; one that stands where a key must is refused. */
  async #fill(taken: unknown[] | Record<string, unknown>, inner: readonly number[]): Promise<void> {
    if (inner.length === 0) return;
    for (const [key, value] of Object.entries(taken)) {
      if (key.startsWith(this.#mark)) throw new SyntaxError("An object or array in place of a name");
      if (typeof value !== "string" || !value.startsWith(this.#mark)) continue;
      const start = inner[Number(value.slice(MARK_LENGTH))] as number;
      const end = this.#large.get(start) as number;
      const isObject = this.#bytes[start] === OBJECT;
      const filled = await (isObject ? this.#object(start + 1, end) : this.list(start + 1, end));
      // Not by assignment: a key may be "__proto__".
      Object.defineProperty(taken, key, { value: filled, configurable: true, enumerable: true, writable: true });
    }
  }
}

/** Where the quote stands that ends a text. Native search makes long texts cheap. */
function endOfText(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}
