/**
 * Judges what an archive holds, completely, before anything is made of it (platform 8.4): rules of every object, numbers
 * of objects, ids that are given once, files that are there and are what they must be. Every error is found and told by
 * its path, but for archives that are refused as such. Others are let in between objects: an archive may hold many.
 */
import { ApiError, SNIFF_BYTES, sniff, type YieldToEventLoop, yieldToEventLoop } from "lectern/core";
import { type ArchiveNode, MAX_NODES, MODELS, type Model, nodeOf, TOP_KINDS, type TopKind } from "./archive_model.ts";
import { parseObject } from "./json.ts";
import { unpack, unpackBytes } from "./unpack.ts";
import { ArchiveError, type ArchiveFieldError, unusable } from "./validation_errors.ts";
import { type Entry, readZip, type Source } from "./zip.ts";

/** Judges an object by rules: errors by field. */
export type ValidateByRules = (
  rules: Model["rules"],
  data: Record<string, unknown>,
) => Promise<Record<string, readonly string[]>>;

/** An archive that can be imported. */
export interface Opened {
  readonly type: TopKind;
  readonly top: ArchiveNode;
  /** Files by the names that the data uses. */
  readonly files: ReadonlyMap<string, Entry>;
}

/** What judging needs beside the archive. */
export interface ArchiveLimits {
  readonly byRules: ValidateByRules;
  /** Largest file in megabytes of 1000 kilobytes of 1024 bytes. */
  readonly limitMb: number;
}

/** How many times the limit of one file all files of an archive may be, unpacked (platform 8.7). */
const TOTAL = 20;
const BYTES_PER_MB = 1_024_000;
const LIMITS = { maxEntries: 20_000, maxRatio: 200, ratioFromBytes: 10_485_760 };
const DATA = "data.json";
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const NO_DATA = "Could not find and decode ZIP data.json content.";
/** What telling text from other bytes looks at. */
const HEAD_BYTES = 2_000;
/** Beyond this, more errors help nobody. */
const MAX_ERRORS = 500;

/** Opens and judges an archive. Throws ArchiveError with all that is wrong with it. */
export async function openArchive(source: Source, judging: ArchiveLimits): Promise<Opened> {
  const maxBytes = judging.limitMb * BYTES_PER_MB;
  const entries = await readZip(source, { ...LIMITS, maxTotalBytes: TOTAL * maxBytes });
  const yieldNow = yieldToEventLoop();
  const data = await readData(source, entries.get(DATA), maxBytes, yieldNow);
  const type = TOP_KINDS.find((kind) => isObject(data[kind]));
  if (!type) throw unusable("ZIP file data has no expected book, chapter or page content.");
  refuseMany(type, data[type], new Map());
  const judge = new Judge(source, entries, { ...judging, yieldNow });
  await judge.object(type, type, data[type] as Record<string, unknown>);
  if (judge.errors.length > 0) throw new ArchiveError(judge.errors);
  return { type, top: await nodeOf(type, data[type] as Record<string, unknown>, yieldNow), files: judge.files };
}

async function readData(
  source: Source,
  entry: Entry | undefined,
  maxBytes: number,
  yieldNow: YieldToEventLoop,
): Promise<Record<string, unknown>> {
  if (!entry) throw unusable(NO_DATA);
  if (entry.size > maxBytes)
    throw unusable("ZIP data.json content exceeds the configured application maximum upload size.");
  const data = await parseObject(await unpackBytes(source, entry), yieldNow);
  if (!data) throw unusable(NO_DATA);
  return data;
}

/** Counted before any of it is judged, which takes longer. */
function refuseMany(kind: string, data: unknown, counts: Map<string, number>): void {
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  const most = MAX_NODES[kind];
  if (most !== undefined && count > most)
    throw unusable(`The ZIP file has more than ${most} objects of the type ${kind}.`);
  if (!isObject(data)) return;
  for (const [key, inner] of Object.entries((MODELS[kind] as Model).lists)) {
    const list = data[key];
    if (typeof list !== "object" || list === null) continue;
    for (const element of Object.values(list)) refuseMany(inner, element, counts);
  }
}

