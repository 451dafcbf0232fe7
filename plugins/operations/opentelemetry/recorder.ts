/** Records spans by a tracer of OpenTelemetry. Errors are recorded by their class or code: their texts may hold names or secrets. */
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { OpenSpan, SpanAttributes, SpanStart, TraceHeaders, TraceRecorder } from "lectern/core";
import { codeOf } from "lectern/db";

const KINDS: Readonly<Record<SpanStart["kind"], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Makes the recorder. */
export function createRecorder(tracer: Tracer): TraceRecorder {
  return {
    start({ name, kind, attributes = {}, parent }, within) {
      const context = parent === undefined ? contextWithin(within) : contextOf(parent);
      return new RecordedSpan(tracer.startSpan(name, { kind: KINDS[kind], attributes: { ...attributes } }, context));
    },
  };
}

class RecordedSpan implements OpenSpan {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  describe(attributes: SpanAttributes, name?: string): void {
    this.span.setAttributes({ ...attributes });
    if (name !== undefined) this.span.updateName(name);
    if ("error.type" in attributes) this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(error?: unknown): void {
    if (error !== undefined) this.describe({ "error.type": typeOf(error) });
    this.span.end();
  }

  headers(): TraceHeaders {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}` };
  }
}

function contextWithin(within: OpenSpan | undefined): Context {
  return within instanceof RecordedSpan ? trace.setSpan(ROOT_CONTEXT, within.span) : ROOT_CONTEXT;
}

/** The context of a span elsewhere; that of a new trace for "none". */
function contextOf(parent: TraceHeaders | "none"): Context {
  const [, traceId, spanId, flags] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent === "none" ? "" : (parent.traceparent ?? "")) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16);
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** The code of an error, such as "23505" or "ECONNREFUSED", else its class. */
function typeOf(error: unknown): string {
  const code = codeOf(error);
  if (/^\w{1,40}$/.test(code)) return code;
  return error instanceof Error ? error.name : typeof error;
}
