import { deepFreeze } from "../std/freeze.ts";
import { storable } from "./storable_text.ts";

/** A file of a request; it exists until the request is answered. */
export interface Upload {
  /** The name that the client gave; never used as a path. */
  readonly name: string;
  /** The media type that the client claims; `sniff` detects the actual one. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** The path of the temporary file that holds it; a file store on the same disk links it without copying. */
  readonly spooled?: string;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
  /** The first `length` bytes. */
  head(length: number): Promise<Uint8Array>;
}

/** What the client says about a file. */
export interface UploadFacts {
  readonly name: string;
  readonly type: string;
}

const UPLOADS = new WeakSet<object>();

/**
 * Creates an upload from bytes, such as a file of a form. No path is taken from its caller: file stores copy and link the file of
 * `spooled`, whatever its bytes are.
 * @example
 * const upload = uploadOf(new Blob(["# Plan"]), { name: "plan.md", type: "text/markdown" });
 */
export function uploadOf(content: Blob, facts: UploadFacts = factsOf(content)): Upload {
  return uploadWith(content, facts, {});
}

/** Creates the upload of a file of the spool from its path. For the spool alone. */
export function spooledUpload(path: string, facts: UploadFacts): Upload {
  return uploadWith(Bun.file(path), facts, { spooled: path });
}

function uploadWith(content: Blob, { name, type }: UploadFacts, place: Pick<Upload, "spooled">): Upload {
  const upload: Upload = {
    ...place,
    type,
    name: storable(name),
    size: content.size,
    bytes: async () => new Uint8Array(await content.arrayBuffer()),
    stream: () => content.stream() as ReadableStream<Uint8Array>,
    head: async (length) => new Uint8Array(await content.slice(0, length).arrayBuffer()),
  };
  UPLOADS.add(upload);
  return deepFreeze(upload);
}

/**
 * Stores the content of one file while it arrives: a chunk has been written when the next one is asked for. Rejects with what
 * reading the content throws, and leaves nothing behind then.
 */
export type Keep = (facts: { name: string; type: string }, content: AsyncIterable<Uint8Array>) => Promise<Upload>;

/** Keeps files in memory: for bodies that are parsed without a runtime. */
export const keepInMemory: Keep = async ({ name, type }, content) => {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of content) chunks.push(new Uint8Array(chunk));
  return uploadOf(new Blob(chunks), { name, type });
};

/** Bun leaves `name` undefined for a file without a name, although its type is string. */
function factsOf(content: Blob): UploadFacts {
  return { name: (content as Partial<File>).name ?? "", type: content.type };
}

/**
 * Whether a value of the input is an upload, and not an object that a client sent as JSON.
 * @example
 * if (isUpload(input.file)) await context.files.put("notes/1.pdf", input.file);
 */
export function isUpload(value: unknown): value is Upload {
  return typeof value === "object" && value !== null && UPLOADS.has(value);
}

/** The bytes that `sniff` needs. */
export const SNIFF_BYTES = 32;

/**
 * Detects the format of an image from its first bytes; undefined for anything else.
 * @example
 * const kind = isUpload(input.image) ? sniff(await input.image.head(SNIFF_BYTES)) : undefined; // "png", say
 */
export function sniff(head: Uint8Array): "png" | "jpeg" | "gif" | "webp" | "avif" | undefined {
  const text = String.fromCharCode(...head.slice(0, SNIFF_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(text)) return "gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return "webp";
  if (/^[\s\S]{4}ftyp[\s\S]*(avif|avis)/.test(text)) return "avif";
  return undefined;
}
