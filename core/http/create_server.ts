import type { Db } from "../../db/mod.ts";
import { baseUrlOf, bodyLimitOf, type Config } from "../config.ts";
import { defaultInputLimits } from "../input/body_parsing.ts";
import { trimEndChars } from "../std/trim_chars.ts";
import { trustedProxies } from "./client_address.ts";
import { limiterOf } from "./rate_limit.ts";
import { HttpServer, type HttpServerParts } from "./server.ts";
import { WorkBudget } from "./work_budget.ts";

/** Creates the HTTP side of a runtime from its settings. Throws BootError for proxies that cannot be read. */
export function createHttpServer(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  db: Db,
  parts: Pick<HttpServerParts, "log" | "children" | "spool" | "texts" | "tracing" | "readsReplicas">,
): HttpServer {
  const makeLimiter = limiterOf(db, config);
  return new HttpServer({
    ...parts,
    limiter: makeLimiter("api", config.requestsPerMinute),
    budget: new WorkBudget({ makeLimiter, log: parts.log, config }),
    proxies: trustedProxies(config.proxies, env.TRUSTED_PROXIES),
    inputLimits: { ...defaultInputLimits, maxBytes: bodyLimitOf(config), maxTextBytes: config.maxTextBytes },
    pace: { timeoutMs: config.bodyTimeoutMs, minBytesPerSecond: config.bodyMinRate },
    root: trimEndChars(new URL(baseUrlOf(config)).pathname, "/"),
  });
}
