/** Traces by OpenTelemetry, as a collector gets them: from the request to its statements, to jobs and to the receivers of webhooks. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { BootError, definePlugin } from "lectern/core";
import { headersOf, reporting } from "../../plugins/operations/opentelemetry/exporting.ts";
import { loadSdk, type Sdk, type SpanExporter } from "../../plugins/operations/opentelemetry/sdk.ts";
import { type CollectedSpan, type Collector, openCollector } from "../support/fakes/otlp_collector.ts";
import { openReceiver, type Receiver } from "../support/fakes/webhook_receiver.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { webhooksIdle } from "../support/harness/webhook_queue.ts";

declare module "lectern/core" {
  interface Jobs {
    traced_ring: { bell: string };
  }
}

setDefaultTimeout(60_000);
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const PROXY_SPAN = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE_ID}-${PROXY_SPAN}-01`;
const PROXY = "10.0.0.9";

/** A plugin with a job that fails once. */
const bells = definePlugin({
  name: "bells",
  grants: { read: ["books"] },
  setup({ db, jobs }) {
    jobs.handle("traced_ring", async ({ bell }) => {
      await db.selectFrom("books").select("id").where("name", "=", bell).execute();
      throw new TypeError(`The bell "${bell}" is cracked`);
    });
  },
});

let runtime: TestRuntime;
let collector: Collector;
let receiver: Receiver;
/** What one request after the other left, collected at the stop. */
const requestIds: Record<string, string> = {};

