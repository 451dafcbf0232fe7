/**
 * Validates an archive completely before it is used (platform 8.4): the rules of every object, numbers of objects, unique
 * ids, and the presence and type of files. All errors are collected with their paths, except those of the archive as a
 * whole. Validation yields to the event loop between objects.
 */
import { ApiError, SNIFF_BYTES, sniff, type Viewer, type YieldToEventLoop, yieldToEventLoop } from "lectern/core";
import {
  type ArchiveNode,
  MAX_NODES,
  MODELS,
  nodeOf,
  type ObjectModel,
  TOP_KINDS,
  type TopKind,
} from "./archive_model.ts";
import type { ImportsContext } from "./contract.ts";
import { parseObject } from "./json.ts";
import { unpack, unpackBytes } from "./unpack.ts";
import { ArchiveError, type ArchiveFieldError, formatError } from "./validation_errors.ts";
import { type Entry, readZip, type Source } from "./zip.ts";

/** Validates an object by rules. Returns errors by field. */
export type ValidateByRules = (
  rules: ObjectModel["rules"],
  data: Record<string, unknown>,
) => Promise<Record<string, readonly string[]>>;

/** A valid archive. */
export interface OpenedArchive {
  readonly type: TopKind;
  readonly top: ArchiveNode;
  /** Files by the names that the data uses. */
  readonly files: ReadonlyMap<string, Entry>;
}

/** What validation requires besides the archive. */
export interface ValidationOptions {
  readonly validate: ValidateByRules;
  /** Largest file in megabytes of 1000 kilobytes of 1024 bytes. */
  readonly limitMb: number;
}

/** The limit of all files of an archive, uncompressed, as a multiple of that of one file (platform 8.7). */
const TOTAL_FACTOR = 20;
const BYTES_PER_MB = 1_024_000;
const LIMITS = { maxEntries: 20_000, maxRatio: 200, ratioFromBytes: 10_485_760 };
const DATA = "data.json";
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const NO_DATA = "Could not find and decode ZIP data.json content.";
/** How many bytes the detection of types looks at. */
const HEAD_BYTES = 2_000;
/** Validation ends at this many errors. */
const MAX_ERRORS = 500;

/** Opens and validates an archive. Throws ArchiveError with all errors. */
export async function openArchive(source: Source, options: ValidationOptions): Promise<OpenedArchive> {
  const maxBytes = options.limitMb * BYTES_PER_MB;
  const entries = await readZip(source, { ...LIMITS, maxTotalBytes: TOTAL_FACTOR * maxBytes });
  const yieldNow = yieldToEventLoop();
  const data = await readData(source, entries.get(DATA), maxBytes, yieldNow);
  const type = TOP_KINDS.find((kind) => isObject(data[kind]));
  if (!type) throw formatError("ZIP file data has no expected book, chapter or page content.");
  checkCounts(type, data[type], new Map());
  const validator = new ArchiveValidator(source, entries, { ...options, yieldNow });
  await validator.object(type, type, data[type] as Record<string, unknown>);
  if (validator.errors.length > 0) throw new ArchiveError(validator.errors);
  return { type, top: await nodeOf(type, data[type] as Record<string, unknown>, yieldNow), files: validator.files };
}

async function readData(
  source: Source,
  entry: Entry | undefined,
  maxBytes: number,
  yieldNow: YieldToEventLoop,
): Promise<Record<string, unknown>> {
  if (!entry) throw formatError(NO_DATA);
  if (entry.size > maxBytes)
    throw formatError("ZIP data.json content exceeds the configured application maximum upload size.");
  const data = await parseObject(await unpackBytes(source, entry), yieldNow);
  if (!data) throw formatError(NO_DATA);
  return data;
}

/** Throws where there are too many objects of a kind. It precedes validation, which is slower. */
function checkCounts(kind: string, data: unknown, counts: Map<string, number>): void {
  const count = (counts.get(kind) ?? 0) + 1;
  counts.set(kind, count);
  const limit = MAX_NODES[kind];
  if (limit !== undefined && count > limit)
    throw formatError(`The ZIP file has more than ${limit} objects of the type ${kind}.`);
  if (!isObject(data)) return;
  for (const [key, inner] of Object.entries((MODELS[kind] as ObjectModel).lists)) {
    const list = data[key];
    if (typeof list !== "object" || list === null) continue;
    for (const element of Object.values(list)) checkCounts(inner, element, counts);
  }
}

class ArchiveValidator {
  readonly errors: ArchiveFieldError[] = [];
  readonly files = new Map<string, Entry>();
  readonly #source: Source;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #options: ValidationOptions & { readonly yieldNow: YieldToEventLoop };
  readonly #ids = new Set<string>();
  /** Detected types by file name. */
  readonly #types = new Map<string, string>();

  constructor(
    source: Source,
    entries: ReadonlyMap<string, Entry>,
    options: ValidationOptions & { readonly yieldNow: YieldToEventLoop },
  ) {
    this.#source = source;
    this.#entries = entries;
    this.#options = options;
  }

  async object(kind: string, path: string, data: Record<string, unknown>): Promise<void> {
    const { rules, lists, file } = MODELS[kind] as ObjectModel;
    await this.#options.yieldNow();
    for (const [field, texts] of Object.entries(await this.#options.validate(rules, data)))
      for (const text of texts) this.#error(`${path}.${field}`, text);
    const isDuplicate = data.id !== undefined && data.id !== null && this.#registerId(`${kind} ${String(data.id)}`);
    if (isDuplicate) this.#error(`${path}.id`, "The id must be unique for the object type within the ZIP.");
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
    const entry = isBareName(name) ? this.#entries.get(`files/${name}`) : undefined;
    const { limitMb } = this.#options;
    if (!entry) this.#error(path, `The ${key} needs to reference a file within the ZIP.`);
    // The original also reports a missing file as too large, and clients may expect that line.
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

  #registerId(id: string): boolean {
    const known = this.#ids.has(id);
    this.#ids.add(id);
    return known;
  }

  #error(key: string, text: string): void {
    this.errors.push([key, text]);
    if (this.errors.length >= MAX_ERRORS) throw new ArchiveError(this.errors);
  }
}

/** Unpacks a file completely, which checks its size and checksum, and detects its type from its first bytes. */
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

/** Whether a name has no path separators, `..` or control characters. */
function isBareName(name: string): boolean {
  return !/[/\\]|\.\.|\p{Cc}/u.test(name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of a value's type in PHP, which the original's messages have. */
function typeNameOf(value: unknown): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "double";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** Validates with the runtime's rules, in the viewer's language, returning errors instead of throwing them. */
export function validatorOf({ validate }: Pick<ImportsContext, "validate">, viewer: Viewer): ValidateByRules {
  return async (rules, data) => {
    try {
      // The rules decide what the data must be; until then nothing is known of it.
      await validate(rules, data as Parameters<typeof validate>[1], viewer);
      return {};
    } catch (error) {
      if (error instanceof ApiError && error.details.validation) return { ...error.details.validation };
      throw error;
    }
  };
}
