/** A server that webhooks call, for tests: keeps what it was sent, and answers as it is told. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly json: any;
}

/** A receiver on a free port of the loopback address. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Replaces how it answers; 200 at first. */
  answer: (received: Received) => Response | Promise<Response>;
  /** Resolves once so much was received; rejects after a while. */
  until(count: number, ms?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a receiver. */
export function openReceiver(): Receiver {
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const { method, headers, url } = request;
      const json = body === "" ? undefined : JSON.parse(body);
      const one = { method, path: new URL(url).pathname, headers, body, json };
      received.push(one);
      return receiver.answer(one);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}`,
    received,
    answer: () => new Response("thanks"),
    async until(count, ms = 10_000) {
      for (const end = Date.now() + ms; received.length < count; ) {
        if (Date.now() > end) throw new Error(`Only ${received.length} of ${count} calls came within ${ms} ms`);
        await Bun.sleep(10);
      }
    },
    stop: () => server.stop(true),
  };
  return receiver;
}
