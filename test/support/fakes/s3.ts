/**
 * As much of an S3 service as the file store needs, in memory: put, get with ranges, head, delete, list in pages of two, and
 * multipart uploads, which show nothing before they are completed and are listed apart. Signatures are not checked.
 */

/** A running service. */
export interface FakeS3 {
  readonly endpoint: string;
  /** What it holds, by key. */
  readonly objects: Map<string, Uint8Array>;
  /** Multipart uploads that were begun and neither completed nor aborted. */
  readonly unfinished: Map<string, Map<number, Uint8Array>>;
  /** Answers so many of the next requests with 503. */
  failures: number;
  /** Sizes of the received bodies, in order. */
  readonly bodies: number[];
  stop(): Promise<void>;
}

const PAGE = 2;
const WRITTEN = "2026-01-05T11:00:00.000Z";

/** Starts a service with one bucket, whatever it is called. */
export function fakeS3(): FakeS3 {
  const objects = new Map<string, Uint8Array>();
  const unfinished: FakeS3["unfinished"] = new Map();
  const bodies: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, searchParams: query } = new URL(request.url);
      const key = decodeURIComponent(pathname.split("/").slice(2).join("/"));
      const body = new Uint8Array(await request.arrayBuffer());
      if (body.length > 0) bodies.push(body.length);
      if (service.failures > 0) {
        service.failures--;
        return new Response("<Error><Code>SlowDown</Code><Message>later</Message></Error>", { status: 503 });
      }
      if (request.method === "HEAD" && key === "") return new Response();
      if (request.method === "GET" && query.has("uploads")) return begun();
      if (query.has("uploads") || query.has("uploadId")) return inParts(request.method, key, query, body);
      if (request.method === "PUT") {
        objects.set(key, body);
        return new Response(null, { headers: { etag: '"1"' } });
      }
      if (request.method === "DELETE") return new Response(null, { status: objects.delete(key) ? 204 : 404 });
      return query.get("list-type") === "2" ? list(query) : read(request, key);
    },
  });

  function begun(): Response {
    const uploads = [...unfinished.keys()].map(
      (key) =>
        `<Upload><Key>${Bun.escapeHTML(key)}</Key><UploadId>1</UploadId><Initiated>${WRITTEN}</Initiated></Upload>`,
    );
    return xml(
      `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join("")}</ListMultipartUploadsResult>`,
    );
  }

  function inParts(method: string, key: string, query: URLSearchParams, body: Uint8Array): Response {
    const id = query.get("uploadId");
    if (id === null) {
      unfinished.set(key, new Map());
      return xml(`<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>`);
    }
    const parts = unfinished.get(key) ?? new Map<number, Uint8Array>();
    if (method === "PUT") {
      parts.set(Number(query.get("partNumber")), body);
      return new Response(null, { headers: { etag: `"${query.get("partNumber")}"` } });
    }
    unfinished.delete(key);
    if (method === "DELETE") return new Response(null, { status: 204 });
    const ordered = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part);
    objects.set(key, new Uint8Array(Buffer.concat(ordered)));
    return xml("<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>");
  }

  function read(request: Request, key: string): Response {
    const found = objects.get(key);
    if (!found) return new Response("<Error><Code>NoSuchKey</Code><Message>none</Message></Error>", { status: 404 });
    const common = { "last-modified": new Date(WRITTEN).toUTCString(), etag: '"1"' };
    if (request.method === "HEAD")
      return new Response(null, { headers: { ...common, "content-length": String(found.length) } });
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
    const part = from === undefined ? found : found.subarray(Number(from), to ? Number(to) + 1 : undefined);
    return new Response(part.slice(), { status: from === undefined ? 200 : 206, headers: common });
  }

  function list(query: URLSearchParams): Response {
    const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "")).sort();
    const start = Number(query.get("continuation-token") ?? 0);
    const shown = keys.slice(start, start + PAGE);
    const more = start + PAGE < keys.length;
    const contents = shown.map(
      (key) =>
        `<Contents><Key>${Bun.escapeHTML(key)}</Key><Size>${objects.get(key)?.length}</Size><LastModified>${WRITTEN}</LastModified></Contents>`,
    );
    return xml(
      `<ListBucketResult><IsTruncated>${more}</IsTruncated>${more ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : ""}${contents.join("")}</ListBucketResult>`,
    );
  }

  const service: FakeS3 = {
    endpoint: `http://127.0.0.1:${server.port}`,
    objects,
    unfinished,
    failures: 0,
    bodies,
    stop: async () => server.stop(true),
  };
  return service;
}

function xml(text: string): Response {
  return new Response(`<?xml version="1.0"?>${text}`, { headers: { "content-type": "application/xml" } });
}
