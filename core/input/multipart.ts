/**
 * Reads multipart forms as they arrive: text fields into memory up to a limit, files through `keep` to wherever it puts
 * them. The body is read no faster than files are written, so a large upload costs the memory of a few chunks:
 * each is let go as soon as all of it was written, since whoever collects what is left over comes late. The library behind it reports through events of streams; everything it may report ends in one promise here.
 */
import { default as Busboy, type BusboyFileStream } from "@fastify/busboy";
import { yieldToEventLoop } from "../children/yield_to_event_loop.ts";
import { ApiError } from "../errors.ts";
import type { Keep, Upload } from "./uploads.ts";

/** How much a form may bring. */
export interface FormLimits {
  /** Fields, files among them. */
  readonly maxFields: number;
  /** Files, which cost more than other fields. */
  readonly maxFiles: number;
  /** Bytes of all text fields together; of a JSON or urlencoded body as well. */
  readonly maxTextBytes: number;
}

/** Name and value of a part, in the order of the form. */
export type Part = [name: string, value: string | Upload];

const UNREADABLE = "The request body could not be parsed as multipart form data.";
const MAX_PART_HEADER_BYTES = 16_384;
const MAX_HELD = 64;
/** Bytes that are read at a time: hundreds of fields at most, so that others are let in between. */
const STEP_BYTES = 16_384;

/**
 * Reads a form whose content type is given. Rejects with ApiError 400 for what is no form or exceeds the numbers, 413
 * for too much text, and with what the body or `keep` threw; files that were kept by then are the caller's to clear.
 * Chunks of the body are emptied once they were read.
 */
export async function readParts(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: FormLimits,
  keep: Keep,
): Promise<Part[]> {
  const reader = new Reader(contentType, limits, keep);
  try {
    for await (const chunk of body) await reader.write(chunk);
    return await reader.end();
  } catch (error) {
    await reader.abandon(error);
    throw error;
  }
}

class Reader {
  readonly #busboy: InstanceType<typeof Busboy>;
  readonly #limits: FormLimits;
  readonly #parts: Promise<Part>[] = [];
  /** Files that are being read. */
  readonly #open = new Set<BusboyFileStream>();
  /** Chunks of the file that came last, with where in the body they end; a part of each may still have to be written. */
  #held: { readonly chunk: Uint8Array; readonly end: number }[] = [];
  /** Bytes of the body that were taken in, and of files that were dealt with. */
  #taken = 0;
  #dealt = 0;
  /** Whether the chunk that is being taken in has the beginning of a file, and so perhaps the end of another. */
  #begins = false;
  readonly #failed = Promise.withResolvers<never>();
  readonly #finished = Promise.withResolvers<void>();
  readonly #yieldNow = yieldToEventLoop();
  #textBytes = 0;
  #fileCount = 0;

  constructor(contentType: string, limits: FormLimits, keep: Keep) {
    this.#limits = limits;
    // Whoever waits hears of a failure; where nobody does, it must not end the process.
    this.#failed.promise.catch(() => {});
    try {
      this.#busboy = new Busboy({
        headers: { "content-type": contentType },
        // Some clients send texts as application/octet-stream, and only files have file names.
        isPartAFile: (_name, _type, fileName) => fileName !== undefined,
        limits: { fieldSize: limits.maxTextBytes, headerSize: MAX_PART_HEADER_BYTES, headerPairs: 50 },
      });
    } catch {
      throw new ApiError(400, UNREADABLE);
    }
    this.#busboy.on("error", () => this.#fail(new ApiError(400, UNREADABLE)));
    this.#busboy.on("finish", () => this.#finished.resolve());
    this.#busboy.on("field", (name, value, _nameCut, isCut) => this.#text(name, value, isCut));
    this.#busboy.on("file", (name, file, fileName, _encoding, type) => {
      this.#begins = true;
      this.#held = [];
      this.#file(name, file, keep({ name: fileName ?? "", type }, this.#dealing(file as AsyncIterable<Uint8Array>)));
    });
  }

  /** Waits until the chunk was taken in, which is when the file it belongs to has been written so far. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += STEP_BYTES) {
      const step = chunk.subarray(at, at + STEP_BYTES);
      const taken = new Promise<void>((resolve) => this.#busboy.write(step, () => resolve()));
      await Promise.race([taken, this.#failed.promise]);
      await this.#yieldNow();
    }
    this.#taken += chunk.byteLength;
    if (this.#begins) this.#begins = false;
    else this.#held.push({ chunk, end: this.#taken });
    this.#letGo();
  }

  async end(): Promise<Part[]> {
    this.#busboy.end();
    await Promise.race([this.#finished.promise, this.#failed.promise]);
    return Promise.race([Promise.all(this.#parts), this.#failed.promise]);
  }

  /** Ends what is under way and waits for it, so that nothing is written after the caller has cleared up. */
  async abandon(error: unknown): Promise<void> {
    const cause = error instanceof Error ? error : new Error(String(error));
    for (const file of this.#open) file.destroy(cause);
    this.#busboy.destroy();
    await Promise.allSettled(this.#parts);
  }

  /**
   * Gives back the memory of chunks that were dealt with. What was taken in and not dealt with is what still has to be
   * written, the end of the file so far, or was never a file's: a chunk with twice as much behind it is done with.
   */
  #letGo(): void {
    const before = this.#taken - 2 * (this.#taken - this.#dealt);
    for (let first = this.#held[0]; first && first.end <= before; first = this.#held[0]) {
      this.#held.shift();
      const { buffer, byteLength } = first.chunk;
      // Unless others have a part of it.
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
    }
    // Where nobody deals with what comes, it is left to whoever collects what is left over.
    if (this.#held.length > MAX_HELD) this.#held = [];
  }

  /** A file's content; whoever asks for the next piece is done with the one before. */
  async *#dealing(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      const { length } = piece;
      yield piece;
      this.#dealt += length;
    }
  }

  #text(name: string | undefined, value: string, isCut: boolean): void {
    this.#textBytes += Buffer.byteLength(value);
    if (isCut || this.#textBytes > this.#limits.maxTextBytes) {
      const text = `The text fields of the form have more than the ${this.#limits.maxTextBytes} bytes allowed.`;
      this.#fail(new ApiError(413, text));
    }
    this.#add(Promise.resolve([name ?? "", value]));
  }

  #file(name: string | undefined, file: BusboyFileStream, kept: Promise<Upload>): void {
    this.#open.add(file);
    this.#fileCount += 1;
    // A reader that gives up, on a full disk for one, destroys the stream: why it gave up is what counts, not that.
    file.on("error", (error) => {
      const fail = (cause: unknown) => this.#fail(cause);
      kept.then(() => fail(error), fail);
    });
    this.#add(
      kept.then((upload): Part => {
        this.#open.delete(file);
        return [name ?? "", upload];
      }),
    );
    if (this.#fileCount > this.#limits.maxFiles) this.#refuse("files", this.#limits.maxFiles);
  }

  #add(part: Promise<Part>): void {
    part.catch((error: unknown) => this.#fail(error));
    this.#parts.push(part);
    if (this.#parts.length > this.#limits.maxFields) this.#refuse("fields", this.#limits.maxFields);
  }

  #refuse(what: string, count: number): void {
    this.#fail(new ApiError(400, `The request has more than the ${count} ${what} allowed.`));
  }

  #fail(error: unknown): void {
    this.#failed.reject(error);
  }
}
