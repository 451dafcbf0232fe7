import type { House } from "./boot.ts";
import { baseUrlOf, type Config } from "./config.ts";
import { BootError } from "./errors.ts";
import type { Log } from "./log.ts";
import type { CommandIo } from "./plugin.ts";
import { pathOf } from "./routes.ts";
import { HeldSockets } from "./sockets.ts";

/** None of Bun's own: ours answers in the one error shape, and what nobody reads costs no memory. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

/** A house that listens. */
export interface Listening {
  readonly port: number;
  /** Takes no more requests, waits for those under way for at most the configured time, then stops the house. */
  stop(): Promise<void>;
}

/** Makes a house listen. Throws BootError where the address is taken, the house stopped. */
export async function listen(house: House, config: Config, log: Log): Promise<Listening> {
  await house.start();
  const sockets = new HeldSockets();
  const server = await opened(house, config, {
    port: config.port,
    hostname: config.host,
    maxRequestBodySize: NO_LIMIT,
    idleTimeout: 120,
    websocket: sockets.handler,
    async fetch(request, bun) {
      const started = performance.now();
      const peer = bun.requestIP(request)?.address ?? "";
      const response = await house.gates.answer(request, peer);
      if (log.writes("debug")) {
        log.debug("request", {
          method: request.method,
          path: pathOf(request.url),
          status: response.status,
          ms: Math.round(performance.now() - started),
        });
      }
      return sockets.take(request, bun) ? undefined : response;
    },
  });
  return {
    port: server.port ?? config.port,
    async stop() {
      const forced = setTimeout(() => void server.stop(true), config.stopTimeoutMs);
      sockets.close();
      await server.stop();
      clearTimeout(forced);
      await house.stop();
    },
  };
}

/** Starts the server; where that fails the house is stopped again, so that nothing of it stays behind. */
async function opened(
  house: House,
  config: Config,
  options: Parameters<typeof Bun.serve>[0],
): Promise<Bun.Server<undefined>> {
  try {
    return Bun.serve(options as never) as Bun.Server<undefined>;
  } catch (cause) {
    await house.stop();
    const { code = "", message } = cause as { code?: string; message: string };
    const why = code === "EADDRINUSE" ? "something else listens there already" : message;
    throw new BootError(`Cannot listen on ${config.host}:${config.port}: ${why}; set PORT or HOST`, { cause });
  }
}

/** Listens until SIGINT or SIGTERM, then stops in order. Returns the exit code. */
export async function serve(house: House, config: Config, log: Log, io: CommandIo): Promise<number> {
  const told = new Promise<string>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve(signal));
  });
  const listening = await listen(house, config, log);
  io.out(`Lectern answers at ${baseUrlOf({ ...config, port: listening.port })}/api`);
  log.info("stopping", { signal: await told });
  await listening.stop();
  return 0;
}
