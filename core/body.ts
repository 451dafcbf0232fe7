import { ApiError } from "./errors.ts";

/** The 413 of the wire contract (content-api 1.1). */
export function tooLarge(): ApiError {
  const text = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";
  return new ApiError(413, text);
}

/**
 * How far a body beyond the limit is read to its end, in multiples of the limit: most clients read no answer before they
 * have sent everything, and would report a broken connection instead of what is wrong.
 */
const HEARD_OUT = 2;

/** A request's body as it arrives. Throws ApiError 413 beyond `maxBytes`: not every client says beforehand how much comes. */
export async function* bodyOf(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes <= maxBytes) yield chunk;
    else if (bytes > maxBytes * HEARD_OUT) break;
  }
  if (bytes > maxBytes) throw tooLarge();
}

/** Throws ApiError 413 for a body that announces more than `maxBytes`; first hears a client out who is `welcome`. */
export async function refuseLarge(request: Request, maxBytes: number, welcome: boolean): Promise<void> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced <= maxBytes) return;
  if (welcome && announced <= maxBytes * HEARD_OUT) for await (const _ of bodyOf(request, maxBytes));
  throw tooLarge();
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
