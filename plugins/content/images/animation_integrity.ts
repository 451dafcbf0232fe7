/**
 * Detects truncated animations. Decoders accept the frames they get, or read the first frame only, so they would accept
 * half a file. This reader follows the blocks of a GIF and the chunks of a PNG to the end without decoding them. It reads a
 * stream, since an animation may be as large as an upload may be.
 */

/** Reads bytes from a stream; null at the end. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  async next(): Promise<number | null> {
    while (this.#at >= this.#chunk.length) if (!(await this.#more())) return null;
    return this.#chunk[this.#at++] ?? 0;
  }

  /** Skips bytes; false if the stream ends before. */
  async skip(count: number): Promise<boolean> {
    let left = count;
    while (left > this.#chunk.length - this.#at) {
      left -= this.#chunk.length - this.#at;
      if (!(await this.#more())) return false;
    }
    this.#at += left;
    return true;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    this.#chunk = done ? new Uint8Array(0) : value;
    this.#at = 0;
    return !done;
  }
}

const GIF_HEADER = 10;
const GIF_SCREEN_TAIL = 2;
const GIF_FRAME_POSITION = 8;
const TABLE_FLAG = 0x80;
const TABLE_SIZE = 0x07;
const BLOCK = { extension: 0x21, image: 0x2c, end: 0x3b };

const PNG_SIGNATURE = 8;
const PNG_INTEGER = 4;
const PNG_CHECKSUM = 4;
const PNG_END = 0x49454e44;

/** Whether all blocks of a GIF, or all chunks of a PNG, are there; true for every other format. */
export async function hasAllFrames(format: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
  const bytes = new ByteReader(content);
  try {
    if (format === "gif") return await isCompleteGif(bytes);
    return format === "png" ? await isCompletePng(bytes) : true;
  } finally {
    await bytes.close();
  }
}

/** A GIF without its last byte, the trailer, counts as complete: all of its frames are there. */
async function isCompleteGif(bytes: ByteReader): Promise<boolean> {
  if (!(await bytes.skip(GIF_HEADER)) || !(await skipTable(bytes, GIF_SCREEN_TAIL))) return false;
  for (;;) {
    const block = await bytes.next();
    if (block === null || block === BLOCK.end) return true;
    if (block === BLOCK.extension) {
      if (!(await bytes.skip(1)) || !(await skipSubBlocks(bytes))) return false;
    } else if (block === BLOCK.image) {
      if (!(await bytes.skip(GIF_FRAME_POSITION)) || !(await skipTable(bytes, 0))) return false;
      // The minimum code size, then the pixels.
      if (!(await bytes.skip(1)) || !(await skipSubBlocks(bytes))) return false;
    } else return true; // Decoders stop at an unknown block.
  }
}

/** Skips a byte of flags, the bytes between, and the colour table whose size the flags hold. */
async function skipTable(bytes: ByteReader, between: number): Promise<boolean> {
  const flags = await bytes.next();
  if (flags === null) return false;
  const colours = flags & TABLE_FLAG ? 2 << (flags & TABLE_SIZE) : 0;
  return bytes.skip(between + 3 * colours);
}

async function skipSubBlocks(bytes: ByteReader): Promise<boolean> {
  for (;;) {
    const length = await bytes.next();
    if (length === null) return false;
    if (length === 0) return true;
    if (!(await bytes.skip(length))) return false;
  }
}

async function isCompletePng(bytes: ByteReader): Promise<boolean> {
  if (!(await bytes.skip(PNG_SIGNATURE))) return false;
  for (;;) {
    const length = await readInteger(bytes);
    const type = await readInteger(bytes);
    if (length === null || type === null || !(await bytes.skip(length + PNG_CHECKSUM))) return false;
    if (type === PNG_END) return true;
  }
}

async function readInteger(bytes: ByteReader): Promise<number | null> {
  let value = 0;
  for (let at = 0; at < PNG_INTEGER; at++) {
    const byte = await bytes.next();
    if (byte === null) return null;
    value = value * 256 + byte;
  }
  return value;
}
