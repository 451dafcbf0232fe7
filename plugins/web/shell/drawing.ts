/**
 * A drawing: the bytes of markup that many readers share, cut where requests have parts of their own. A request fills it with these: what is sent
 * is made by one copy, and what it is known by of a digest of the shared bytes, made once, and the texts of the request.
 */
import { type HtmlPart, html } from "lectern/core";
import type { OwnPart, OwnParts, Recording } from "./recording.ts";
import { digestOf } from "./revalidation.ts";

/** Markup, or the number of a part that is made for each request. */
type Piece<Markup> = Markup | number;
/** Shared bytes, the text of a part of a request, or a drawing within this one. */
type Made = Uint8Array | string | Filled;

/** Approximate bytes of memory of a piece beside its own. */
const PIECE_BYTES = 200;

/** A drawing with the parts of one request. */
export class Filled {
  readonly #made: readonly Made[];
  readonly #shared: string;

  /** `shared` stands for all bytes among the pieces. */
  constructor(shared: string, made: readonly Made[]) {
    this.#shared = shared;
    this.#made = made;
  }

  /** What is sent. */
  bytes(): Uint8Array<ArrayBuffer> {
    const made = this.#made.map((each) =>
      typeof each === "string" ? Buffer.from(each) : each instanceof Filled ? each.bytes() : each,
    );
    return Buffer.concat(made);
  }

  /** A text that differs where the bytes do, beside the nonce; "" for no nonce. */
  tag(nonce: string): string {
    let tag = `${this.#shared} ${this.#made.length}`;
    for (const each of this.#made) {
      if (each instanceof Uint8Array) continue;
      const own = typeof each === "string" ? withoutNonce(each, nonce) : each.tag(nonce);
      tag += `\n${own.length} ${own}`;
    }
    return tag;
  }
}

/** A text without the nonce of its document, which is random, so that nothing else is taken from it. */
export function withoutNonce(text: string, nonce: string): string {
  return nonce === "" ? text : text.replaceAll(nonce, "");
}

/** A drawing. */
export class Drawing {
  readonly #pieces: readonly Piece<Uint8Array>[];
  readonly #own: readonly OwnPart[];
  readonly #mark: string;
  readonly #heldBytes: number;
  /** The digest of what is shared. */
  readonly #digest: string;

  constructor(markup: string, { heldBytes, mark, own }: Pick<Recording, "heldBytes" | "mark" | "own">) {
    this.#heldBytes = heldBytes;
    this.#mark = mark;
    this.#own = own;
    const pieces = this.#cut(markup);
    // Without the mark, which is another one for each drawing of the same.
    this.#digest = digestOf(JSON.stringify(pieces));
    this.#pieces = pieces.map((piece) => (typeof piece === "number" ? piece : Buffer.from(piece)));
  }

  /** Approximate bytes of memory. */
  get bytes(): number {
    return this.#pieces.reduce<number>(
      (sum, piece) => sum + PIECE_BYTES + (typeof piece === "number" ? 0 : piece.length),
      this.#heldBytes,
    );
  }

  /** The drawing for a request. At once where its own parts are there at once. Throws what they throw. */
  filled(own: OwnParts): Filled | Promise<Filled> {
    return this.#fill(this.#digest, this.#pieces, own);
  }

  #cut(markup: string): Piece<string>[] {
    const [first = "", ...rest] = markup.split(this.#mark);
    const pieces: Piece<string>[] = first === "" ? [] : [first];
    for (const text of rest) {
      const end = text.indexOf("\u0001");
      pieces.push(Number(text.slice(0, end)));
      if (end + 1 < text.length) pieces.push(text.slice(end + 1));
    }
    return pieces;
  }

  #fill(shared: string, pieces: readonly Piece<Uint8Array | string>[], own: OwnParts): Filled | Promise<Filled> {
    let isWaiting = false;
    const made = pieces.map((piece) => {
      if (typeof piece !== "number") return piece;
      const part = this.#own[piece]?.(own);
      const done = part instanceof Promise ? part.then((found) => this.#made(found, own)) : this.#made(part, own);
      if (done instanceof Promise) isWaiting = true;
      return done;
    });
    return isWaiting ? Promise.all(made).then((all) => new Filled(shared, all)) : new Filled(shared, made as Made[]);
  }

  /** A part as it is sent; what it was drawn from may itself have marks. */
  #made(part: HtmlPart | Filled, own: OwnParts): Made | Promise<Filled> {
    if (part instanceof Filled) return part;
    if (part === undefined || part === false || part === "") return "";
    const text = html`${part}`.toString();
    return text.includes(this.#mark) ? this.#fill("", this.#cut(text), own) : text;
  }
}
