/** Parts of the context of an isolated plugin that keep no state: calls to other servers, files and the log. */
import type { Channel } from "./channel.ts";
import { limitedTo } from "./child_routes.ts";

interface SentAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: Uint8Array;
}

const LEVELS = ["debug", "info", "warn", "error"] as const;

/** `fetch` of the context. */
export async function remoteFetch(channel: Channel, url: string | URL, init: RequestInit): Promise<Response> {
  const { method, headers, body } = new Request(String(url), init);
  const sent = {
    url: String(url),
    method,
    headers: Object.fromEntries(headers as Iterable<[string, string]>),
    ...(body && { body: new Uint8Array(await new Response(body).arrayBuffer()) }),
  };
  return responseOf(await channel.call("fetch", sent));
}

/** The answer of another server, or of a route, from what the server sends of it. */
export function responseOf(sent: unknown): Response {
  const { status, headers, body } = sent as SentAnswer;
  const isEmpty = [101, 204, 205, 304].includes(status);
  return new Response(isEmpty ? null : (body as Uint8Array<ArrayBuffer>), { status, headers });
}

/** `files` of the context. */
export function remoteFiles(channel: Channel): object {
  return limitedTo("files", {
    async put(key: string, content: Uint8Array | string | Blob) {
      const bytes = new Uint8Array(await new Response(content as Blob).arrayBuffer());
      return channel.call("files_put", { key, bytes });
    },
    async get(key: string) {
      const found = (await channel.call("files_get", { key })) as { modified: string; bytes: Uint8Array } | null;
      if (!found) return undefined;
      const { bytes } = found;
      return limitedTo("a file", {
        size: bytes.length,
        modified: new Date(found.modified),
        bytes: async () => bytes,
      });
    },
    remove: async (key: string) => void (await channel.call("files_remove", { key })),
    async *list(prefix = "") {
      const found = (await channel.call("files_list", { prefix })) as { key: string; size: number; modified: string }[];
      for (const { modified, ...file } of found) yield { ...file, modified: new Date(modified) };
    },
  });
}

/** `log` of the context. */
export function remoteLog(channel: Channel): object {
  const write =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void channel.call("log", { level, message, fields }).catch(() => {});
  return limitedTo("log", Object.fromEntries(LEVELS.map((level) => [level, write(level)])));
}
