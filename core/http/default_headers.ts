/**
 * The headers of every answer. A request is answered by a Response, by headers that Elysia makes one with, or, where nothing else is set, by JSON with
 * kept headers of which two or three differ: most of what a small answer costs is to make its headers. What a route or a scope sets comes before these.
 */
import { ElysiaCustomStatusResponse } from "elysia";
import { JsonBytes } from "../std/json_bytes.ts";
import { jsonTextOf } from "../std/json_text.ts";
import { currentLoopTurn, isCollected, wholeResponse, withContent } from "../std/one_write.ts";
import { SECOND_MS } from "../std/time.ts";
import type { RequestState } from "./request_context.ts";

/** The content type that Bun sets for JSON; a type that a route or a scope has set is kept. */
const BUN_JSON = "application/json;charset=utf-8";
/** The content type of JSON. */
export const JSON_TYPE = "application/json";

/** The header of an answer that a replica gave while the database was away: it may be older than one before. */
export const STALE_HEADER = "lectern-stale";

/** The headers that every answer has with the same value. */
const SAME = {
  "cache-control": "no-cache, no-store, private",
  expires: "Sun, 12 Jul 2015 19:01:00 GMT",
  "x-content-type-options": "nosniff",
};

/** The headers of every answer, those of the limit for requests that were counted, and those of the route scope. */
export function defaultHeaders({
  allowance,
  requestId,
  scopeHeaders,
  awayReads,
}: RequestState): Record<string, string> {
  const headers: Record<string, string> = { ...SAME, "x-request-id": requestId };
  if (awayReads?.replica) headers[STALE_HEADER] = "replica";
  if (scopeHeaders) Object.assign(headers, scopeHeaders);
  if (!allowance) return headers;
  headers["x-ratelimit-limit"] = String(allowance.limit);
  headers["x-ratelimit-remaining"] = String(allowance.remaining);
  if (!allowance.exceeded) return headers;
  headers["x-ratelimit-reset"] = String(allowance.resetsAt);
  headers["retry-after"] = String(Math.max(1, allowance.resetsAt - Math.floor(Date.now() / SECOND_MS)));
  return headers;
}

/** Those of JSON without and with a limit. Each Response copies the headers that it gets, in half the time that a list of them takes. */
const UNCOUNTED = new Headers({ ...SAME, "content-type": JSON_TYPE });
const COUNTED = new Headers(UNCOUNTED);
let shownLimit: number | undefined;

/** The default headers of JSON, to be copied at once; undefined for a request with further ones. */
function jsonHeaders({ allowance, requestId, scopeHeaders, awayReads }: RequestState): Headers | undefined {
  if (scopeHeaders || awayReads?.replica || allowance?.exceeded) return undefined;
  const headers = allowance ? COUNTED : UNCOUNTED;
  headers.set("x-request-id", requestId);
  if (!allowance) return headers;
  if (allowance.limit !== shownLimit) headers.set("x-ratelimit-limit", String(allowance.limit));
  shownLimit = allowance.limit;
  headers.set("x-ratelimit-remaining", String(allowance.remaining));
  return headers;
}

/** Adds the default headers that an answer does not have and `others` do not name. */
export function addDefaultHeaders(response: Response, state: RequestState, others: object = {}): Response {
  const { headers } = response;
  const defaults = defaultHeaders(state);
  for (const name in defaults) if (!headers.has(name) && !(name in others)) headers.set(name, defaults[name] ?? "");
  if (headers.get("content-type") === BUN_JSON) headers.set("content-type", JSON_TYPE);
  return response;
}

/**
 * Adds the default headers to what a handler returned: to a Response, or to the headers that Elysia makes the Response with.
 * Returns a Response for JSON, which is sent at once, unless further hooks want the value, or the handler has set what Elysia writes; and for
 * lists of other classes, such as rows of a statement, which Elysia would answer without headers.
 */
export function applyDefaultHeaders(value: unknown, state: RequestState, set: SetParts): Response | undefined {
  if (value instanceof Response) {
    addDefaultHeaders(value, state, set.headers);
    return undefined;
  }
  const isBytes = value instanceof JsonBytes;
  const same = isUnchanged(set) ? jsonHeaders(state) : undefined;
  if (isBytes && same && isWrittenAtOnce(value.bytes, state))
    return withContent(new Response(value.bytes, { headers: same }), value);
  const isOther = Array.isArray(value) && value.constructor !== Array;
  const isText = !isBytes && (isOther || isSent(value, state, set));
  const text = isText ? (jsonTextOf(value) ?? JSON.stringify(value)) : undefined;
  if (text !== undefined && same && (state.isInternal || isCollected(text)))
    return withContent(new Response(text, { headers: same }), text);
  const headers = Object.assign(defaultHeaders(state), set.headers);
  const status = Number(set.status ?? 200);
  if (isBytes || text !== undefined) headers["content-type"] ??= JSON_TYPE;
  if (isBytes)
    return withContent(
      isWrittenAtOnce(value.bytes, state)
        ? new Response(value.bytes, { status, headers })
        : wholeResponse(value.bytes, { status, headers }),
      value,
    );
  set.headers = headers;
  if (text === undefined) {
    setJsonType(value, { headers });
    return undefined;
  }
  return state.isInternal ? new Response(text, { status, headers }) : wholeResponse(text, { status, headers });
}

/** Whether nobody writes it, or Bun writes it together with its headers. */
function isWrittenAtOnce(bytes: Uint8Array, { isInternal, loopTurn }: RequestState): boolean {
  return isInternal || isCollected(bytes) || loopTurn === currentLoopTurn();
}

/** Whether a handler has set neither headers nor cookies nor a status. */
function isUnchanged({ headers, status, cookie }: SetParts): boolean {
  for (const _ in headers) return false;
  return cookie === undefined && (status === undefined || status === 200);
}

/** Sets the content type of values that are answered as JSON, unless the route has. */
export function setJsonType(value: unknown, { headers }: { readonly headers: Record<string, unknown> }): void {
  const body = value instanceof ElysiaCustomStatusResponse ? value.response : value;
  if (isPlain(body)) headers["content-type"] ??= JSON_TYPE;
}

/** Whether the answer is made here. Where Elysia has more to write, such as cookies, or further hooks look at the value, it makes the answer. */
function isSent(value: unknown, { keepsValue }: RequestState, { cookie, headers, status = 200 }: SetParts): boolean {
  const isElysias = cookie !== undefined || "set-cookie" in headers || typeof status !== "number";
  return !keepsValue && !isElysias && isPlain(value);
}

/** The part of Elysia's `set` that is used here. */
interface SetParts {
  headers: object;
  status?: number | string;
  readonly cookie?: unknown;
}

/** Whether a value is answered as JSON. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || value.constructor === Object || value.constructor === undefined;
}
