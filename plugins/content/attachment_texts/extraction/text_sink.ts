import type { ReadingOrder } from "./order.ts";

/** Thrown where enough was read. */
export class Full extends Error {
  override readonly name = "Full";
}

/** A file that cannot be read, and why. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly reason: "damaged" | "encrypted" | "too large";

  constructor(reason: Unreadable["reason"]) {
    super(`The file is ${reason}`);
    this.reason = reason;
  }
}

/** Collects text up to the limits of an order. Blanks and line breaks in a row become one. */
export class TextSink {
  readonly #maxChars: number;
  readonly #deadline: number;
  #pieces: string[] = [];
  #length = 0;
  #gap = "";

  constructor({ maxChars, softMs }: Pick<ReadingOrder, "maxChars" | "softMs">) {
    this.#maxChars = maxChars;
    this.#deadline = performance.now() + softMs;
  }

  /** Adds a piece of text. Throws Full at a limit. */
  add(piece: string): void {
    const text = piece.replace(/\s+/g, blankOf);
    const [first = ""] = text;
    if (first === " " || first === "\n") this.#widen(first);
    const inner = text.trim();
    if (inner !== "") {
      if (this.#length > 0) this.#push(this.#gap);
      this.#gap = "";
      this.#push(inner);
      const last = text.at(-1);
      if (last === " " || last === "\n") this.#widen(last);
    }
    if (this.#length >= this.#maxChars || performance.now() > this.#deadline) throw new Full();
  }

  /** What was collected. */
  get text(): string {
    return this.#pieces.join("").slice(0, this.#maxChars);
  }

  /** A line break outweighs a blank. */
  #widen(blank: string): void {
    if (this.#gap !== "\n") this.#gap = blank;
  }

  #push(text: string): void {
    this.#pieces.push(text);
    this.#length += text.length;
  }
}

function blankOf(blanks: string): string {
  return blanks.includes("\n") || blanks.includes("\r") ? "\n" : " ";
}
