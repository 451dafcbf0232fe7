/**
 * Follows the redirects of calls as BookStack does (platform 10.2): a call stays a POST with its body, except after a 303,
 * which becomes a GET. Each hop goes through the plugin's own `fetch`, which checks every address.
 */
import { OutgoingError, type OutgoingFetch } from "lectern/core";

/** A call that may be redirected. */
export interface Call {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** How redirects are followed. */
export interface FollowOptions {
  readonly fetch: OutgoingFetch;
  readonly maxRedirects: number;
  /** Headers that are sent to the first origin alone. */
  readonly confidential: ReadonlySet<string>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Makes a call, follows its redirects and returns the last response. Throws OutgoingError for too many or invalid ones. */
export async function fetchFollowingRedirects(
  { address, body, signal, ...first }: Call,
  options: FollowOptions,
): Promise<Response> {
  const { fetch, maxRedirects, confidential } = options;
  let url = new URL(address);
  let headers = first.headers;
  let method = "POST";
  for (let hops = 0; ; hops++) {
    const sent = method === "POST" ? { headers, body } : { headers: without(headers, ["content-type"]) };
    // Responses are not decompressed: a small one could decompress to more than the memory.
    const response = await fetch(url, { method, ...sent, signal, decompress: false });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel().catch(() => {});
    const next = URL.parse(location, url.href);
    if (!next) throw new OutgoingError("The endpoint redirects to what is no address");
    if (hops === maxRedirects) throw new OutgoingError(`The endpoint redirects more than ${maxRedirects} times`);
    // Another origin could pass the signatures on.
    if (next.origin !== url.origin) headers = without(headers, confidential);
    if (response.status === 303) method = "GET";
    url = next;
  }
}

function without(headers: Call["headers"], names: Iterable<string>): Record<string, string> {
  const dropped = new Set(names);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
