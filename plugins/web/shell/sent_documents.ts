/**
 * The documents that were sent last, by their entity tags: one that is sent again, such as to the next visitor or by a reader who reloads it, is
 * neither put together nor compressed again. Only those without a nonce are the same twice.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of documents that are kept, a few hundred pages; with their compressed forms they take half as much more. */
const MAX_BYTES = 8 * 1_024 * 1_024;

/** The documents of one runtime. */
export class SentDocuments {
  readonly #kept = new Map<string, Bytes>();
  #bytes = 0;

  /** The document with an entity tag, made if it is not kept. */
  take(etag: string, make: () => Bytes): Bytes {
    const known = this.#kept.get(etag);
    if (known) {
      // The first one of the map is that which was sent longest ago.
      this.#kept.delete(etag);
      this.#kept.set(etag, known);
      return known;
    }
    const made = make();
    if (made.length > MAX_BYTES) return made;
    this.#kept.set(etag, made);
    this.#bytes += made.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
    return made;
  }
}
