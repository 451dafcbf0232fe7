import type { Log } from "lectern/core";
import { MINUTE_MS } from "lectern/core";
import type { SpanExporter } from "./sdk.ts";

/** Between two lines about spans that could not be sent. */
const QUIET_MS = MINUTE_MS;

/** An exporter that logs its failures, at most one a minute: the SDK itself says nothing. */
export function reporting(exporter: SpanExporter, log: Pick<Log, "warn">): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== 0 && performance.now() - reportedAt > QUIET_MS) {
          reportedAt = performance.now();
          log.warn("Cannot send traces to the collector", { error: result.error?.message });
        }
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The headers of OTEL_EXPORTER_OTLP_HEADERS: `name=value` separated by commas, values URL-encoded. */
export function headersOf(text: string): Record<string, string> {
  const pairs = text
    .split(",")
    .map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1).trim()] as const)
    .filter(([name]) => name !== "");
  return Object.fromEntries(pairs.map(([name, value]) => [name, decoded(value)]));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // A value that is not encoded.
    return value;
  }
}
