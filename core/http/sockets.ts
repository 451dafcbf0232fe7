/**
 * WebSockets that are held open: for clients that want a line to the server although nothing is ever said on it, and would
 * call again and again if they were refused. A route answers with `acceptWebSocket()`, which is 426 as for any client that did not
 * ask for a WebSocket; the listener turns the connection of a client that did into one, pings it, and drops it when it has
 * been silent for too long. What arrives is not read.
 */
import type { Server, WebSocketHandler } from "bun";

/** Seconds without a sign of life after which a socket is dropped; pings are sent well before. */
const IDLE_SECONDS = 90;
const MAX_MESSAGE_BYTES = 64 * 1024;
const GOING_AWAY = 1001;

const UPGRADE_REQUIRED = 426;

/**
 * The answer of a route that makes a WebSocket of its connection; a client that asked for none reads 426.
 * @example
 * context.site.get("/notes/socket", () => acceptWebSocket(), { permit: "public" });
 */
export function acceptWebSocket(): Response {
  return new Response(null, { status: UPGRADE_REQUIRED, headers: { connection: "Upgrade", upgrade: "websocket" } });
}

/** The sockets of one listener. */
export class AcceptedWebSockets {
  readonly #open = new Set<Bun.ServerWebSocket<undefined>>();

  /** What the listener does with its sockets. */
  readonly handler: WebSocketHandler<undefined> = {
    idleTimeout: IDLE_SECONDS,
    sendPings: true,
    maxPayloadLength: MAX_MESSAGE_BYTES,
    open: (socket) => void this.#open.add(socket),
    message: () => {},
    close: (socket) => void this.#open.delete(socket),
  };

  /** Makes a socket of a request whose answer wishes it; says whether it is one now. */
  take(request: Request, { status, headers }: Response, server: Server<undefined>): boolean {
    const isWished = status === UPGRADE_REQUIRED && headers.get("upgrade") === "websocket";
    return isWished && server.upgrade(request, { data: undefined });
  }

  /** Tells all clients that the server goes. */
  close(): void {
    for (const socket of this.#open) socket.close(GOING_AWAY);
  }
}
