import { Type as t } from "@sinclair/typebox";
import { MAX_KEYS } from "./std/expiring_map.ts";

/** The settings of the runtime about what it keeps in memory between requests. */
export const memorySettings = {
  answerCacheBytes: t.Integer({
    default: 64_000_000,
    minimum: 0,
    env: "ANSWER_CACHE_BYTES",
    description: "Bytes of memory for cached answers of single reads; 0 caches none",
  }),
  maxLimitKeys: t.Integer({
    default: MAX_KEYS,
    minimum: 1_000,
    maximum: 10_000_000,
    env: "RATE_LIMIT_KEYS",
    description: "Users and addresses that each limit counts in memory; beyond, the least recently seen are dropped",
  }),
};
