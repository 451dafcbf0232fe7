import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ApiError, bodyChunks } from "lectern/core";

/** Largest body of a report as sent, in bytes (dashboard-stats 6.4). */
export const MAX_SENT_BYTES = 5 * 1024 * 1024;
/** Largest body once decompressed, in bytes. */
export const MAX_UNPACKED_BYTES = 32 * 1024 * 1024;

const unpack = promisify(gunzip);

/**
 * Reads a request's body as text, decompressing gzip. Throws ApiError 413 beyond `maxSent` bytes or the limit of the
 * decompressed body, 408 where it arrives too slowly, 400 where it cannot be decompressed or is not UTF-8, 415 for another encoding.
 */
export async function textOf(request: Request, maxSent = MAX_SENT_BYTES): Promise<string> {
  const sent = await bytesOf(request, maxSent);
  const encoding = (request.headers.get("content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding !== "identity" && encoding !== "gzip" && encoding !== "")
    throw new ApiError(415, "Content-Encoding must be gzip or absent");
  const bytes = encoding === "gzip" && sent.length > 0 ? await unpacked(sent) : sent;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ApiError(400, "Request body is not UTF-8");
  }
}

async function bytesOf(request: Request, max: number): Promise<Uint8Array> {
  const tooLarge = new ApiError(413, `Request body is larger than ${max} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > max) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bodyChunks(request)) {
    size += chunk.byteLength;
    if (size > max) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function unpacked(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await unpack(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE")
      throw new ApiError(413, `Request body is larger than ${MAX_UNPACKED_BYTES} bytes unpacked`);
    throw new ApiError(400, "Request body is not gzip");
  }
}
