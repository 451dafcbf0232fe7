/**
 * Reads multipart forms as they arrive: text fields into memory up to a limit, files through `keep` to wherever it puts
 * them. The body is read no faster than files are written, so a large upload costs the memory of a few chunks. The
 * library behind it reports through events of streams; everything it may report ends in one promise here.
 */
import { default as Busboy, type BusboyFileStream } from "@fastify/busboy";
import { ApiError } from "./errors.ts";
import type { Keep } from "./spool.ts";
import type { Upload } from "./upload.ts";

/** How much a form may bring. */
export interface FormLimits {
  /** Fields, files among them. */
  readonly maxFields: number;
  /** Files, which cost more than other fields. */
  readonly maxFiles: number;
  /** Bytes of all text fields together. */
  readonly maxTextBytes: number;
}

/** Name and value of a part, in the order of the form. */
export type Part = [name: string, value: string | Upload];

const UNREADABLE = "The request body could not be parsed as multipart form data.";
const MAX_PART_HEADER_BYTES = 16_384;

/**
 * Reads a form whose content type is given. Rejects with ApiError 400 for what is no form or exceeds the numbers, 413
 * for too much text, and with what the body or `keep` threw; files that were kept by then are the caller's to clear.
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
  readonly #failed = Promise.withResolvers<never>();
  readonly #finished = Promise.withResolvers<void>();
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
      this.#file(name, file, keep({ name: fileName ?? "", type }, file as AsyncIterable<Uint8Array>));
    });
  }

  /** Waits until the chunk was taken in, which is when the file it belongs to has been written so far. */
  async write(chunk: Uint8Array): Promise<void> {
    const taken = new Promise<void>((resolve) => this.#busboy.write(chunk, () => resolve()));
    await Promise.race([taken, this.#failed.promise]);
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
    // `keep` hears of it while it reads; before and after, nobody else listens.
    file.on("error", (error) => this.#fail(error));
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
