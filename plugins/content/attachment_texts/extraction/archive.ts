import { unzipSync } from "fflate";
import { Unreadable } from "./text_sink.ts";

/** Files of an archive that are looked at. */
const MAX_FILES = 20_000;

/** A ZIP archive whose files are unpacked one by one. */
export class Archive {
  /** The names of its files, in the order of its directory. */
  readonly names: readonly string[];
  readonly #bytes: Uint8Array;
  #left: number;

  /** Reads its directory. `maxBytes` is for all that is unpacked of it. Throws Unreadable. */
  constructor(bytes: Uint8Array, maxBytes: number) {
    this.#bytes = bytes;
    this.#left = maxBytes;
    const names: string[] = [];
    unzip(bytes, ({ name }) => {
      if (names.push(name) > MAX_FILES) throw new Unreadable("too large");
      return false;
    });
    this.names = names;
  }

  /**
   * Unpacks a file; undefined if there is none. Throws Unreadable beyond the limit, by the size that the directory declares, which bounds
   * what is unpacked.
   */
  read(wanted: string): Uint8Array | undefined {
    if (!this.names.includes(wanted)) return undefined;
    const found = unzip(this.#bytes, ({ name, originalSize }) => {
      if (name !== wanted) return false;
      this.#left -= originalSize;
      if (this.#left < 0) throw new Unreadable("too large");
      return true;
    });
    return found[wanted];
  }
}

function unzip(bytes: Uint8Array, filter: (file: { name: string; originalSize: number }) => boolean) {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable("damaged");
  }
}
