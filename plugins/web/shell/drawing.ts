/**
 * A drawing: the bytes of markup that many readers share, cut where requests have parts of their own. The answer to a request is
 * made of them by one copy.
 */
import { type HtmlPart, html } from "lectern/core";
import type { OwnPart, OwnParts, Recording } from "./recording.ts";

/** Bytes, or the number of a part that is made for each request. */
type Piece = Uint8Array | number;

/** Approximate bytes of memory of a piece beside its own. */
const PIECE_BYTES = 200;

const NO_BYTES = new Uint8Array(0);

/** A drawing. */
export class Drawing {
  readonly #pieces: readonly Piece[];
  readonly #own: readonly OwnPart[];
  readonly #mark: string;
  readonly #heldBytes: number;

  constructor(markup: string, { heldBytes, mark, own }: Pick<Recording, "heldBytes" | "mark" | "own">) {
    this.#heldBytes = heldBytes;
    this.#mark = mark;
    this.#own = own;
    this.#pieces = this.#cut(markup);
  }

  /** Approximate bytes of memory. */
  get bytes(): number {
    return this.#pieces.reduce<number>(
      (sum, piece) => sum + PIECE_BYTES + (typeof piece === "number" ? 0 : piece.length),
      this.#heldBytes,
    );
  }

  /** The bytes for a request. At once where its own parts are there at once. Throws what they throw. */
  filled(own: OwnParts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    return this.#join(this.#pieces, own);
  }

  #cut(markup: string): Piece[] {
    const [first = "", ...rest] = markup.split(this.#mark);
    const pieces: Piece[] = first === "" ? [] : [Buffer.from(first)];
    for (const text of rest) {
      const end = text.indexOf("\u0001");
      pieces.push(Number(text.slice(0, end)));
      if (end + 1 < text.length) pieces.push(Buffer.from(text.slice(end + 1)));
    }
    return pieces;
  }

  #join(pieces: readonly Piece[], own: OwnParts): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
    let isWaiting = false;
    const made = pieces.map((piece) => {
      if (typeof piece !== "number") return piece;
      const part = this.#own[piece]?.(own);
      const bytes =
        part instanceof Promise ? part.then((found) => this.#bytesOf(found, own)) : this.#bytesOf(part, own);
      if (bytes instanceof Promise) isWaiting = true;
      return bytes;
    });
    return isWaiting ? Promise.all(made).then((all) => Buffer.concat(all)) : Buffer.concat(made as Uint8Array[]);
  }

  /** A part as bytes; what it was drawn from may itself have marks. */
  #bytesOf(part: HtmlPart | Uint8Array, own: OwnParts): Uint8Array | Promise<Uint8Array> {
    if (part instanceof Uint8Array) return part;
    if (part === undefined || part === false || part === "") return NO_BYTES;
    const text = html`${part}`.toString();
    return text.includes(this.#mark) ? this.#join(this.#cut(text), own) : Buffer.from(text);
  }
}
