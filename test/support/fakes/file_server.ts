/** A file server of tests: PUT, HEAD, GET of a range, DELETE, and listings in pages of ten, as `lectern-files-http` calls it. */

interface HeldFile {
  readonly content: Uint8Array;
  /** ISO 8601. */
  readonly at: string;
}

/** A running file server. */
export interface FileServer {
  readonly url: string;
  readonly files: Map<string, HeldFile>;
  /** Whether it answers 503 to everything. */
  isDown: boolean;
  stop(): Promise<void>;
}

const PAGE = 10;

/** Starts a file server on a free port of the loopback address. */
export function openFileServer(): FileServer {
  const files = new Map<string, HeldFile>();
  const listed = (prefix: string, from: number): Response => {
    const names = [...files.keys()].filter((name) => name.startsWith(prefix)).sort();
    const shown = names.slice(from, from + PAGE).map((key) => {
      const { content, at } = files.get(key) as HeldFile;
      return { key, size: content.length, at };
    });
    return Response.json({ shown, next: from + PAGE < names.length ? from + PAGE : null });
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (fileServer.isDown) return new Response("", { status: 503 });
      const { pathname, searchParams } = new URL(request.url);
      const key = decodeURIComponent(pathname.slice(1));
      if (request.method === "PUT") {
        const content = await request.bytes();
        files.set(key, { content, at: new Date().toISOString() });
        return Response.json({ size: content.length });
      }
      if (request.method === "DELETE") return new Response(null, { status: files.delete(key) ? 204 : 404 });
      if (key === "") return listed(searchParams.get("prefix") ?? "", Number(searchParams.get("from")));
      const found = files.get(key);
      if (!found) return new Response(null, { status: 404 });
      const [, start = "0", end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get("range") ?? "") ?? [];
      const part = found.content.slice(Number(start), end === undefined ? undefined : Number(end) + 1);
      return new Response(part, { headers: { "last-modified": found.at, "x-size": String(found.content.length) } });
    },
  });
  const fileServer: FileServer = {
    url: `http://127.0.0.1:${server.port}`,
    files,
    isDown: false,
    stop: () => server.stop(true),
  };
  return fileServer;
}
