/**
 * The HTTP listener of a runtime. Bun gives a connection ten seconds for the head of a request. From there on the deadlines are
 * those of `running_requests.ts` and `body_stream.ts`; Bun's idle timer is set again with the answer. A stopping server keeps
 * accepting connections until no request has arrived for a moment: clients in the accept queue are already connected, and
 * closing the port would reset them.
 */

import { codeOf, messageOf } from "../../db/mod.ts";
import { baseUrlOf, type Config } from "../config.ts";
import { ApiError, BootError, errorBody } from "../errors.ts";
import { pathOf } from "../http/request_rewrite.ts";
import { RunningRequests } from "../http/running_requests.ts";
import { type WebSocketHandlers, WebSocketListener } from "../http/websocket.ts";
import { type Log, startLine } from "../log.ts";
import type { Runtime } from "../runtime/boot.ts";
import type { CommandIo } from "../runtime/command.ts";
import { placeOf } from "../runtime/plugin_setup.ts";
import type { StopSignals } from "../std/stop_signals.ts";
import { SECOND_MS } from "../std/time.ts";
import { whenReady } from "../std/when_ready.ts";
import { parentEnded, tellParent } from "./worker.ts";

/** Bun's own body limit is off: the limits of `body_stream.ts` answer in the shape of errors, and unread bodies take no memory. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A listening runtime. */
export interface Listening {
  readonly port: number;
  /**
   * Closes the port once no request has arrived for `stopLingerMs`, waits for running requests up to `stopTimeoutMs`, answers
   * the others with 503, then stops the runtime.
   */
  stop(): Promise<void>;
}

/** For answers to be sent before connections are closed. */
const FLUSH_MS = 100;
/** The answer to a request whose own answer cannot be sent, such as a file that is missing. */
const UNSENT = new ApiError(500, "An error occurred");
const STOPPING = new ApiError(503, "The server is stopping. What was asked for may still be done.", {
  headers: { "retry-after": "5", connection: "close" },
});

/** Whether the body of a request was not read; its connection is then kept open for less time. */
function isUnread({ headers, bodyUsed }: Request): boolean {
  return !bodyUsed && ((headers.get("content-length") ?? "0") !== "0" || headers.has("transfer-encoding"));
}

/** Listens for requests of a runtime. Throws BootError if the address is in use, after stopping the runtime. */
export async function listen(runtime: Runtime, config: Config, log: Log): Promise<Listening> {
  const sockets = new WebSocketListener();
  const requests = new RunningRequests(runtime.http, {
    usualMs: config.answerTimeoutMs,
    longMs: config.longAnswerTimeoutMs,
  });
  const unreadSeconds = Math.min(config.idleTimeoutSeconds, Math.ceil(config.bodyTimeoutMs / SECOND_MS));
  const isLogged = config.logRequests || log.writes("debug");
  let isStopping = false;
  const server = await openServer(runtime, config, {
    port: config.port,
    hostname: config.host,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: config.idleTimeoutSeconds,
    // Workers share the port; the kernel gives each new connection to one of them.
    reusePort: config.worker !== undefined,
    websocket: sockets.handler,
    // Bun's page of errors would show the source.
    development: false,
    error(cause) {
      log.error("Cannot send an answer", { error: cause });
      return Response.json(errorBody(UNSENT), { status: UNSENT.status });
    },
    fetch(request, bun) {
      const { observers } = runtime.http;
      const isMeasured = isLogged || !observers.isEmpty;
      const started = isMeasured ? performance.now() : 0;
      // Read before the request is rewritten for the router.
      const line = isLogged ? { method: request.method, path: pathOf(request.url) } : undefined;
      const answer = requests.answer(request, bun.requestIP(request)?.address ?? "");
      const answered = (response: Response): Response | undefined => {
        bun.timeout(request, isUnread(request) ? unreadSeconds : config.idleTimeoutSeconds);
        if (isStopping) response.headers.set("connection", "close");
        if (isMeasured) {
          const ms = performance.now() - started;
          if (!observers.isEmpty)
            observers.notify({
              method: request.method,
              route: runtime.http.routePath(request),
              status: response.status,
              ms,
            });
          if (line) {
            const { status } = response;
            const requestId = response.headers.get("x-request-id");
            log[config.logRequests ? "info" : "debug"]("request", { ...line, requestId, status, ms: Math.round(ms) });
          }
        }
        return sockets.upgrade(request, response, bun) ? undefined : response;
      };
      // Bun's timer would close the connection without an answer.
      if (answer instanceof Promise) bun.timeout(request, 0);
      return whenReady(answer, answered);
    },
  });
  // After the port is open: a start that fails there runs no job and prints no password.
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
        setTimeout(() => void server.stop(true), FLUSH_MS);
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

/**
 * Logs rejections that nothing handles and errors thrown in timers, with their place in a plugin, in place of ending the process:
 * a promise that one plugin forgot to await would otherwise end the requests of all.
 */
export function surviveStrayErrors(log: Log): void {
  for (const kind of ["unhandledRejection", "uncaughtException"] as const)
    process.on(kind, (error: unknown) => {
      const place = error instanceof Error ? placeOf(error) : undefined;
      log.error("An error was not handled", { kind, place, error });
    });
}

/** Opens the port. Throws BootError after stopping the runtime. */
async function openServer(
  runtime: Runtime,
  config: Config,
  options: Parameters<typeof Bun.serve>[0],
): Promise<Bun.Server<WebSocketHandlers>> {
  try {
    return Bun.serve(options as never) as Bun.Server<WebSocketHandlers>;
  } catch (cause) {
    await runtime.stop();
    const [code, message] = [codeOf(cause), messageOf(cause)];
    const why = code === "EADDRINUSE" ? "another process already listens there" : message;
    throw new BootError(`Cannot listen on ${config.host}:${config.port}: ${why}; set PORT or HOST`, { cause });
  }
}

/** What a start prints when it listens: the address for browsers. */
export function answersAt(config: Config, port: number): string {
  return `Lectern answers at ${baseUrlOf({ ...config, port })} (its API below /api)`;
}

/** What `serve` needs beside the runtime. */
export interface ServeOptions {
  readonly log: Log;
  readonly io: CommandIo;
  readonly signals: StopSignals;
  /** Closes the store where the stop is not awaited. */
  closeStore(): Promise<void>;
}

/** Listens until a signal that stops, then stops the runtime. Returns the exit code. */
export async function serve(
  runtime: Runtime,
  config: Config,
  { log, io, signals, closeStore }: ServeOptions,
): Promise<number> {
  const listening = await listen(runtime, config, log);
  if (config.worker) tellParent({ kind: "listening", port: listening.port });
  else io.out(startLine(answersAt(config, listening.port), io.tty));
  // No deadline: a worker stops by a signal, or when its parent is gone.
  const signal = await (config.worker ? Promise.race([signals.first, parentEnded(config.worker)]) : signals.first);
  log.info("stopping", { signal });
  // At once, but for the embedded PostgreSQL, which would go on by itself.
  signals.onRepeat = (repeated) => void closeStore().finally(() => signals.endBy(repeated));
  await listening.stop();
  return 0;
}
