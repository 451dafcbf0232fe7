/** Spans of requests that arrive, and of calls to other servers. */
import type { SpanAttributes, TraceHeaders, Tracing } from "../tracing.ts";
import { isTrustedPeer, type Networks } from "./client_address.ts";
import type { OutgoingFetch } from "./outbound_fetch.ts";

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Methods that clients choose freely would be names without number. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The trace that a trusted proxy continues; "none" for other peers, whose headers anybody could write. */
export function traceOf(peer: string, headers: Headers, proxies: Networks): TraceHeaders | "none" {
  const traceparent = headers.get("traceparent") ?? "";
  return TRACEPARENT.test(traceparent) && isTrustedPeer(peer, proxies) ? { traceparent } : "none";
}

/** A request as its span shows it. */
export interface TracedRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly parent: TraceHeaders | "none";
  /** The path of its route, such as "/api/books/:id"; "" where there is none. */
  route(): string;
}

/** Answers a request within its span: the route and not the path, which may hold names and links of invitations. */
export function withRequestSpan(
  tracing: Tracing,
  { request, requestId, parent, route }: TracedRequest,
  run: () => Promise<Response>,
): Promise<Response> {
  if (!tracing.isOn) return run();
  const attributes = { "lectern.request_id": requestId };
  return tracing.run({ name: "request", kind: "server", parent, attributes }, async (span) => {
    const response = await run();
    const method = METHODS.has(request.method) ? request.method : "_OTHER";
    const path = route();
    const facts: SpanAttributes = {
      "http.request.method": method,
      "http.response.status_code": response.status,
      ...(path === "" ? {} : { "http.route": path }),
      ...(response.status >= 500 ? { "error.type": String(response.status) } : {}),
    };
    span?.describe(facts, path === "" ? method : `${method} ${path}`);
    return response;
  });
}

/** A `fetch` whose calls are spans: the host and not the path, which may hold keys. */
export function withCallSpans(tracing: Tracing, plugin: string, call: OutgoingFetch): OutgoingFetch {
  return (target, init) => {
    if (!tracing.isOn) return call(target, init);
    const { hostname, port, protocol } = URL.canParse(String(target))
      ? new URL(target)
      : { hostname: "", port: "", protocol: "" };
    const method = init?.method ?? "GET";
    const attributes = {
      "http.request.method": method,
      "server.address": hostname,
      "server.port": Number(port === "" ? (protocol === "http:" ? 80 : 443) : port),
      "lectern.plugin": plugin,
    };
    return tracing.run({ name: `${method} ${hostname}`, kind: "client", attributes }, async (span) => {
      const response = await call(target, init);
      span?.describe({ "http.response.status_code": response.status });
      return response;
    });
  };
}
