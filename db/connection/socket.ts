/**
 * The sockets of a postgres.js instance, opened here so that they can be destroyed. postgres.js closes a connection by FIN
 * and waits for that of the server: a stalled server or a broken network would leave the socket open for ever.
 */
import { Socket } from "node:net";

/** The address from postgres.js; several hosts are tried in turn. */
interface Place {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** Of a Unix socket. */
  readonly path?: string | false;
}

/** The sockets of a postgres.js instance, one for each attempt to connect. */
export class ConnectionSocket {
  readonly #sockets = new Set<Socket>();
  #attempts = 0;
  #isDestroyed = false;

  /** The option `socket` of postgres.js. Writes before the socket has connected are buffered. */
  readonly open = ({ host, port, path }: Place): Socket => {
    if (this.#isDestroyed) throw Object.assign(new Error("The connection was dropped"), { code: "CONNECTION_CLOSED" });
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const at = this.#attempts++ % host.length;
    const place = { host: host[at] as string, port: port[at] as number };
    // postgres.js reads these for TLS and for its messages.
    if (typeof path !== "string") Object.assign(socket, place);
    // After postgres.js has added its listeners: connecting may fail at once.
    setImmediate(() => {
      if (socket.destroyed) return;
      if (typeof path === "string") socket.connect(path);
      else socket.connect(place);
    });
    return socket;
  };

  /** Destroys all sockets and opens no more. */
  destroy(): void {
    this.#isDestroyed = true;
    for (const socket of this.#sockets) socket.destroy();
  }
}
