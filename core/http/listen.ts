/**
 * Makes a runtime listen, and stops it in order. Bun gives every connection ten seconds to bring the head of a request; from
 * there on deadlines are ours (`running_requests.ts`, `body_stream.ts`), and Bun's timer of connections that do nothing is set again with
 * the answer. A stop goes on taking connections until none has brought a request for a moment: those in the queue of
 * the system would be reset with the listening socket, and their clients were told that they are connected.
 */
import { baseUrlOf, type Config } from "../config.ts";
import { ApiError, BootError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Runtime } from "../runtime/boot.ts";
import type { CommandIo } from "../runtime/plugin.ts";
import { pathOf } from "./routes.ts";
import { RunningRequests } from "./running_requests.ts";
import { type WebSocketHandlers, WebSocketListener } from "./websocket.ts";

/** None of Bun's own: ours answers in the one error shape, and what nobody reads costs no memory. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A runtime that listens. */
export interface Listening {
  readonly port: number;
  /**
   * Takes no more requests once none has come for a moment, waits for those under way for at most the configured time, answers
   * the rest with a 503, then stops the runtime.
   */
  stop(): Promise<void>;
}

const LAST_WORDS_MS = 100;
const STOPPING = new ApiError(503, "The server is stopping. What was asked for may still be done.", {
  headers: { "retry-after": "5", connection: "close" },
});

/** Whether a request that was refused still has a body to send, for which its connection is not kept long. */
function isUnread({ headers, bodyUsed }: Request): boolean {
  return !bodyUsed && ((headers.get("content-length") ?? "0") !== "0" || headers.has("transfer-encoding"));
}

/** Makes a runtime listen. Throws BootError where the address is taken; the runtime is stopped then. */
export async function listen(runtime: Runtime, config: Config, log: Log): Promise<Listening> {
  const sockets = new WebSocketListener();
  const requests = new RunningRequests(runtime.gates, {
    usualMs: config.answerTimeoutMs,
    longMs: config.longAnswerTimeoutMs,
  });
  const unreadSeconds = Math.min(config.idleTimeoutSeconds, Math.ceil(config.bodyTimeoutMs / 1000));
  let isStopping = false;
  const server = await opened(runtime, config, {
    port: config.port,
    hostname: config.host,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: config.idleTimeoutSeconds,
    websocket: sockets.handler,
    async fetch(request, bun) {
      const started = performance.now();
      const peer = bun.requestIP(request)?.address ?? "";
      // Bun's own timer would cut the connection without a word; ours end the request with an answer.
      bun.timeout(request, 0);
      const response = await requests.answer(request, peer);
      if (isStopping) response.headers.set("connection", "close");
      bun.timeout(request, isUnread(request) ? unreadSeconds : config.idleTimeoutSeconds);
      if (log.writes("debug")) {
        log.debug("request", {
          method: request.method,
          path: pathOf(request.url),
          status: response.status,
          ms: Math.round(performance.now() - started),
        });
      }
      return sockets.upgrade(request, response, bun) ? undefined : response;
    },
  });
  // Not before it listens: a start that fails at its port runs no job and tells no password.
  await runtime.start().catch(async (error: unknown) => {
    await server.stop(true);
    requests.close();
    await runtime.stop();
    throw error;
  });
  return {
    port: server.port ?? config.port,
    async stop() {
      isStopping = true;
      const forced = setTimeout(() => {
        requests.endAll(STOPPING);
        // Once the answers are on their way.
        setTimeout(() => void server.stop(true), LAST_WORDS_MS);
      }, config.stopTimeoutMs);
      sockets.close();
      await requests.quiet(config.stopLingerMs);
      await server.stop();
      clearTimeout(forced);
      requests.close();
      await runtime.stop();
    },
  };
}

/** Starts the server; where that fails the runtime is stopped again, so that nothing of it stays behind. */
async function opened(
  runtime: Runtime,
  config: Config,
  options: Parameters<typeof Bun.serve>[0],
): Promise<Bun.Server<WebSocketHandlers>> {
  try {
    return Bun.serve(options as never) as Bun.Server<WebSocketHandlers>;
  } catch (cause) {
    await runtime.stop();
    const { code = "", message } = cause as { code?: string; message: string };
    const why = code === "EADDRINUSE" ? "something else listens there already" : message;
    throw new BootError(`Cannot listen on ${config.host}:${config.port}: ${why}; set PORT or HOST`, { cause });
  }
}

/** Listens until SIGINT or SIGTERM, then stops in order. Returns the exit code. */
export async function serve(runtime: Runtime, config: Config, log: Log, io: CommandIo): Promise<number> {
  const told = new Promise<string>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
  const listening = await listen(runtime, config, log);
  io.out(`Lectern answers at ${baseUrlOf({ ...config, port: listening.port })}/api`);
  log.info("stopping", { signal: await told });
  await listening.stop();
  return 0;
}
