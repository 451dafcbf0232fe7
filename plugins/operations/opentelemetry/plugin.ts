/**
 * Traces by OpenTelemetry: a span for each request, its statements, jobs, schedules, calls of webhooks and other outgoing
 * calls, sent by OTLP over HTTP once OTEL_EXPORTER_OTLP_ENDPOINT is set. Without it nothing is imported and nothing measured.
 */
import { BootError, definePlugin, trimEndChars } from "lectern/core";
import { headersOf, reporting } from "./exporting.ts";
import { loadSdk } from "./sdk.ts";
import { settings } from "./settings.ts";

/** How long sending spans may take, also at the stop. */
const EXPORT_MS = 5_000;

export default definePlugin({
  name: "opentelemetry",
  requires: ["traces"],
  // The exporter opens its connections itself.
  grants: { net: "any" },
  settings,
  async setup({ contracts: { traces }, log, onStop, runtime, settings: { endpoint, headers, service, ratio } }) {
    if (endpoint === "") return;
    if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
      throw new BootError("Cannot read OTEL_EXPORTER_OTLP_ENDPOINT: it is no URL with http or https");
    const [sdk, { createRecorder }] = await Promise.all([loadSdk(), import("./recorder.ts")]);
    const url = `${trimEndChars(endpoint, "/")}/v1/traces`;
    const exporter = new sdk.OTLPTraceExporter({ url, headers: headersOf(headers), timeoutMillis: EXPORT_MS });
    const provider = new sdk.TracerProvider({
      resource: sdk.resourceFromAttributes({ "service.name": service, "service.version": runtime.version }),
      sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [
        new sdk.BatchSpanProcessor({ exporter: reporting(exporter, log), exportTimeoutMillis: EXPORT_MS }),
      ],
    });
    traces.record(createRecorder(provider.getTracer("lectern", runtime.version)));
    onStop(() => provider.shutdown());
  },
});
