/**
 * Whether a moving picture has arrived in full. Decoders make do with the frames they get, or look at the first alone, so
 * that half a film would be taken for a whole one; here the blocks of GIF and the chunks of PNG are counted out, whatever
 * is in them. Read as it comes, since a film may be as large as a file may be.
 */

/** Reads bytes one after another; null at the end. */
class Bytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#chunks = content[Symbol.asyncIterator]();
  }

  async next(): Promise<number | null> {
    while (this.#at >= this.#chunk.length) if (!(await this.#more())) return null;
    return this.#chunk[this.#at++] as number;
  }

  /** Whether there were so many. */
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

const GIF_HEAD = 10;
const GIF_SCREEN_REST = 2;
const GIF_PLACE = 8;
const TABLE_FLAG = 0x80;
const TABLE_SIZE = 0x07;
const BLOCK = { extension: 0x21, picture: 0x2c, end: 0x3b };

const PNG_SIGNATURE = 8;
const PNG_NUMBER = 4;
const PNG_SUM = 4;
const PNG_END = 0x49454e44;

/** Whether all blocks of a GIF, or all chunks of a PNG, are there; true for every other kind. */
export async function isWhole(format: string, content: AsyncIterable<Uint8Array>): Promise<boolean> {
  const bytes = new Bytes(content);
  try {
    if (format === "gif") return await isWholeGif(bytes);
    return format === "png" ? await isWholePng(bytes) : true;
  } finally {
    await bytes.close();
  }
}

/** A film without its last byte, the end mark, is whole as well: all of its frames are there. */
async function isWholeGif(bytes: Bytes): Promise<boolean> {
  if (!(await bytes.skip(GIF_HEAD)) || !(await skipTable(bytes, GIF_SCREEN_REST))) return false;
  for (;;) {
    const block = await bytes.next();
    if (block === null || block === BLOCK.end) return true;
    if (block === BLOCK.extension) {
      if (!(await bytes.skip(1)) || !(await skipPieces(bytes))) return false;
    } else if (block === BLOCK.picture) {
      if (!(await bytes.skip(GIF_PLACE)) || !(await skipTable(bytes, 0))) return false;
      // The size of the first code, then the pixels.
      if (!(await bytes.skip(1)) || !(await skipPieces(bytes))) return false;
    } else return true; // Nothing that is shown comes after what is no block.
  }
}

/** A byte of flags, what stands between, and the table of colours the flags speak of. */
async function skipTable(bytes: Bytes, between: number): Promise<boolean> {
  const flags = await bytes.next();
  if (flags === null) return false;
  const colours = flags & TABLE_FLAG ? 2 << (flags & TABLE_SIZE) : 0;
  return bytes.skip(between + 3 * colours);
}

async function skipPieces(bytes: Bytes): Promise<boolean> {
  for (;;) {
    const length = await bytes.next();
    if (length === null) return false;
    if (length === 0) return true;
    if (!(await bytes.skip(length))) return false;
  }
}

async function isWholePng(bytes: Bytes): Promise<boolean> {
  if (!(await bytes.skip(PNG_SIGNATURE))) return false;
  for (;;) {
    const length = await numberOf(bytes);
    const name = await numberOf(bytes);
    if (length === null || name === null || !(await bytes.skip(length + PNG_SUM))) return false;
    if (name === PNG_END) return true;
  }
}

async function numberOf(bytes: Bytes): Promise<number | null> {
  let number = 0;
  for (let digit = 0; digit < PNG_NUMBER; digit++) {
    const byte = await bytes.next();
    if (byte === null) return null;
    number = number * 256 + byte;
  }
  return number;
}
