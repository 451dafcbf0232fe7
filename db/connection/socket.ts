/**
 * The sockets of one postgres.js, opened here so that they can be destroyed. postgres.js ends a connection by FIN and
 * waits for the server's; a server that is stalled, or a network that is gone, would leave the socket open for ever.
 */
import { Socket } from "node:net";

/** As postgres.js has worked out where to connect to: several hosts are tried in turn. */
interface Place {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket. */
  readonly path?: string | false;
}

/** The sockets of a postgres.js with one connection or several, made anew for each attempt to connect. */
export class ConnectionSocket {
  readonly #sockets = new Set<Socket>();
  #attempts = 0;
  #isDestroyed = false;

  /** For postgres.js' option `socket`. What is written before the socket is connected waits in it. */
  readonly open = ({ host, port, path }: Place): Socket => {
    if (this.#isDestroyed) throw Object.assign(new Error("The connection was given up"), { code: "CONNECTION_CLOSED" });
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const at = this.#attempts++ % host.length;
    const place = { host: host[at] as string, port: port[at] as number };
    // What postgres.js reads of it for TLS and for its messages.
    if (typeof path !== "string") Object.assign(socket, place);
    // Not before postgres.js listens to it: a failure may come at once.
    setImmediate(() => {
      if (socket.destroyed) return;
      if (typeof path === "string") socket.connect(path);
      else socket.connect(place);
    });
    return socket;
  };

  /** Ends all of them at once, and makes no other. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
