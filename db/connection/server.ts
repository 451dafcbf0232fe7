/** How the connections of a store are opened: postgres.js, and the sockets under it. */
import postgres from "postgres";
import type { Address, Host } from "./address.ts";
import { type HostState, Hosts, nameOf } from "./hosts.ts";
import { ConnectionSocket } from "./socket.ts";
import type { StoreEventObserver } from "./store_events.ts";
import { Timelines } from "./timelines.ts";

/** Options of postgres.js. */
export type DriverOptions = postgres.Options<Record<string, postgres.PostgresType>>;

/** A server to connect to. */
export interface Server {
  /** For messages, without a password. */
  readonly place: string;
  /** The host in use, where one of several is known, else the place without quotes. */
  host(): string;
  /** What its hosts are, where there are several. */
  states?(): Promise<HostState[]>;
  /** Opens postgres.js with further options; it connects at its first statement. */
  connect(extra: DriverOptions): postgres.Sql;
  /** The sockets of one postgres.js, for `over`; `follows` as for `ConnectionSocket`. */
  socket(follows?: boolean): ConnectionSocket;
}

/** What finding one of several hosts knows and tells. */
export interface ServerWatch {
  readonly timelines: Timelines;
  readonly show: StoreEventObserver;
}

/** The server, or servers, of a URL; `shared` are the options of every connection. */
export function serverOf(
  { url, hosts, attributes, shown }: Address,
  shared: DriverOptions,
  { timelines, show }: ServerWatch = { timelines: new Timelines(), show: () => {} },
): Server {
  if (hosts.length === 0) return serverBy(shown, (extra) => postgres(url, { ...shared, ...extra }));
  // As lists, which its types lack, postgres.js takes them as they are: it would cut an IPv6 address at its colons.
  const at = ({ host, port }: Host) => ({ host: [host], port: [port] }) as unknown as DriverOptions;
  const connect = (host: Host, extra: DriverOptions) => postgres(url, { ...shared, ...at(host), ...extra });
  const found = new Hosts({
    hosts,
    attributes,
    timelines,
    show,
    connect(host) {
      const socket = new ConnectionSocket();
      return { sql: connect(host, { ...over(socket), max: 1 }), destroy: () => socket.destroy() };
    },
  });
  // PostgreSQL 14 reports what it is with the first answer, so that a former leader is refused without a further statement.
  const checked: DriverOptions = attributes === "any" ? {} : { target_session_attrs: attributes };
  return {
    place: shown,
    host: () => (found.last ? nameOf(found.last) : shown.replaceAll('"', "")),
    states: () => found.states(),
    // The host is that of messages: the sockets connect elsewhere.
    connect: (extra) => connect(hosts[0] as Host, { ...checked, ...extra }),
    socket: (follows) => new ConnectionSocket(found, follows),
  };
}

/** A server that postgres.js finds by itself. */
export function serverBy(place: string, connect: Server["connect"]): Server {
  return { place, host: () => place.replaceAll('"', ""), connect, socket: () => new ConnectionSocket() };
}

/** The option of postgres.js that opens its sockets here; as a function it is missing in its types. */
export function over(socket: ConnectionSocket): DriverOptions {
  return { socket: socket.open } as DriverOptions;
}
