/**
 * Parses large untrusted JSON. Depth and number of values are checked before parsing, which bounds memory; parsing proceeds
 * in slices, which keeps the event loop responsive. Slicing looks only at brackets, commas and quotes; `JSON.parse` decides
 * whether a slice is valid, and any invalid slice makes the whole invalid.
 */
import { randomText, type YieldToEventLoop } from "lectern/core";
import { isObject } from "lectern/db";

/** Nesting depth of objects and arrays. */
const MAX_DEPTH = 64;
/** Number of values of all kinds. */
const MAX_VALUES = 2_000_000;
/** Bytes parsed at once; a longer string is not split. */
const SLICE_BYTES = 262_144;
/** Steps of the scanner between calls of `yieldNow`. */
const YIELD_STEPS = 4_096;
const PLACEHOLDER_LENGTH = 16;

const STRAY_COMMA = "Nothing before or after a comma";
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OBJECT = 0x7b;
/** Brackets that open and close objects and arrays. A closing bracket's code is two above that of its opening one. */
const OPENING = new Set([OBJECT, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const BRACKET_DISTANCE = 2;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Parses a JSON object; undefined for anything else, and for what exceeds the limits. */
export async function parseObject(
  bytes: Uint8Array,
  yieldNow: YieldToEventLoop,
  sliceBytes = SLICE_BYTES,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const large = await findLarge(bytes, yieldNow, sliceBytes);
  if (!large) return undefined;
  const start = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  try {
    const [value, ...rest] = await new SliceParser(bytes, large, { yieldNow, sliceBytes }).array(start, bytes.length);
    return isObject(value) && !Array.isArray(value) && rest.length === 0 ? value : undefined;
  } catch (error) {
    // Errors of JSON.parse and TextDecoder; any other is a bug.
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Start and end of the objects and arrays that are larger than a slice; undefined for unbalanced brackets and beyond the limits. */
async function findLarge(
  bytes: Uint8Array,
  yieldNow: YieldToEventLoop,
  sliceBytes: number,
): Promise<ReadonlyMap<number, number> | undefined> {
  const found = new Map<number, number>();
  const open: number[] = [];
  let values = 0;
  for (let at = 0, steps = 0; at < bytes.length; at++, steps++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at + 1);
    else if (OPENING.has(byte)) {
      open.push(at);
      values += 1;
    } else if (CLOSING.has(byte)) {
      const start = open.pop();
      if (start === undefined || bytes[start] !== byte - BRACKET_DISTANCE) return undefined;
      if (at - start > sliceBytes) found.set(start, at);
    } else if (byte === COMMA) values += 1;
    if (open.length > MAX_DEPTH || values > MAX_VALUES) return undefined;
    if (steps % YIELD_STEPS === 0) await yieldNow();
  }
  return open.length === 0 ? found : undefined;
}

/** A part of the content of an object or array, with placeholders for large objects and arrays. */
interface Slice {
  readonly text: string;
  /** Offsets of the large ones, in the order of their placeholders. */
  readonly inner: readonly number[];
  /** Whether it is the whole content; only then may it be empty. */
  readonly isWhole: boolean;
}

/** Parses large objects and arrays in slices. */
class SliceParser {
  readonly #bytes: Uint8Array;
  readonly #large: ReadonlyMap<number, number>;
  readonly #options: { readonly yieldNow: YieldToEventLoop; readonly sliceBytes: number };
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** Prefix of placeholders for large objects and arrays; random, so that input cannot have it. */
  readonly #placeholder = randomText(PLACEHOLDER_LENGTH);

  constructor(
    bytes: Uint8Array,
    large: ReadonlyMap<number, number>,
    options: { yieldNow: YieldToEventLoop; sliceBytes: number },
  ) {
    this.#bytes = bytes;
    this.#large = large;
    this.#options = options;
  }

  /** The elements between two offsets. Throws SyntaxError as JSON.parse, and TypeError as TextDecoder. */
  async array(from: number, to: number): Promise<unknown[]> {
    const elements: unknown[] = [];
    for await (const { text, inner, isWhole } of this.#slices(from, to)) {
      const parsed: unknown[] = JSON.parse(`[${text}]`);
      if (parsed.length === 0 && !isWhole) throw new SyntaxError(STRAY_COMMA);
      await this.#fill(parsed, inner);
      for (const one of parsed) elements.push(one);
    }
    return elements;
  }

  async #object(from: number, to: number): Promise<Record<string, unknown>> {
    const entries: [string, unknown][] = [];
    for await (const { text, inner, isWhole } of this.#slices(from, to)) {
      const parsed: Record<string, unknown> = JSON.parse(`{${text}}`);
      await this.#fill(parsed, inner);
      const rest = Object.entries(parsed);
      if (rest.length === 0 && !isWhole) throw new SyntaxError(STRAY_COMMA);
      for (const one of rest) entries.push(one);
    }
    return Object.fromEntries(entries);
  }

  /** The content between two offsets, split at commas. */
  async *#slices(from: number, to: number): AsyncGenerator<Slice> {
    const [bytes, large] = [this.#bytes, this.#large];
    let text = "";
    let inner: number[] = [];
    let begin = from;
    let depth = 0;
    for (let at = from, steps = 0; at < to; at++, steps++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) at = endOfString(bytes, at + 1);
      else if (OPENING.has(byte)) {
        const end = large.get(at);
        if (end === undefined) depth += 1;
        else {
          text += `${this.#decoder.decode(bytes.subarray(begin, at))}"${this.#placeholder}${inner.push(at) - 1}"`;
          begin = end + 1;
          at = end;
        }
      } else if (CLOSING.has(byte)) depth -= 1;
      else if (byte === COMMA && depth === 0 && at - begin > this.#options.sliceBytes) {
        yield { text: text + this.#decoder.decode(bytes.subarray(begin, at)), inner, isWhole: false };
        [text, inner, begin] = ["", [], at + 1];
      }
      if (steps % YIELD_STEPS === 0) await this.#options.yieldNow();
    }
    yield { text: text + this.#decoder.decode(bytes.subarray(begin, to)), inner, isWhole: begin === from };
  }

  /** Replaces placeholders by the parsed objects and arrays. Throws SyntaxError for one in place of a key. */
  async #fill(parsed: unknown[] | Record<string, unknown>, inner: readonly number[]): Promise<void> {
    if (inner.length === 0) return;
    for (const [key, value] of Object.entries(parsed)) {
      if (key.startsWith(this.#placeholder)) throw new SyntaxError("An object or array in place of a name");
      if (typeof value !== "string" || !value.startsWith(this.#placeholder)) continue;
      const start = inner[Number(value.slice(PLACEHOLDER_LENGTH))] ?? 0;
      const end = this.#large.get(start) ?? start;
      const isBraced = this.#bytes[start] === OBJECT;
      const filled = await (isBraced ? this.#object(start + 1, end) : this.array(start + 1, end));
      // Not by assignment, since a key may be "__proto__".
      Object.defineProperty(parsed, key, { value: filled, configurable: true, enumerable: true, writable: true });
    }
  }
}

/** The offset of the quote that ends a string. Native search makes long strings cheap. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return bytes.length;
}
