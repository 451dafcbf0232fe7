/**
 * WebSockets that are held open: for clients that want a line to the server although nothing is ever said on it, and would
 * call again and again if they were refused. A route answers with `holdOpen(request)`; once it has passed all gates, the
 * listener turns the connection into a WebSocket, pings it, and drops it when it has been silent for too long. What arrives
 * is not read.
 */
import type { Server, WebSocketHandler } from "bun";

/** Seconds without a sign of life after which a socket is dropped; pings are sent well before. */
const IDLE_SECONDS = 90;
const MAX_MESSAGE_BYTES = 64 * 1024;
const GOING_AWAY = 1001;

const WANTED = new WeakSet<Request>();

/** The answer of a route that makes a WebSocket of its connection; a client that asked for none reads 426. */
export function holdOpen(request: Request): Response {
  WANTED.add(request);
  return new Response(null, { status: 426, headers: { connection: "Upgrade", upgrade: "websocket" } });
}

/** The sockets of one listener. */
export class HeldSockets {
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

  /** Makes a socket of a request whose route wished it; says whether it is one now. */
  take(request: Request, server: Server<undefined>): boolean {
    return WANTED.has(request) && server.upgrade(request, { data: undefined });
  }

  /** Tells all clients that the server goes. */
  close(): void {
    for (const socket of this.#open) socket.close(GOING_AWAY);
  }
}
