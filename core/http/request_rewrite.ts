/**
 * Changes to a request before it is routed: its URL loses the path of APP_URL, a POST takes the method that overrides it, a HEAD
 * becomes a GET. They are own properties, which shadow the accessors of `Request`: a copy would cost more, lose the connection
 * (address, abort signal) and the state that is attached to the request.
 */
import { ApiError, localizedError } from "../errors.ts";
import { withinTime } from "../std/within_time.ts";

/** Requests that came as HEAD. */
const HEADS = new WeakSet<Pick<Request, "method">>();

/** Makes a request one of another method. */
export function overrideMethod(request: Request, method: string): void {
  if (request.method === "HEAD") HEADS.add(request);
  Object.defineProperty(request, "method", { value: method, configurable: true });
}

/** Whether a request came as HEAD, which handlers see as GET. */
export function cameAsHead(request: Pick<Request, "method">): boolean {
  return request.method === "HEAD" || HEADS.has(request);
}

/** Maximum characters of the path of a request, with that of APP_URL; the longest paths of Lectern have some 600. */
const MAX_PATH_CHARS = 8_192;
const LONG_PATH = localizedError(414, "The path of a request may not be longer than :max characters.", {
  max: String(MAX_PATH_CHARS),
});
/** RFC 9112, 3.2: proxies and servers may take different ones of several hosts. */
const SEVERAL_HOSTS = new ApiError(400, "A request has one Host header.");

/** The error of a request that is not even looked at: its path is too long, or it has several hosts; undefined for any other. */
export function malformedHead({ headers, url }: Pick<Request, "headers" | "url">): ApiError | undefined {
  if (url.length > MAX_PATH_CHARS && pathOf(url).length > MAX_PATH_CHARS) return LONG_PATH;
  // Headers of one name arrive as one, joined by commas; a host has none.
  return headers.get("host")?.includes(",") ? SEVERAL_HOSTS : undefined;
}

/** The path of a URL, without parsing the URL. */
export function pathOf(url: string): string {
  const start = pathStart(url);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * Gives a request a valid URL without `root`, the path of APP_URL, at its beginning. Bun takes the host of the URL from the
 * client's `Host` header, unchecked: it may be invalid or missing, and is then replaced. The host is not used.
 */
export function rewriteUrl(request: Request, root: string): void {
  const { url } = request;
  if (root === "" && url.startsWith(lastOrigin) && url[lastOrigin.length] === "/") return;
  const start = pathStart(url);
  const isValid = isValidOrigin(url.slice(0, start));
  if (root === "" && isValid && start >= 0) {
    lastOrigin = url.slice(0, start);
    return;
  }
  const path = url.slice(start);
  // A proxy may keep or remove the path of APP_URL; both lead to the same routes.
  const isBelow = root !== "" && path.startsWith(root) && /^(?:[/?]|$)/.test(path.slice(root.length));
  if (!isBelow && isValid) return;
  const own = isBelow ? path.slice(root.length) : path;
  const value = `${isValid ? url.slice(0, start) : "http://localhost"}${own.startsWith("/") ? own : `/${own}`}`;
  Object.defineProperty(request, "url", { value, configurable: true });
}

/** The origin of the last request. */
let lastOrigin = "http://localhost";

/** Origins that `URL` parses. Nearly all requests have one of a few, and parsing is slower than routing. */
const VALID_ORIGINS = new Set<string>();
const MAX_ORIGINS = 1_000;

function isValidOrigin(origin: string): boolean {
  if (VALID_ORIGINS.has(origin)) return true;
  if (!URL.canParse(origin)) return false;
  if (VALID_ORIGINS.size >= MAX_ORIGINS) VALID_ORIGINS.clear();
  VALID_ORIGINS.add(origin);
  return true;
}

function pathStart(url: string): number {
  return url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3);
}

/**
 * The answer to a HEAD (RFC 9110, 9.3.2): that of the GET without its body. A stream of known length, and one that a handler
 * generates, is cancelled unread; any other body is read for its length. Route scopes, themes and error pages see the complete
 * answer.
 */
export async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  // Elysia sets it for generators and streams.
  const isGenerated = headers.get("transfer-encoding") === "chunked";
  // Not awaited: the cancellation of a stream that waits might not settle.
  if (headers.has("content-length") || isGenerated) response.body?.cancel().catch(() => {});
  else if (response.body) {
    const length = await lengthOf(response.body);
    if (length !== undefined) headers.set("content-length", String(length));
  }
  return new Response(null, { status: response.status, headers });
}

/** Milliseconds for which a body is read for its length. */
const LENGTH_MS = 1_000;

/** The length of a body; undefined for a stream that has not ended in time, which is cancelled. Nothing of it is kept. */
async function lengthOf(body: ReadableStream<Uint8Array | string>): Promise<number | undefined> {
  const reader = body.getReader();
  const late = new Error("The stream has not ended in time");
  const ends = performance.now() + LENGTH_MS;
  const counted = async () => {
    let bytes = 0;
    // The clock is read too, since a stream that never waits lets no timer run.
    while (performance.now() < ends) {
      const chunk = await reader.read();
      if (chunk.done) return bytes;
      bytes += Buffer.byteLength(chunk.value);
    }
    throw late;
  };
  return withinTime(LENGTH_MS, counted, () => late).catch((error: unknown) => {
    if (error !== late) throw error;
    reader.cancel().catch(() => {});
    return undefined;
  });
}
