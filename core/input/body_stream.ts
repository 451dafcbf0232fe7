/**
 * Bodies as they arrive: how much of one is read, and how long the server waits for it. A client may pause, or lag behind a
 * rate, for so long and no longer; then the request ends with a 408 and the connection is closed. Only waiting for
 * the client counts, not the time the server takes to deal with what came. The head of a request is Bun's own to wait for.
 */
import { ApiError } from "../errors.ts";
import { diskFullError } from "../http/disk_full.ts";

/** How fast a body has to come. */
export interface BodyPace {
  /** How long a client may send nothing, or lag behind the rate, in milliseconds. */
  readonly timeoutMs: number;
  /** What it has to send on average. */
  readonly minBytesPerSecond: number;
}

/** A pace that any client keeps. */
export const defaultPace: BodyPace = { timeoutMs: 20_000, minBytesPerSecond: 2_000 };

const PACES = new WeakMap<Request, BodyPace>();

/** Sets the pace of a request's body, for whoever reads it. */
export function setPace(request: Request, pace: BodyPace): void {
  PACES.set(request, pace);
}

/** The 413 of the wire contract (content-api 1.1). */
export function tooLarge(): ApiError {
  const text = "The server cannot receive the provided amount of data. Try again with less data or a smaller file.";
  return new ApiError(413, text);
}

/** The status of a body that came too slowly. */
export const TOO_SLOW = 408;

/** The connection is closed with it: what is left of the body would be read as the next request. */
function tooSlow(): ApiError {
  return new ApiError(TOO_SLOW, "The request body took too long to arrive. Try again with a better connection.", {
    headers: { connection: "close" },
  });
}

/**
 * How far a body beyond the limit is read to its end, in multiples of the limit: most clients read no answer before they
 * have sent everything, and would report a broken connection instead of what is wrong.
 */
const HEARD_OUT = 2;

/**
 * A request's body as it arrives. Throws ApiError 413 beyond `maxBytes`: not every client says beforehand how much comes;
 * 408 where it comes too slowly.
 */
export async function* bodyOf(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of bodyChunks(request)) {
    bytes += chunk.byteLength;
    if (bytes <= maxBytes) yield chunk;
    else if (bytes > maxBytes * HEARD_OUT) break;
  }
  if (bytes > maxBytes) throw tooLarge();
}

/** Throws ApiError 413 for a body that announces more than `maxBytes`; first hears a client out who is `welcome`. */
export async function rejectLargeBody(request: Request, maxBytes: number, welcome: boolean): Promise<void> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced <= maxBytes) return;
  if (welcome && announced <= maxBytes * HEARD_OUT) for await (const _ of bodyOf(request, maxBytes));
  throw tooLarge();
}

/** A request's whole body, at once where little was announced. Throws ApiError 413 beyond `maxBytes`, 408 if too slow. */
export async function bytesOf(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { headers } = request;
  const announced = headers.get("transfer-encoding") === null ? headers.get("content-length") : null;
  const { timeoutMs, minBytesPerSecond } = paceOf(request);
  const little = Math.min(maxBytes, (timeoutMs / 1000) * minBytesPerSecond);
  if (announced !== null && Number(announced) <= little) return inTime(request.bytes(), timeoutMs);
  if (Number(announced) > maxBytes * HEARD_OUT) throw tooLarge();
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(request, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function paceOf(request: Request): BodyPace {
  return PACES.get(request) ?? defaultPace;
}

/**
 * The pieces of a body as they arrive, however many. Throws ApiError 408 where they come too slowly: a bucket of patience is
 * emptied by waiting, and every byte fills it again as far as it was at first.
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
      const asked = performance.now();
      const { done, value } = await inTime(reader.read(), left);
      if (done) return;
      const earned = (value.byteLength / minBytesPerSecond) * 1000;
      left = Math.min(timeoutMs, Math.max(0, left - (performance.now() - asked)) + earned);
      yield value;
    }
  } finally {
    // A body that ended or broke is cancelled without effect; one that never ends must not be waited for.
    reader?.cancel().catch(() => {});
  }
}

/** Why a body could not be read: its own fault, or no room for its files; what else broke it, nobody but the client knows. */
export function bodyError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return diskFullError(error) ?? new ApiError(400, "The request body could not be read.");
}

/** How long a timer that has run out waits for what the event loop may have had no time to read before. */
const LAST_LOOK_MS = 50;

async function inTime<V>(pending: Promise<V>, ms: number): Promise<V> {
  const late = Promise.withResolvers<never>();
  let timer = setTimeout(() => {
    timer = setTimeout(() => late.reject(tooSlow()), LAST_LOOK_MS);
  }, ms);
  try {
    return await Promise.race([pending, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
