/**
 * Reading of bodies, with limits on their size and pace. A client that pauses for too long, or stays below the minimum rate for
 * too long, is answered 408 and its connection is closed. Only the time spent waiting for the client counts. Bun limits the
 * time of the head of a request.
 */
import { ApiError } from "../errors.ts";
import { diskFullError } from "../failures.ts";
import { withinCountdown } from "../std/countdown.ts";
import { SECOND_MS } from "../std/time.ts";

/** The minimum pace of a body. */
export interface BodyPace {
  /** How long a client may send nothing, or stay below the rate, in milliseconds. */
  readonly timeoutMs: number;
  /** The minimum average rate. */
  readonly minBytesPerSecond: number;
}

/** The default pace. */
export const defaultPace: BodyPace = { timeoutMs: 20_000, minBytesPerSecond: 2_000 };

const PACES = new WeakMap<Request, BodyPace>();

/** Sets the pace of the body of a request. */
export function setPace(request: Request, pace: BodyPace): void {
  PACES.set(request, pace);
}

/** The 413 of the wire contract (content-api 1.1). */
export function tooLarge(): ApiError {
  const text = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";
  return new ApiError(413, text);
}

/** The status of a body that arrived too slowly. */
export const TOO_SLOW = 408;

/** The 408 of a slow body. It closes the connection: the rest of the body would be read as the next request. */
function tooSlow(): ApiError {
  return new ApiError(TOO_SLOW, "The request body took too long to arrive. Try again with a better connection.", {
    headers: { connection: "close" },
  });
}

/**
 * Bodies up to this multiple of the limit are read to their end before the 413: most clients read no answer until they have sent
 * everything, and would report a broken connection.
 */
const DRAIN_FACTOR = 2;

/**
 * The chunks of a body. Throws ApiError 413 beyond `maxBytes`, also without a Content-Length, and 408 if it arrives too slowly.
 */
export async function* bodyOf(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of bodyChunks(request)) {
    bytes += chunk.byteLength;
    if (bytes <= maxBytes) yield chunk;
    else if (bytes > maxBytes * DRAIN_FACTOR) break;
  }
  if (bytes > maxBytes) throw tooLarge();
}

/** Throws ApiError 413 if the Content-Length exceeds `maxBytes`; first reads the body if `drain` is set. */
export async function rejectLargeBody(request: Request, maxBytes: number, drain: boolean): Promise<void> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced <= maxBytes) return;
  if (drain && announced <= maxBytes * DRAIN_FACTOR) for await (const _ of bodyOf(request, maxBytes));
  throw tooLarge();
}

/** The whole body, read at once if the Content-Length is small. Throws ApiError 413 beyond `maxBytes`, 408 if too slow. */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { headers } = request;
  const announced = headers.get("transfer-encoding") === null ? headers.get("content-length") : null;
  const { timeoutMs, minBytesPerSecond } = paceOf(request);
  const small = Math.min(maxBytes, (timeoutMs / SECOND_MS) * minBytesPerSecond);
  if (announced !== null && Number(announced) <= small) return withinCountdown(request.bytes(), timeoutMs, tooSlow);
  if (Number(announced) > maxBytes * DRAIN_FACTOR) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function paceOf(request: Request): BodyPace {
  return PACES.get(request) ?? defaultPace;
}

/**
 * The chunks of a body, without a limit on its size. Throws ApiError 408 if they arrive too slowly: waiting uses up a budget of
 * time, and each byte restores a part of it, up to the initial budget.
 * @example
 * let bytes = 0;
 * for await (const chunk of bodyChunks(request)) bytes += chunk.byteLength;
 */
export async function* bodyChunks(request: Request): AsyncGenerator<Uint8Array> {
  const { timeoutMs, minBytesPerSecond } = paceOf(request);
  const reader = request.body?.getReader();
  let left = timeoutMs;
  try {
    while (reader) {
      const started = performance.now();
      const { done, value } = await withinCountdown(reader.read(), left, tooSlow);
      if (done) return;
      const restored = (value.byteLength / minBytesPerSecond) * SECOND_MS;
      left = Math.min(timeoutMs, Math.max(0, left - (performance.now() - started)) + restored);
      yield value;
    }
  } finally {
    // Not awaited: the cancellation of a body that never ends would not settle.
    reader?.cancel().catch(() => {});
  }
}

/** The error of a body that could not be read: its own, 507 for a full disk, else 400. */
export function bodyError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return diskFullError(error) ?? new ApiError(400, "The request body could not be read.");
}
