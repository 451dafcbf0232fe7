import type { Allowance } from "./rate_limit.ts";

/** The content type that Bun sets for JSON; a type that a route or a scope has set is kept. */
const BUN_JSON = "application/json;charset=utf-8";
const FIXED_HEADERS = [
  ["cache-control", "no-cache, no-store, private"],
  ["expires", "Sun, 12 Jul 2015 19:01:00 GMT"],
  ["x-content-type-options", "nosniff"],
] as const;

/** Adds the headers of every answer, and those of the limit for requests that were counted. */
export function withDefaultHeaders(response: Response, allowance?: Allowance): Response {
  const { headers } = response;
  for (const [name, value] of FIXED_HEADERS) if (!headers.has(name)) headers.set(name, value);
  if (headers.get("content-type") === BUN_JSON) headers.set("content-type", "application/json");
  if (!allowance) return response;
  headers.set("x-ratelimit-limit", String(allowance.limit));
  headers.set("x-ratelimit-remaining", String(allowance.remaining));
  if (!allowance.exceeded) return response;
  headers.set("x-ratelimit-reset", String(allowance.resetsAt));
  headers.set("retry-after", String(Math.max(1, allowance.resetsAt - Math.floor(Date.now() / 1000))));
  return response;
}