beforeAll(async () => {
  collector = openCollector();
  receiver = openReceiver();
  runtime = await bootTestRuntime({
    extra: [bells],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b,authorization=Bearer sesame-open",
      OTEL_SERVICE_NAME: "wiki",
      APP_PROXIES: PROXY,
      ALLOW_PRIVATE_HOSTS: "127.0.0.1/32",
    },
  });
  await runtime.runtime.start();
  const ask = async (name: string, peer: string, method: string, path: string, body?: object) => {
    const headers: Record<string, string> = { authorization: `Token ${runtime.token}`, traceparent: TRACEPARENT };
    if (body) headers["content-type"] = "application/json";
    const request = new Request(`${runtime.baseUrl}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await runtime.runtime.http.handle(request, peer);
    requestIds[name] = response.headers.get("x-request-id") ?? "";
    return (await response.json()) as { id: number };
  };
  const hook = { name: "Hook", endpoint: `${receiver.url}/in?key=receiver-key`, events: ["book_create"] };
  await ask("hook", "192.0.2.7", "POST", "/api/webhooks", hook);
  const { id } = await ask("create", PROXY, "POST", "/api/books", { name: "The secret plan" });
  await ask("read", "192.0.2.7", "GET", `/api/books/${id}?filter[name]=hidden-in-the-query`);
  await ask("missing", "192.0.2.7", "GET", "/nowhere/link-of-an-invitation");
  await receiver.until(1);
  await webhooksIdle(runtime);
  await runtime.contexts.get("bells")?.jobs.enqueue("traced_ring", { bell: "Big Ben" });
  await runtime.runtime.jobs.drain();
  await runtime.stop();
});
afterAll(async () => {
  await receiver.stop();
  await collector.stop();
});

const requestSpan = (name: string): CollectedSpan => {
  const found = collector.spans.find(({ attributes }) => attributes["lectern.request_id"] === requestIds[name]);
  if (!found) throw new Error(`No span of the request "${name}" was sent`);
  return found;
};
const childrenOf = ({ spanId }: CollectedSpan) => collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

test("a request is a span with its route, status and id, and its statements are its children", () => {
  const span = requestSpan("read");
  expect([span.name, span.kind, span.parentSpanId]).toEqual(["GET /api/books/:id", 2, ""]);
  expect(span.attributes).toEqual({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "http.route": "/api/books/:id",
    "lectern.request_id": requestIds.read as string,
  });
  const statements = childrenOf(span);
  expect(statements.map(({ name }) => name)).toContain("books.findById");
  for (const { attributes, kind, traceId } of statements) {
    expect([kind, traceId, attributes["db.system.name"]]).toEqual([3, span.traceId, "postgresql"]);
    expect(String(attributes["db.query.text"])).toMatch(/\w/);
  }
  expect(requestSpan("missing").name).toBe("GET");
});

test("the trace of a trusted proxy is continued, that of anybody else is not", () => {
  const { parentSpanId, traceId } = requestSpan("create");
  expect([traceId, parentSpanId]).toEqual([TRACE_ID, PROXY_SPAN]);
  expect(requestSpan("read").traceId).not.toBe(TRACE_ID);
});

test("the receiver of a webhook gets the trace of the request that caused the call", () => {
  const [, traceId, spanId] = receiver.received[0]?.headers.get("traceparent")?.split("-") ?? [];
  expect(traceId).toBe(TRACE_ID);
  const call = collector.spans.find((span) => span.spanId === spanId);
  expect([call?.name, call?.parentSpanId]).toEqual(["webhook call", requestSpan("create").spanId]);
  const [sent] = call
    ? childrenOf(call).filter(({ kind, attributes }) => kind === 3 && "server.address" in attributes)
    : [];
  expect([sent?.name, sent?.attributes["http.response.status_code"]]).toEqual(["POST 127.0.0.1", 200]);
  expect(receiver.received[0]?.body).not.toContain("traceparent");
});

test("a job is a trace of its own with its statements, and a failure is marked without its text", () => {
  const job = collector.spans.find(({ name }) => name === "job traced_ring");
  if (!job) throw new Error("No span of the job was sent");
  expect([job.kind, job.parentSpanId, job.status]).toEqual([5, "", 2]);
  expect(job.attributes).toMatchObject({
    "lectern.job": "traced_ring",
    "lectern.job.attempt": 1,
    "error.type": "TypeError",
  });
  expect(childrenOf(job).map(({ name }) => name)).toEqual(["select"]);
});

test("what is sent holds no parameter, path, query, body, credential or text of an error", () => {
  expect([...collector.sent.paths]).toEqual(["/v1/traces"]);
  expect([collector.sent.headers?.get("x-tenant"), collector.sent.headers?.get("authorization")]).toEqual([
    "a b",
    "Bearer sesame-open",
  ]);
  expect(collector.sent.text).toContain('"stringValue":"wiki"');
  for (const secret of [
    "The secret plan",
    "hidden-in-the-query",
    "link-of-an-invitation",
    "receiver-key",
    "sesame",
    "adminsecret",
    "Big Ben",
    "cracked",
  ])
    expect([secret, collector.sent.text.includes(secret)]).toEqual([secret, false]);
});

test("without an endpoint nothing is recorded, and receivers get no trace", async () => {
  const plain = await bootTestRuntime();
  try {
    const traces = plain.contexts.get("webhooks")?.contracts.traces;
    expect(traces?.headers()).toEqual({});
    expect(await traces?.run({ name: "x", kind: "internal" }, async () => traces.headers())).toEqual({});
  } finally {
    await plain.stop();
  }
});

test("packages that are not installed stop the boot with the command that installs them", async () => {
  const find = (name: string, folder: string) => {
    if (name.endsWith("sdk-trace")) throw new Error("Cannot find module");
    return Bun.resolveSync(name, folder);
  };
  const error = await loadSdk(find).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BootError);
  expect(String(error)).toContain(
    'packages of OpenTelemetry are not installed: "@opentelemetry/sdk-trace". Run "bun add --exact ',
  );
  const refused = await bootTestRuntime({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318 " } }).catch(
    (thrown: Error) => thrown.message,
  );
  expect(refused).toContain("OTEL_EXPORTER_OTLP_ENDPOINT");
});

test("a collector that is away is logged once a minute, and costs nothing but its traces", async () => {
  const lines: string[] = [];
  const failing = {
    export: (_: never, done: (result: { code: number; error: Error }) => void) =>
      done({ code: 1, error: new Error("refused") }),
    shutdown: async () => {},
  };
  const exporter = reporting(failing, { warn: (message) => void lines.push(message) });
  for (let turn = 0; turn < 3; turn++) exporter.export([] as never, () => {});
  expect(lines).toEqual(["Cannot send traces to the collector"]);
  expect(headersOf("a=1, b = x%2Cy ,c=100%,=lost")).toEqual({ a: "1", b: "x,y", c: "100%" });
});

test("what is declared of the SDK is what its packages have", () => {
  const provider: InstanceType<Sdk["TracerProvider"]> = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "x" }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(1) }),
    spanProcessors: [],
  });
  const exporter: SpanExporter = new OTLPTraceExporter({ url: "http://127.0.0.1:9/v1/traces", timeoutMillis: 1 });
  expect([typeof provider.getTracer, typeof exporter.export, typeof BatchSpanProcessor]).toEqual(
    Array(3).fill("function"),
  );
});
