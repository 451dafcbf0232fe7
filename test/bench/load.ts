/**
 * A small load generator: keep-alive connections over raw sockets, each sending the next request when the last answer is
 * whole. It exists because a fetch-based one costs more than the servers it measures. Loopback only, bounded in time.
 */

/** What to send, again and again. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came of it. Times in milliseconds. */
export interface Outcome {
  readonly perSecond: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Answers with another status than 2xx. */
  readonly refused: number;
}

/** Sends `shot(n)` over `connections` sockets for `seconds`; `n` counts all requests. */
export async function load(
  port: number,
  connections: number,
  seconds: number,
  shot: (n: number) => Shot,
): Promise<Outcome> {
  const times: number[] = [];
  let refused = 0;
  let sent = 0;
  const until = performance.now() + seconds * 1000;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () =>
      connection(
        port,
        () => (performance.now() < until ? bytesOf(shot(sent++), port) : undefined),
        (ms, status) => {
          times.push(ms);
          if (status < 200 || status > 299) refused += 1;
        },
      ),
    ),
  );
  const elapsed = (performance.now() - started) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { perSecond: times.length / elapsed, p50: at(0.5), p95: at(0.95), p99: at(0.99), refused };
}

function connection(
  port: number,
  next: () => Uint8Array | undefined,
  done: (ms: number, status: number) => void,
): Promise<void> {
  const finished = Promise.withResolvers<void>();
  let started = 0;
  let head = "";
  let status = 0;
  /** Bytes of the body that are still to come; undefined before the head is whole. */
  let missing: number | undefined;
  const send = (socket: { write(data: Uint8Array): number; end(): void }) => {
    const bytes = next();
    if (!bytes) {
      socket.end();
      finished.resolve();
      return;
    }
    started = performance.now();
    socket.write(bytes);
  };
  void Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      open: send,
      data(socket, chunk) {
        if (missing === undefined) {
          // Bodies are counted and never decoded, which would cost more than the servers that are measured.
          const before = head.length;
          const endInChunk = chunk.indexOf("\r\n\r\n");
          head += chunk.toString("latin1", 0, endInChunk < 0 ? chunk.length : endInChunk + 4);
          const end = endInChunk < 0 ? head.indexOf("\r\n\r\n") : before + endInChunk;
          if (end < 0) return;
          status = Number(head.slice(9, 12));
          missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (before + chunk.length - end - 4);
        } else missing -= chunk.length;
        if (missing > 0) return;
        head = "";
        missing = undefined;
        done(performance.now() - started, status);
        send(socket);
      },
      close: () => finished.resolve(),
      error: (_socket, error) => finished.reject(error),
      connectError: (_socket, error) => finished.reject(error),
    },
  });
  return finished.promise;
}

function bytesOf({ method, path, headers = {}, body = "" }: Shot, port: number): Uint8Array {
  const content = Buffer.from(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: localhost:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  if (content.length > 0) lines.push("content-type: application/json", `content-length: ${content.length}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), content]);
}
