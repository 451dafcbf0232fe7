/**
 * Hosts and keys for tests of the dashboard: requests of an administrator, reports of an agent, reads of a dashboard.
 * Everything goes over HTTP.
 */
import { gzipSync } from "node:zlib";
import type { Answer, TestRuntime } from "../harness/test_runtime.ts";

/** A host that can report. */
export interface TestHost {
  readonly id: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A key a dashboard asks with. */
export interface TestKey {
  readonly id: number;
  readonly token_key: string;
  readonly token_secret: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A package as agents send it: up to date, outdated ("old") or a security update ("risk"). */
export function installed(name: string, state: "" | "old" | "risk" = "", version = "1.1") {
  return {
    name,
    currentVersion: "1.0",
    availableVersion: state === "" ? "1.0" : version,
    needsUpdate: state !== "",
    isSecurityUpdate: state === "risk",
  };
}

/** Hosts and keys of a runtime; each host has an address of its own. */
export function sampleHosts(runtime: TestRuntime) {
  const host = async (name: string): Promise<TestHost> => {
    const { body } = await runtime.ask("POST", "/api/v1/dashboard/hosts", { body: { friendly_name: name } });
    return { id: body.id, headers: { "x-api-id": body.api_id, "x-api-key": body.api_key } };
  };
  const key = async (more: Record<string, unknown> = {}): Promise<TestKey> => {
    const { body } = await runtime.ask("POST", "/api/v1/dashboard/keys", { body: { token_name: "Board", ...more } });
    return { ...body, headers: { authorization: `Basic ${body.basic}` } };
  };
  const send = (of: TestHost, path: string, body: string | Uint8Array, headers: Record<string, string>) =>
    raw(runtime, "POST", path, { ...of.headers, ...headers }, body, `203.0.113.${of.id % 250}`);
  return {
    host,
    key,
    /** Sends a report as JSON. */
    report: (of: TestHost, body: unknown): Promise<Answer> =>
      send(of, "/api/v1/hosts/update", JSON.stringify(body), { "content-type": "application/json" }),
    /** The same, packed. */
    reportPacked: (of: TestHost, body: unknown): Promise<Answer> =>
      send(of, "/api/v1/hosts/update", gzipSync(JSON.stringify(body)), {
        "content-type": "application/json",
        "content-encoding": "gzip",
      }),
    /** Sends a report of tab-separated lines. */
    reportLines: (of: TestHost, text: string): Promise<Answer> =>
      send(of, "/api/v1/hosts/update", text, { "content-type": "text/tab-separated-values" }),
    ping: (of: TestHost, body: unknown = {}): Promise<Answer> =>
      send(of, "/api/v1/hosts/ping", JSON.stringify(body), { "content-type": "application/json" }),
    /** Asks with a key's credentials. */
    read: (as: TestKey, path = "/api/v1/dashboard/stats", headers: Record<string, string> = {}): Promise<Answer> =>
      raw(runtime, "GET", path, { ...as.headers, ...headers }),
  };
}

/** Asks a runtime with exactly these headers, from an address of the caller's choice. */
export async function raw(
  runtime: TestRuntime,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
  address = "127.0.0.1",
): Promise<Answer> {
  const init = {
    method,
    headers: { ...headers },
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
  };
  const response = await runtime.runtime.http.handle(new Request(runtime.baseUrl + path, init), address);
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
