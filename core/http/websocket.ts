/**
 * WebSockets. A route answers with `acceptWebSocket()`; the listener then upgrades the connection if the client requested it,
 * else the client reads 426. The listener pings each socket and closes it after 90 seconds of silence.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Server, ServerWebSocket, WebSocketHandler } from "bun";

/** A WebSocket as its handlers see it. */
export type AcceptedWebSocket = ServerWebSocket<WebSocketHandlers>;

/** Handlers of an accepted WebSocket. Messages without a handler are dropped. */
export interface WebSocketHandlers {
  open?(socket: AcceptedWebSocket): void;
  /** At most 64 KiB; a larger message closes the socket. */
  message?(socket: AcceptedWebSocket, data: string | Buffer): void;
  close?(socket: AcceptedWebSocket, code: number): void;
}

/** Seconds of silence after which a socket is closed; pings are sent well before. */
const IDLE_SECONDS = 90;
const MAX_MESSAGE_BYTES = 64 * 1024;
const GOING_AWAY = 1001;
const UPGRADE_REQUIRED = 426;

const HANDLERS = new WeakMap<Response, WebSocketHandlers>();

/**
 * The answer of a route that upgrades its connection to a WebSocket. Clients that did not request one read 426.
 * @example
 * const echo = () => acceptWebSocket({ message: (socket, data) => void socket.send(data) });
 * context.app.site.get("/notes/echo", echo, { permit: "public" });
 */
export function acceptWebSocket(handlers: WebSocketHandlers = {}): Response {
  const response = new Response(null, {
    status: UPGRADE_REQUIRED,
    headers: { connection: "Upgrade", upgrade: "websocket" },
  });
  HANDLERS.set(response, inRequest(handlers));
  return response;
}

/** Handlers that run as part of the request that was upgraded, so that its user may act in them too. */
function inRequest(handlers: WebSocketHandlers): WebSocketHandlers {
  const run = AsyncLocalStorage.snapshot();
  return {
    ...(handlers.open && { open: (socket) => run(() => handlers.open?.(socket)) }),
    ...(handlers.message && { message: (socket, data) => run(() => handlers.message?.(socket, data)) }),
    ...(handlers.close && { close: (socket, code) => run(() => handlers.close?.(socket, code)) }),
  };
}

/** The WebSockets of one listener. */
export class WebSocketListener {
  readonly #open = new Set<AcceptedWebSocket>();

  /** The `websocket` option of `Bun.serve`. */
  readonly handler: WebSocketHandler<WebSocketHandlers> = {
    idleTimeout: IDLE_SECONDS,
    sendPings: true,
    maxPayloadLength: MAX_MESSAGE_BYTES,
    open: (socket) => {
      this.#open.add(socket);
      socket.data.open?.(socket);
    },
    message: (socket, data) => socket.data.message?.(socket, data),
    close: (socket, code) => {
      this.#open.delete(socket);
      socket.data.close?.(socket, code);
    },
  };

  /** Upgrades a request whose answer is that of `acceptWebSocket()`. Returns whether the connection is a WebSocket now. */
  upgrade(request: Request, response: Response, server: Server<WebSocketHandlers>): boolean {
    const handlers = HANDLERS.get(response);
    return handlers !== undefined && server.upgrade(request, { data: handlers });
  }

  /** Closes all sockets with code 1001: the server goes away. */
  close(): void {
    for (const socket of this.#open) socket.close(GOING_AWAY);
  }
}
