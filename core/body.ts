import { ApiError } from "./errors.ts";

const TOO_LARGE = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";

/** Throws the 413 of the wire contract where a request announces a body of more than `max` bytes (content-api 1.4). */
export function refuseLarge(request: Request, max: number): void {
  if (Number(request.headers.get("content-length") ?? 0) > max) throw new ApiError(413, TOO_LARGE);
}

/**
 * The request with a body that is known not to exceed `max` bytes. One that announces its length is held to it by the
 * server; one that comes in chunks is read here, and reading ends where it grows too large. Throws ApiError 413.
 */
export async function bounded(request: Request, max: number): Promise<Request> {
  if (request.body === null || request.headers.has("content-length")) return request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > max) throw new ApiError(413, TOO_LARGE);
    chunks.push(chunk);
  }
  const type = request.headers.get("content-type") ?? "";
  return new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": type },
    body: new Blob(chunks),
  });
}
