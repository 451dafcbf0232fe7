/**
 * Settings of the runtime of which other limits are multiples, also among those of plugins: who has a slower store, less memory or
 * larger texts changes one variable and with it all that depends on the same.
 */
import { Type as t } from "@sinclair/typebox";
import { deepFreeze } from "./std/freeze.ts";

/**
 * The settings themselves. A plugin takes those it needs among its own, and so reads the same variables.
 * @example
 * const settings = t.Object({
 *   databaseTimeoutMs: sharedLimits.databaseTimeoutMs,
 *   reportTimeoutMs: t.Integer({ default: 10_000, constant: true, times: { of: "databaseTimeoutMs", by: 2 } }),
 * });
 */
export const sharedLimits = deepFreeze({
  databaseTimeoutMs: t.Integer({
    default: 5_000,
    minimum: 100,
    env: "DATABASE_TIMEOUT_MS",
    shared: true,
    unit: "milliseconds",
    description:
      "How long the store may take for an ordinary read and to begin a write (503 beyond, and the connection is replaced). " +
      "A listing with filters or a far offset, and a search, may take twice as long (422 beyond), each statement of a write or export six times (503 beyond), and of a job 120 times",
  }),
  requestsPerMinute: t.Integer({
    default: 180,
    minimum: 1,
    maximum: 100_000_000,
    env: "API_REQUESTS_PER_MIN",
    shared: true,
    unit: "requests per minute",
    description:
      "Requests of a user, and four times as many for suggestions while somebody types. Parsing and rendering for a user may take a quarter of a second for each of them, for an address twice as much (429 beyond)",
  }),
  answerCacheBytes: t.Integer({
    default: 64_000_000,
    minimum: 0,
    env: "ANSWER_CACHE_BYTES",
    shared: true,
    unit: "bytes",
    description:
      "Memory for cached answers of single reads and screens, which every commit that changes them drops; 0 reads them from the store each time. Rendered pages with includes have half as much besides",
  }),
  childSeconds: t.Integer({
    default: 30,
    minimum: 1,
    env: "CHILD_TIMEOUT",
    shared: true,
    unit: "seconds",
    description:
      "What one task of a child process may take (then 422, or 503 for a read); a PDF may take four times as long",
  }),
  childMegabytes: t.Integer({
    default: 1024,
    minimum: 128,
    env: "CHILD_MEMORY",
    shared: true,
    unit: "megabytes",
    description: "What a child process may take; the making of a PDF may take twice as much",
  }),
  maxTextBytes: t.Integer({
    default: 20_971_520,
    minimum: 100_000,
    env: "MAX_TEXT_BYTES",
    shared: true,
    unit: "bytes",
    description:
      "Largest JSON or urlencoded body, and all texts of a form together (413 beyond). The HTML or Markdown of a page, without embedded pictures, may have a quarter of it (422 beyond)",
  }),
});
