import { ApiError } from "./errors.ts";

/** The 413 of the wire contract (content-api 1.1). */
export function tooLarge(): ApiError {
  const text = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";
  return new ApiError(413, text);
}

/** A request's body as it arrives. Throws ApiError 413 beyond `maxBytes`: not every client says beforehand how much comes. */
export async function* bodyOf(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    yield chunk;
  }
}

/** A request's whole body, at once where its length was announced. Throws ApiError 413 beyond `maxBytes`. */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { headers } = request;
  const announced = headers.get("transfer-encoding") === null ? headers.get("content-length") : null;
  if (announced !== null && Number(announced) <= maxBytes) return request.bytes();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
