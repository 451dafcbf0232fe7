/**
 * The sockets of a postgres.js instance, opened here so that they can be destroyed. postgres.js closes a connection by FIN
 * and waits for that of the server: a stalled server or a broken network would leave the socket open for ever. Of several
 * hosts they connect to the one that `Hosts` finds.
 */
import { Socket } from "node:net";
import type { Host } from "./address.ts";
import type { Hosts } from "./hosts.ts";

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
  readonly #hosts: Hosts | undefined;
  #attempts = 0;
  #isDestroyed = false;
  /** The host of the last socket. */
  #host: Host | undefined;

  /**
   * `hosts` decides where to connect; by default postgres.js does. With `follows` the socket is destroyed when another host is
   * found, for a connection that no pool replaces.
   */
  constructor(hosts?: Hosts, follows = false) {
    this.#hosts = hosts;
    if (!follows) return;
    hosts?.onMove(() => {
      if (this.isFormer) for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** Whether another host than that of the connection has been found since. */
  get isFormer(): boolean {
    return this.#host !== undefined && this.#hosts?.isFormer(this.#host) === true;
  }

  /** The option `socket` of postgres.js. Writes before the socket has connected are buffered. */
  readonly open = (place: Place): Socket | Promise<Socket> => {
    if (!this.#hosts) return this.#connect(place);
    return this.#hosts.current().then(
      (host) => this.#connectTo(host),
      // postgres.js goes on where a socket fails, and would wait for ever where none is opened.
      (error: Error) => this.#opened((socket) => socket.destroy(error)),
    );
  };

  #connect({ host, port, path }: Place): Socket {
    if (this.#isDestroyed) throw Object.assign(new Error("The connection was dropped"), { code: "CONNECTION_CLOSED" });
    const at = this.#attempts++ % host.length;
    const place = { host: host[at] ?? "", port: port[at] ?? 0 };
    if (typeof path === "string") return this.#opened((socket) => socket.connect(path));
    // postgres.js reads these for TLS and for its messages.
    return Object.assign(
      this.#opened((socket) => socket.connect(place)),
      place,
    );
  }

  #connectTo(host: Host): Socket {
    this.#host = host;
    const socket = this.#opened((one) => {
      if (this.#isDestroyed) one.destroy();
      else one.connect({ ...host });
    });
    socket.once("close", () => this.#hosts?.suspect(host));
    return Object.assign(socket, host);
  }

  /** A socket; `start` is called after postgres.js has added its listeners, since connecting may fail at once. */
  #opened(start: (socket: Socket) => void): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    setImmediate(() => {
      if (!socket.destroyed) start(socket);
    });
    return socket;
  }

  /** The server refused a write: further sockets may need another host. */
  suspect(): void {
    if (this.#host) this.#hosts?.suspect(this.#host);
  }

  /** Destroys all sockets; further ones may be opened. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Destroys all sockets and opens no more. */
  destroy(): void {
    this.#isDestroyed = true;
    this.drop();
  }
}
