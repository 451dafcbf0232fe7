/**
 * Redirects of calls, as the original follows them (platform 10.2): a call stays a POST with its body, but after a 303,
 * which is fetched. Each hop goes through the plugin's own `fetch`, which judges its address like that of a first call.
 */
import { OutgoingError, type OutgoingFetch } from "lectern/core";

/** A call that may be sent on. */
export interface Call {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** How far calls are followed, and what of their headers is for the origin alone that they were made to. */
export interface FollowOptions {
  readonly fetch: OutgoingFetch;
  readonly maxRedirects: number;
  readonly proofs: ReadonlySet<string>;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Makes a call and follows its redirects; answers the last response. Throws OutgoingError where that leads nowhere. */
export async function fetchFollowingRedirects(
  { address, body, signal, ...first }: Call,
  rules: FollowOptions,
): Promise<Response> {
  const { fetch, maxRedirects, proofs } = rules;
  let url = new URL(address);
  let headers = first.headers;
  let method = "POST";
  for (let hops = 0; ; hops++) {
    const sent = method === "POST" ? { headers, body } : { headers: without(headers, ["content-type"]) };
    // What comes packed is kept as it came: a small answer may unpack to more than there is room for.
    const response = await fetch(url, { method, ...sent, signal, decompress: false });
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel().catch(() => {});
    const next = URL.parse(location, url.href);
    if (!next) throw new OutgoingError("The endpoint redirects to what is no address");
    if (hops === maxRedirects) throw new OutgoingError(`The endpoint redirects more than ${maxRedirects} times`);
    // Who proves to be us to one origin does not to another, which could pass the proof on.
    if (next.origin !== url.origin) headers = without(headers, proofs);
    if (response.status === 303) method = "GET";
    url = next;
  }
}

function without(headers: Call["headers"], names: Iterable<string>): Record<string, string> {
  const dropped = new Set(names);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)));
}
