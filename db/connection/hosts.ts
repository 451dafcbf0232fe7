/**
 * Finds the server of several hosts that accepts the wanted sessions, such as the leader of a cluster with failover. All hosts
 * are asked at once; the answer is kept until a connection to that host is lost or refuses a write. If two say that they accept
 * writes, the one of the later timeline was promoted last: the other one is a former leader that does not know it yet.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Host, SessionAttributes } from "./address.ts";
import type { DriverConnection } from "./connection_types.ts";

/** Options of `Hosts`. */
export interface HostsOptions {
  readonly hosts: readonly Host[];
  readonly attributes: SessionAttributes;
  /** Opens postgres.js over a host with one connection. */
  connect(host: Host): DriverConnection;
}

/** Milliseconds in which a host has to answer. */
const ANSWER_MS = 2_000;
/** Milliseconds after the first suitable answer in which another host may say that it was promoted later. */
const OTHERS_MS = 250;
/** Milliseconds after a failure before the hosts are asked again. */
const RETRY_MS = 250;

interface State {
  readonly standby: boolean;
  readonly read_only: boolean;
  /** Hexadecimal; null on a standby. */
  readonly timeline: string | null;
}

/** A host that was asked; `found` is what it is where it does not suit. */
interface Asked {
  readonly host: Host;
  readonly timeline: number | undefined;
  readonly found: string;
}

/** The hosts of a URL. */
export class Hosts {
  readonly #options: HostsOptions;
  #current: Promise<Host> | undefined;
  #found: Host | undefined;
  /** The last host that was found. */
  #last: Host | undefined;
  readonly #onMove = new Set<() => void>();

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** The host to connect to. Throws with the code CONNECT_NO_HOST where none is suitable. */
  current(): Promise<Host> {
    this.#current ??= this.#find();
    return this.#current;
  }

  /** Whether another host has been found since: connections to this one are replaced. */
  isFormer(host: Host): boolean {
    return this.#last !== undefined && this.#last !== host;
  }

  /** Calls a function whenever another host is found than before. */
  onMove(moved: () => void): void {
    this.#onMove.add(moved);
  }

  /** A connection to the host was lost or refused a write: all are asked again before the next one. */
  suspect(host: Host): void {
    if (host !== this.#found) return;
    this.#found = undefined;
    this.#current = undefined;
  }

  async #find(): Promise<Host> {
    const asked: Asked[] = [];
    const first = Promise.withResolvers<void>();
    const all = this.#options.hosts.map(async (host) => {
      const answer = await this.#ask(host);
      asked.push(answer);
      if (answer.timeline !== undefined) first.resolve();
    });
    await Promise.race([Promise.all(all), first.promise.then(() => sleep(OTHERS_MS))]);
    // Of equal hosts the last one stays, so that connections are not replaced for nothing.
    const rank = ({ host, timeline = -1 }: Asked) => timeline + (host === this.#last ? 0.5 : 0);
    const [best] = asked.filter(({ timeline }) => timeline !== undefined).sort((a, b) => rank(b) - rank(a));
    if (best) {
      this.#found = best.host;
      const isMove = this.#last !== undefined && this.#last !== best.host;
      this.#last = best.host;
      if (isMove) for (const moved of this.#onMove) moved();
      return best.host;
    }
    setTimeout(() => {
      this.#current = undefined;
    }, RETRY_MS).unref();
    const found = asked.map(({ host, found: what }) => `${host.host}:${host.port} ${what}`).join(", ");
    throw Object.assign(new Error(`none of its hosts is a server that accepts ${this.#wanted()}: ${found}`), {
      code: "CONNECT_NO_HOST",
    });
  }

  #wanted(): string {
    return this.#options.attributes === "any" ? "connections" : "writes";
  }

  async #ask(host: Host): Promise<Asked> {
    const { sql, destroy } = this.#options.connect(host);
    try {
      const answer = sql.unsafe<State[]>(`select pg_is_in_recovery() as standby,
        current_setting('transaction_read_only') = 'on' as read_only,
        case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`);
      const [state] = await Promise.race([answer, late()]);
      return { host, ...this.#judge(state) };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      return { host, timeline: undefined, found: `failed (${code ?? message})` };
    } finally {
      void sql.end({ timeout: 0 }).then(destroy);
    }
  }

  #judge(state: State | undefined): Pick<Asked, "timeline" | "found"> {
    const { attributes } = this.#options;
    const { standby = true, read_only = true, timeline = null } = state ?? {};
    if (attributes !== "any" && standby) return { timeline: undefined, found: "is a standby" };
    if (attributes === "read-write" && read_only) return { timeline: undefined, found: "is read-only" };
    return { timeline: timeline === null ? 0 : Number.parseInt(timeline, 16), found: "is suitable" };
  }
}

async function late(): Promise<never> {
  await sleep(ANSWER_MS, undefined, { ref: false });
  throw Object.assign(new Error("no answer in time"), { code: "CONNECT_TIMEOUT" });
}
