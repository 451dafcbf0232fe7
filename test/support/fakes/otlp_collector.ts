/** A span as a collector gets it, with its attributes as an object. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  readonly kind: number;
  /** 2 for a failure. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** A collector of OpenTelemetry, on a free port of the loopback address: keeps the spans that it gets by OTLP over HTTP. */
export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** Everything that was sent, as text, and the headers of the last request. */
  readonly sent: { text: string; headers: Headers | undefined; paths: Set<string> };
  stop(): Promise<void>;
}

interface SentAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface SentSpan extends Omit<CollectedSpan, "attributes" | "status"> {
  readonly attributes: readonly SentAttribute[];
  readonly status?: { readonly code?: number };
}

/** Starts a collector. */
export function openCollector(): Collector {
  const spans: CollectedSpan[] = [];
  const sent: Collector["sent"] = { text: "", headers: undefined, paths: new Set() };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const text = await request.text();
      sent.text += text;
      sent.headers = request.headers;
      sent.paths.add(new URL(request.url).pathname);
      const { resourceSpans } = JSON.parse(text) as {
        resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
      };
      for (const { scopeSpans } of resourceSpans)
        for (const { spans: some } of scopeSpans) spans.push(...some.map(collected));
      return Response.json({});
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, spans, sent, stop: () => server.stop(true) };
}

function collected({ attributes, status, parentSpanId = "", ...span }: SentSpan): CollectedSpan {
  const facts = attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""] as const);
  return { ...span, parentSpanId, status: status?.code ?? 0, attributes: Object.fromEntries(facts) };
}
