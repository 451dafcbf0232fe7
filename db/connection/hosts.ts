/**
 * Finds the server of several hosts that accepts the wanted sessions, such as the leader of a cluster with failover. All hosts
 * are asked at once; the answer is kept until a connection to that host is lost or refuses a write. If two say that they accept
 * writes, the one of the later timeline was promoted last: the other one is a former leader that does not know it yet. It is not
 * used while the leader is away either, since the newest timeline is remembered (`timelines.ts`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import type { Host, SessionAttributes } from "./address.ts";
import type { DriverConnection } from "./connection_types.ts";
import type { StoreEventObserver } from "./store_events.ts";
import { inTime } from "./time.ts";
import { formerLeader, type Leader, type ServerState, serverState, type Timelines } from "./timelines.ts";

/** Options of `Hosts`. */
export interface HostsOptions {
  readonly hosts: readonly Host[];
  readonly attributes: SessionAttributes;
  readonly timelines: Timelines;
  /** Opens postgres.js over a host with one connection. */
  connect(host: Host): DriverConnection;
  /** Is shown when another host is found, and when a former leader is there. */
  show: StoreEventObserver;
}

/** Milliseconds in which a host has to answer. */
const ANSWER_MS = 2_000;
/** Milliseconds after the first suitable answer in which another host may say that it was promoted later. */
const OTHERS_MS = 250;
/** Milliseconds after a failure before the hosts are asked again. */
const RETRY_MS = 250;

/** What one host says of itself, for operators. */
export interface HostState {
  /** Host and port. */
  readonly host: string;
  /** What it is, after its name: "is suitable", "is a standby". */
  readonly found: string;
  /** Where it accepts writes. */
  readonly leader: Leader | undefined;
  /** The newest timeline of its cluster, if it is a former leader. */
  readonly newest: number | undefined;
}

/** A host that was asked. */
interface Asked {
  readonly host: Host;
  /** What it is. */
  readonly found: string;
  readonly isSuitable: boolean;
  readonly leader: Leader | undefined;
}

/** The hosts of a URL. */
export class Hosts {
  readonly #options: HostsOptions;
  #current: Promise<Host> | undefined;
  #found: Host | undefined;
  /** The last host that was found. */
  #last: Host | undefined;
  /** Former leaders that were shown and were not seen as anything else since. */
  readonly #former = new Set<Host>();
  #isFailing = false;
  readonly #onMove = new Set<() => void>();

  constructor(options: HostsOptions) {
    this.#options = options;
  }

  /** The host to connect to. Throws with the code CONNECT_NO_HOST where none is suitable. */
  current(): Promise<Host> {
    this.#current ??= this.#find();
    return this.#current;
  }

  /** The last host that was found. */
  get last(): Host | undefined {
    return this.#last;
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

  /** Asks all hosts what they are, for operators. */
  async states(): Promise<HostState[]> {
    const { hosts, timelines } = this.#options;
    const [asked] = await Promise.all([Promise.all(hosts.map((host) => this.#ask(host))), timelines.refresh()]);
    for (const { leader } of asked) if (leader) timelines.saw(leader);
    return asked.map(({ host, found, leader }) => ({
      host: nameOf(host),
      found,
      leader,
      newest: leader && timelines.newerThan(leader),
    }));
  }

  async #find(): Promise<Host> {
    const { hosts, timelines } = this.#options;
    const asked: Asked[] = [];
    const first = Promise.withResolvers<void>();
    const learned = inTime(ANSWER_MS, timelines.refresh());
    const all = hosts.map(async (host) => {
      const answer = await this.#ask(host);
      asked.push(answer);
      await learned;
      if (answer.isSuitable && this.#newerThan(answer) === undefined) first.resolve();
    });
    // No deadline: all answers, or what has come a moment after the first suitable one.
    await Promise.race([Promise.all(all), first.promise.then(() => sleep(OTHERS_MS))]);
    for (const { isSuitable, leader } of asked) if (isSuitable && leader) timelines.saw(leader);
    // Of equal hosts the last one stays, so that connections are not replaced for nothing.
    const rank = ({ host, leader }: Asked) => (leader?.timeline ?? 0) + (host === this.#last ? 0.5 : 0);
    const [best] = asked
      .filter((one) => one.isSuitable && this.#newerThan(one) === undefined)
      .sort((a, b) => rank(b) - rank(a));
    // Each time that the leader is away a former one is shown again.
    if (!best && !this.#isFailing) this.#former.clear();
    this.#isFailing = !best;
    this.#showFormer(asked);
    if (best) return this.#use(best);
    setTimeout(() => {
      this.#current = undefined;
    }, RETRY_MS).unref();
    const found = asked.map((one) => `${nameOf(one.host)} ${this.#what(one)}`).join(", ");
    throw Object.assign(new Error(`none of its hosts is a server that accepts ${this.#wanted()}: ${found}`), {
      code: "CONNECT_NO_HOST",
    });
  }

  #use({ host, leader }: Asked): Host {
    const from = this.#last;
    this.#found = host;
    this.#last = host;
    if (from === undefined || from === host) return host;
    this.#options.show({ kind: "moved", host: nameOf(host), from: nameOf(from), timeline: leader?.timeline ?? 0 });
    for (const moved of this.#onMove) moved();
    return host;
  }

  #newerThan({ leader }: Asked): number | undefined {
    return leader && this.#options.timelines.newerThan(leader);
  }

  #what(asked: Asked): string {
    const newest = asked.isSuitable ? this.#newerThan(asked) : undefined;
    return newest !== undefined && asked.leader ? formerLeader(asked.leader, newest) : asked.found;
  }

  #showFormer(asked: readonly Asked[]): void {
    for (const one of asked) {
      const isFormer = one.isSuitable && this.#newerThan(one) !== undefined;
      if (isFormer && !this.#former.has(one.host))
        this.#options.show({ kind: "former", host: nameOf(one.host), cause: `it ${this.#what(one)}` });
      if (isFormer) this.#former.add(one.host);
      else this.#former.delete(one.host);
    }
  }

  #wanted(): string {
    return this.#options.attributes === "any" ? "connections" : "writes";
  }

  async #ask(host: Host): Promise<Asked> {
    const { sql, destroy } = this.#options.connect(host);
    try {
      const state = await inTime(ANSWER_MS, serverState(sql));
      if (!state) throw Object.assign(new Error("no answer in time"), { code: "CONNECT_TIMEOUT" });
      const unfit = this.#unfit(state);
      return { host, leader: state.leader, isSuitable: unfit === undefined, found: unfit ?? "is suitable" };
    } catch (error) {
      return { host, leader: undefined, isSuitable: false, found: `failed (${codeOf(error) || messageOf(error)})` };
    } finally {
      void sql.end({ timeout: 0 }).then(destroy);
    }
  }

  /** Why a server does not suit; undefined where it does. */
  #unfit({ isStandby, isReadOnly }: ServerState): string | undefined {
    const { attributes } = this.#options;
    if (attributes !== "any" && isStandby) return "is a standby";
    return attributes === "read-write" && isReadOnly ? "is read-only" : undefined;
  }
}

/** A host in messages. */
export function nameOf({ host, port }: Host): string {
  return `${host}:${port}`;
}
