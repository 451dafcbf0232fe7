import { storable } from "./storable.ts";

/** A file that came with a request. */
export interface Upload {
  /** As the client named it; never used as a path. */
  readonly name: string;
  /** As the client claims; what it really is, `sniff` tells. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  bytes(): Promise<Uint8Array>;
  stream(): ReadableStream<Uint8Array>;
  /** The first `length` bytes. */
  head(length: number): Promise<Uint8Array>;
}

const UPLOADS = new WeakSet<object>();

/** Makes an upload of a file that was read with a form. */
export function uploadOf(file: File): Upload {
  const upload: Upload = {
    // Bun gives a file without a name none at all, whatever the type says.
    name: storable(file.name ?? ""),
    type: file.type,
    size: file.size,
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
    stream: () => file.stream() as ReadableStream<Uint8Array>,
    head: async (length) => new Uint8Array(await file.slice(0, length).arrayBuffer()),
  };
  UPLOADS.add(upload);
  return upload;
}

/** Whether a value of the input is an upload and not an object a client sent as JSON. */
export function isUpload(value: unknown): value is Upload {
  return typeof value === "object" && value !== null && UPLOADS.has(value);
}

/** How many bytes `sniff` wants to see. */
export const SNIFF_BYTES = 32;

/** The kind of picture that bytes really are: png, jpeg, gif, webp or avif; undefined for anything else. */
export function sniff(head: Uint8Array): "png" | "jpeg" | "gif" | "webp" | "avif" | undefined {
  const text = String.fromCharCode(...head.slice(0, SNIFF_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(text)) return "gif";
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return "webp";
  if (/^[\s\S]{4}ftyp[\s\S]*(avif|avis)/.test(text)) return "avif";
  return undefined;
}
