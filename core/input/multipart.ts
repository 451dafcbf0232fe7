/**
 * Parsing of multipart forms as they arrive: text fields into memory up to a limit, files through `keep`. The body is read no
 * faster than files are written, so that a large upload takes the memory of a few chunks; a chunk is freed once it has been
 * written, as the garbage collector runs late. The library reports by events of streams, which all settle one promise here.
 */
import { default as Busboy, type BusboyFileStream } from "@fastify/busboy";
import { ApiError } from "../errors.ts";
import type { Keep, Upload } from "./uploads.ts";

/** Limits of a form. */
export interface FormLimits {
  /** Fields, files included. */
  readonly maxFields: number;
  readonly maxFiles: number;
  /** Bytes of all text fields together; of a JSON or urlencoded body as well. */
  readonly maxTextBytes: number;
  /** Characters of the names of all fields of a multipart form together. */
  readonly maxNameChars: number;
}

/** The name and value of a part. */
export type Part = [name: string, value: string | Upload];

/** Is awaited between pieces of work: returns a promise where others have their turn first. */
export type Pause = () => Promise<void> | undefined;

const UNREADABLE = "The request body could not be parsed as multipart form data.";
const MAX_PART_HEADER_BYTES = 16_384;
/** Chunks of a file that are kept for being freed. */
const MAX_KEPT_CHUNKS = 64;
/** Bytes parsed at a time, hundreds of fields at most: the event loop runs in between. */
const STEP_BYTES = 16_384;

/**
 * Parses a form; resolves with its parts in order. Rejects with ApiError 400 for malformed forms and too many fields or files,
 * 413 for too much text, and with what the body or `keep` throws. The caller removes files that were kept by then. The
 * buffers of chunks are detached once they have been read.
 */
export async function readParts(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: FormLimits,
  { keep, pause }: { readonly keep: Keep; readonly pause: Pause },
): Promise<Part[]> {
  const reader = new Reader(contentType, limits, { keep, pause });
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
  /** Files that are being written. */
  readonly #open = new Set<BusboyFileStream>();
  /** Chunks of the last file, with their end in the body; parts of them may not be written yet. */
  #chunks: { readonly chunk: Uint8Array; readonly end: number }[] = [];
  /** Bytes of the body that were parsed, and bytes of files that were written. */
  #parsed = 0;
  #written = 0;
  /** Whether a file begins in the current chunk, which may also hold the end of another. */
  #isFileStart = false;
  readonly #failed = Promise.withResolvers<never>();
  readonly #finished = Promise.withResolvers<void>();
  readonly #pause: Pause;
  #textBytes = 0;
  #nameChars = 0;
  #fileCount = 0;

  constructor(
    contentType: string,
    limits: FormLimits,
    { keep, pause }: { readonly keep: Keep; readonly pause: Pause },
  ) {
    this.#limits = limits;
    this.#pause = pause;
    // A failure that no call waits for must not end the process.
    this.#failed.promise.catch(() => {});
    try {
      this.#busboy = new Busboy({
        headers: { "content-type": contentType },
        // By file name: some clients send text fields as application/octet-stream.
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
      this.#isFileStart = true;
      this.#chunks = [];
      this.#file(name, file, keep({ name: fileName ?? "", type }, this.#counted(file as AsyncIterable<Uint8Array>)));
    });
  }

  /** Waits until the chunk has been parsed, which is when the file it belongs to has been written up to there. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; at += STEP_BYTES) {
      const step = chunk.subarray(at, at + STEP_BYTES);
      await this.#pause();
      const parsed = new Promise<void>((resolve) => this.#busboy.write(step, () => resolve()));
      // No deadline, which the body has: a failed file ends the parsing.
      await Promise.race([parsed, this.#failed.promise]);
    }
    this.#parsed += chunk.byteLength;
    if (this.#isFileStart) this.#isFileStart = false;
    else this.#chunks.push({ chunk, end: this.#parsed });
    this.#freeChunks();
  }

  async end(): Promise<Part[]> {
    this.#busboy.end();
    // Likewise, for the end of the body and of each file.
    await Promise.race([this.#finished.promise, this.#failed.promise]);
    return Promise.race([Promise.all(this.#parts), this.#failed.promise]);
  }

  /** Ends running writes and waits for them, so that nothing is written after the caller has removed the files. */
  async abandon(error: unknown): Promise<void> {
    const cause = error instanceof Error ? error : new Error(String(error));
    for (const file of this.#open) file.destroy(cause);
    this.#busboy.destroy();
    await Promise.allSettled(this.#parts);
  }

  /**
   * Frees the chunks that have been written. Bytes that were parsed and not written are those still to be written, at the end
   * of the file so far, or belong to no file: a chunk with twice as many bytes after it is complete.
   */
  #freeChunks(): void {
    const before = this.#parsed - 2 * (this.#parsed - this.#written);
    for (let first = this.#chunks[0]; first && first.end <= before; first = this.#chunks[0]) {
      this.#chunks.shift();
      const { buffer, byteLength } = first.chunk;
      // Only a buffer that holds nothing else.
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
    }
    // Chunks that nothing reads are left to the garbage collector.
    if (this.#chunks.length > MAX_KEPT_CHUNKS) this.#chunks = [];
  }

  /** The content of a file; a request for the next piece means that the one before has been written. */
  async *#counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      const { length } = piece;
      yield piece;
      this.#written += length;
    }
  }

  #text(name: string | undefined, value: string, isCut: boolean): void {
    this.#textBytes += Buffer.byteLength(value);
    if (isCut || this.#textBytes > this.#limits.maxTextBytes) {
      const text = `The text fields of the form have more than the ${this.#limits.maxTextBytes} bytes allowed.`;
      this.#fail(new ApiError(413, text));
    }
    this.#add(name, Promise.resolve([name ?? "", value]));
  }

  #file(name: string | undefined, file: BusboyFileStream, kept: Promise<Upload>): void {
    this.#open.add(file);
    this.#fileCount += 1;
    // A failing writer, as on a full disk, destroys the stream: the error of the writer is reported, not that of the stream.
    file.on("error", (error) => {
      const fail = (cause: unknown) => this.#fail(cause);
      kept.then(() => fail(error), fail);
    });
    this.#add(
      name,
      kept.then((upload): Part => {
        this.#open.delete(file);
        return [name ?? "", upload];
      }),
    );
    if (this.#fileCount > this.#limits.maxFiles) this.#failCount("files", this.#limits.maxFiles);
  }

  #add(name: string | undefined, part: Promise<Part>): void {
    part.catch((error: unknown) => this.#fail(error));
    this.#nameChars += name?.length ?? 0;
    if (this.#nameChars > this.#limits.maxNameChars) this.#failCount("characters of names", this.#limits.maxNameChars);
    this.#parts.push(part);
    if (this.#parts.length > this.#limits.maxFields) this.#failCount("fields", this.#limits.maxFields);
  }

  #failCount(what: string, count: number): void {
    this.#fail(new ApiError(400, `The request has more than the ${count} ${what} allowed.`));
  }

  #fail(error: unknown): void {
    this.#failed.reject(error);
  }
}