class Judge {
  readonly errors: ArchiveFieldError[] = [];
  readonly files = new Map<string, Entry>();
  readonly #source: Source;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #judging: ArchiveLimits & { readonly yieldNow: YieldToEventLoop };
  readonly #ids = new Set<string>();
  /** What each file was found to be. */
  readonly #types = new Map<string, string>();

  constructor(
    source: Source,
    entries: ReadonlyMap<string, Entry>,
    judging: ArchiveLimits & { readonly yieldNow: YieldToEventLoop },
  ) {
    this.#source = source;
    this.#entries = entries;
    this.#judging = judging;
  }

  async object(kind: string, path: string, data: Record<string, unknown>): Promise<void> {
    const { rules, lists, file } = MODELS[kind] as Model;
    await this.#judging.yieldNow();
    for (const [field, texts] of Object.entries(await this.#judging.byRules(rules, data)))
      for (const text of texts) this.#error(`${path}.${field}`, text);
    const isGivenTwice = data.id !== undefined && data.id !== null && this.#isGiven(`${kind} ${String(data.id)}`);
    if (isGivenTwice) this.#error(`${path}.id`, "The id must be unique for the object type within the ZIP.");
    const name = file && data[file.key];
    if (file && typeof name === "string" && name !== "") await this.#file(`${path}.${file.key}`, file, name);
    for (const [key, inner] of Object.entries(lists)) {
      const list = data[key];
      if (typeof list !== "object" || list === null) continue;
      for (const [index, element] of Object.entries(list))
        await this.#element(inner, `${path}.${key}.${index}`, element);
    }
  }

  async #element(kind: string, path: string, element: unknown): Promise<void> {
    if (isObject(element)) await this.object(kind, path, element);
    else this.#error(`${path}.0`, `Data object expected but "${typeNameOf(element)}" found.`);
  }

  async #file(path: string, { key, picture }: { key: string; picture: boolean }, name: string): Promise<void> {
    const entry = isPlain(name) ? this.#entries.get(`files/${name}`) : undefined;
    const { limitMb } = this.#judging;
    if (!entry) this.#error(path, `The ${key} needs to reference a file within the ZIP.`);
    // The original measures a missing file as too large; clients may wait for the line.
    if (!entry || entry.size > limitMb * BYTES_PER_MB) {
      this.#error(path, `The file ${name} must not exceed ${limitMb} MB.`);
      return;
    }
    const type = this.#types.get(name) ?? (await typeOf(this.#source, entry));
    this.#types.set(name, type);
    if (picture && !PICTURES.includes(type))
      this.#error(path, `The ${key} needs to reference a file of type ${PICTURES.join(",")}, found ${type}.`);
    this.files.set(name, entry);
  }

  #isGiven(id: string): boolean {
    const known = this.#ids.has(id);
    this.#ids.add(id);
    return known;
  }

  #error(key: string, text: string): void {
    this.errors.push([key, text]);
    if (this.errors.length >= MAX_ERRORS) throw new ArchiveError(this.errors);
  }
}

/** Unpacks a whole file to see that it is what the directory says, and tells its type from its first bytes. */
async function typeOf(source: Source, entry: Entry): Promise<string> {
  const head: Uint8Array[] = [];
  let size = 0;
  await unpack(source, entry, (chunk) => {
    if (size < HEAD_BYTES) head.push(chunk.slice(0, HEAD_BYTES));
    size += chunk.length;
  });
  return typeOfBytes(Buffer.concat(head).subarray(0, HEAD_BYTES));
}

function typeOfBytes(head: Buffer): string {
  const picture = sniff(head.subarray(0, SNIFF_BYTES));
  if (picture) return `image/${picture}`;
  if (head.includes(0)) return "application/octet-stream";
  const text = head.toString("utf8").trimStart();
  if (text.startsWith("%PDF-")) return "application/pdf";
  return /^(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text) ? "image/svg+xml" : "text/plain";
}

/** A bare name: nothing that could lead out of the folder it is looked up in. */
function isPlain(name: string): boolean {
  return !/[/\\]|\.\.|\p{Cc}/u.test(name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As clients know it, whose archives another language judged. */
function typeNameOf(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** The message of errors that the runtime's own rules found. */
export function archiveErrors(error: unknown): Record<string, readonly string[]> {
  if (error instanceof ApiError && error.details.validation) return { ...error.details.validation };
  throw error;
}
