/** Objects and arrays within each other. */
const MAX_DEPTH = 64;
/** Values of all kinds together. */
const MAX_VALUES = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** Bytes that open an object or array, and that close one. */
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);

/**
 * The object that bytes are the JSON of; undefined where they are none, or nest or hold more than any archive does.
 * Counted before it is parsed, since the damage would be done by then.
 */
export function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  if (isVast(bytes)) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isVast(bytes: Uint8Array): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1);
    } else if (OPENING.has(byte)) {
      depth += 1;
      values += 1;
    } else if (CLOSING.has(byte)) depth -= 1;
    else if (byte === COMMA) values += 1;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true;
  }
  return false;
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
