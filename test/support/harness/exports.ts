import { strFromU8, unzipSync } from "fflate";
import type { TestRuntime } from "./test_runtime.ts";

/** A file that was exported. */
export interface Exported {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** Requests an export, as the administrator unless a token is given. */
export async function exported(runtime: TestRuntime, path: string, as = runtime.token): Promise<Exported> {
  const request = new Request(runtime.baseUrl + path, { headers: { authorization: `Token ${as}` } });
  const response = await runtime.runtime.http.handle(request, "127.0.0.1");
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

/** The content of a portable archive. */
export interface Unpacked {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any;
  /** Files by their names below "files/". */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

/** Unpacks a portable archive. */
export function unpacked(bytes: Uint8Array): Unpacked {
  const entries = unzipSync(bytes);
  const { "data.json": data = new Uint8Array(), ...files } = entries;
  const named = Object.entries(files).map(([name, content]) => [name.replace(/^files\//, ""), content]);
  return { data: JSON.parse(strFromU8(data)), files: Object.fromEntries(named) };
}
