import { scaled } from "../harness/machine_speed.ts";

/** A call that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  readonly json: any;
}

/** A server that webhooks call, on a free port of the loopback address: keeps the calls, and answers as `answer` says. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Replaces how it answers; 200 at first. */
  answer: (received: Received) => Response | Promise<Response>;
  /** Resolves once so many calls came, or those that came are as wanted; rejects after `ms`, 30,000 by default, later on a slow machine. */
  until(wanted: number | ((received: readonly Received[]) => boolean), ms?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a receiver. */
export function openReceiver(): Receiver {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const body = await request.text();
      const { method, headers, url } = request;
      const json = body === "" ? undefined : JSON.parse(body);
      const one = { method, path: new URL(url).pathname, headers, body, json };
      received.push(one);
      for (const look of waiting) look();
      return receiver.answer(one);
    },
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${server.port}`,
    received,
    answer: () => new Response("thanks"),
    until(wanted, ms = 30_000) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const isDone = () => (typeof wanted === "number" ? received.length >= wanted : wanted(received));
      const look = () => isDone() && resolve();
      waiting.add(look);
      const limitMs = scaled(ms);
      const late = () => reject(new Error(`Only ${received.length} calls came within ${limitMs} ms`));
      const limit = setTimeout(late, limitMs);
      look();
      return promise.finally(() => {
        clearTimeout(limit);
        waiting.delete(look);
      });
    },
    stop: () => server.stop(true),
  };
  return receiver;
}
