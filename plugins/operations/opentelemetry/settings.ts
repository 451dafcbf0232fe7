import { type Static, t } from "lectern/core";

/** The operator's settings of traces, under the names that OpenTelemetry gives them. */
export const settings = t.Object({
  endpoint: t.String({
    default: "",
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    description:
      "Base URL of an OpenTelemetry collector that gets traces by OTLP over HTTP ([operations](operations.md#traces)); empty for none",
  }),
  headers: t.String({
    default: "",
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    description: "Headers of these requests, as name=value separated by commas",
  }),
  service: t.String({
    default: "lectern",
    env: "OTEL_SERVICE_NAME",
    description: "Name of this instance in traces",
  }),
  ratio: t.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    env: "OTEL_TRACES_SAMPLER_ARG",
    unit: "share",
    description: "Share of traces that are recorded; a trusted proxy decides for the traces that it begins",
  }),
});

/** Their values. */
export type TracingSettings = Static<typeof settings>;
