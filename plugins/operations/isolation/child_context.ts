/**
 * The context of an isolated plugin, within its process. It has some of the members of `PluginContext`, with the same meaning;
 * the others throw an error that names them. What a member does is done by the server.
 */
import type { Kysely } from "kysely";
import type { IsolatedMember, Viewer } from "lectern/core";
import type { SentCall } from "./channel.ts";
import type { ChildChannel, NestingCall } from "./child_channel.ts";
import { remoteContracts } from "./child_contracts.ts";
import { ChildRoutes, limitedTo, type SentRequest } from "./child_routes.ts";
import { remoteFetch, remoteFiles, remoteLog, responseOf } from "./child_services.ts";
import { remoteStore } from "./child_store.ts";
import { type ActingAs, ChildViewers, type SentViewer } from "./child_viewers.ts";
import type { Registrations } from "./registrations.ts";
import { type ContributionParts, contributionParts } from "./slots.ts";
import { checkPlain } from "./values.ts";
import type { CallOptions } from "./viewers.ts";

/** What the server sends before `setup`. */
export interface Facts {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly baseUrl: string;
  readonly language: string;
  /** The contracts of `requires` and `uses`, and whether there is each. */
  readonly contracts: Readonly<Record<string, boolean>>;
}

/** The transaction of a call as it is sent. */
export interface SentTransaction {
  readonly viewer: SentViewer;
  readonly at: string;
  readonly address?: string;
  readonly requestId?: string;
}

/** What a call of the server gives to something registered. */
interface GivenCall {
  readonly index: number;
  readonly args: readonly unknown[];
  readonly tx?: SentTransaction;
}

type Run = (...args: unknown[]) => unknown;
type Store = Kysely<unknown>;
type Moment = Registrations["events"][number]["moments"][number];

const MOMENTS: readonly Moment[] = ["beforeTransaction", "filter", "veto", "inTransaction", "notify"];
const NO_ANY = "Isolated plugins handle events by their names, and have no on.any";
const NO_CALLBACKS = "Isolated plugins have no callbacks of a transaction; use the moment notify, or a job";

/** The context, what `setup` registered on it, and the calls of the server to that. */
export class ChildContext {
  readonly #channel: ChildChannel;
  readonly #routes = new ChildRoutes();
  readonly #events: { readonly name: string; readonly handlers: Partial<Record<Moment, Run>> }[] = [];
  readonly #jobs: (Registrations["jobs"][number] & { readonly run: Run })[] = [];
  readonly #schedules: (Registrations["schedules"][number] & { readonly run: Run })[] = [];
  readonly #contributions: ({ readonly slot: string } & ContributionParts)[] = [];
  readonly #actions = new Map<number, Run>();
  readonly #viewers = new ChildViewers();
  /** Calls of the server with a transaction that still runs. */
  readonly #transactions = new Set<number>();
  #lastAction = 0;

  constructor(channel: ChildChannel) {
    this.#channel = channel;
  }

  /** What was registered. */
  get registrations(): Registrations {
    return {
      routes: this.#routes.registered,
      events: this.#events.map(({ name, handlers }) => ({ name, moments: Object.keys(handlers) as Moment[] })),
      jobs: this.#jobs.map(({ run: _, ...job }) => job),
      contributions: this.#contributions.map(({ slot, data, functions }) => ({
        slot,
        data,
        functions: Object.keys(functions),
      })),
      schedules: this.#schedules.map(({ run: _, ...schedule }) => schedule),
    };
  }

  /** The context for `setup`. */
  contextOf({ contracts, ...facts }: Facts): Record<IsolatedMember, unknown> {
    const channel = this.#channel;
    const db = remoteStore(channel, {});
    return limitedTo("the context", {
      ...facts,
      app: this.#routes.app,
      contracts: remoteContracts(contracts, this.#viewers, (value, within) => this.#nested("contract", value, within)),
      db,
      visible: (table: string, viewer: Viewer) =>
        remoteStore(channel, { ...this.#viewers.named(viewer), visible: table }).selectFrom(table),
      perform: (name: string, viewer: Viewer, draft: unknown, action: Run) =>
        this.#perform(name, draft, action, this.#viewers.named(viewer)),
      callAs: async (viewer: Viewer, method: string, path: string, options: CallOptions = {}) =>
        this.#callAs({ method, path, options }, this.#viewers.named(viewer)),
      on: Object.assign((name: string, handlers: Partial<Record<Moment, Run>>) => void this.#on(name, handlers), {
        any: () => {
          throw new Error(NO_ANY);
        },
      }),
      contribute: (slot: string, contribution: object) =>
        void this.#contributions.push({ slot, ...contributionParts(slot, contribution) }),
      slot: async (name: string) => channel.call("slot", { name }),
      jobs: limitedTo("jobs", {
        handle: (name: string, run: Run, options: object = {}) => void this.#jobs.push({ name, run, ...options }),
        enqueue: async (name: string, payload: unknown, options: object = {}) =>
          void (await channel.call("enqueue", { name, payload, options })),
        every: (name: string, intervalMs: number, run: Run) => void this.#schedules.push({ name, intervalMs, run }),
      }),
      fetch: (url: string | URL, init: RequestInit = {}) => remoteFetch(channel, url, init),
      files: remoteFiles(channel),
      log: remoteLog(channel),
    });
  }

  /** Answers a call of the server to something registered. */
  async run(sent: SentCall): Promise<unknown> {
    const given = sent.value as GivenCall;
    if (given.tx) this.#transactions.add(sent.call);
    try {
      return await this.#viewers.run(sent.call, () => this.#run(sent, given));
    } finally {
      this.#transactions.delete(sent.call);
    }
  }

  async #run({ call, name }: SentCall, given: GivenCall): Promise<unknown> {
    const tx = given.tx && this.#transaction(call, given.tx);
    if (name === "route") {
      const [request, viewer] = given.args as [SentRequest, SentViewer];
      return this.#routes.run(given.index, request, this.#viewers.received(call, 0, viewer));
    }
    if (name === "event") return this.#runEvent(call, given, tx);
    if (name === "job") return void (await this.#jobs[given.index]?.run(...given.args));
    if (name === "schedule") return void (await this.#schedules[given.index]?.run());
    if (name === "slot") return this.#runContribution(call, given);
    if (name === "action") return this.#actions.get(given.index)?.(given.args[0], tx);
    throw new Error(`Cannot answer the call "${name}"`);
  }

  #runEvent(
    call: number,
    { index, args }: { index: number; args: readonly unknown[] },
    tx: object | undefined,
  ): unknown {
    const [moment, subject, last] = args as [Moment, unknown, unknown];
    const run = this.#events[index]?.handlers[moment];
    if (moment === "beforeTransaction") return run?.(subject, this.#viewers.received(call, 0, last as SentViewer));
    if (moment === "inTransaction") return run?.(subject, tx, last);
    if (moment !== "notify") return run?.(subject, tx);
    const { viewer, ...record } = last as { readonly viewer: SentViewer };
    return run?.(subject, { ...record, viewer: this.#viewers.received(call, 0, viewer) });
  }

  #runContribution(call: number, { index, args }: GivenCall): unknown {
    const [member, visit] = args as [string, { readonly viewer: SentViewer } | undefined];
    const run = this.#contributions[index]?.functions[member];
    if (!visit) return run?.();
    const viewer = this.#viewers.received(call, 0, visit.viewer);
    return run?.(limitedTo("a visit", { ...visit, viewer }));
  }

  #on(name: string, handlers: Partial<Record<Moment, Run>>): void {
    const odd = Object.keys(handlers).find((moment) => !MOMENTS.includes(moment as Moment));
    if (odd !== undefined) throw new Error(`Cannot handle "${name}": there is no moment "${odd}"`);
    this.#events.push({ name, handlers });
  }

  async #callAs(
    { options, ...sent }: { method: string; path: string; options: CallOptions; inTransaction?: boolean },
    { within, viewer }: ActingAs,
  ): Promise<Response> {
    const { input, headers, address } = options;
    checkPlain(input, "the input of callAs");
    const own = { ...(input && { input }), ...(headers && { headers }), ...(address !== undefined && { address }) };
    return responseOf(await this.#nested("call", { ...sent, options: own, viewer }, within));
  }

  async #perform(name: string, draft: unknown, action: Run, { within, viewer }: Partial<ActingAs>): Promise<unknown> {
    this.#lastAction += 1;
    const id = this.#lastAction;
    this.#actions.set(id, action);
    try {
      return await this.#nested(
        "perform",
        { name, draft, action: id, ...(viewer !== undefined && { viewer }) },
        within,
      );
    } finally {
      this.#actions.delete(id);
    }
  }

  /** A call in whose course the server may call this process. */
  #nested(name: NestingCall, value: unknown, within: number | undefined): Promise<unknown> {
    const isNested = within !== undefined && this.#transactions.has(within);
    return this.#channel.call(name, value, { within, isNested });
  }

  #transaction(call: number, { viewer, ...facts }: SentTransaction): object {
    const channel = this.#channel;
    const refuse = () => {
      throw new Error(NO_CALLBACKS);
    };
    const callAs = async (viewer: Viewer, method: string, path: string, options: CallOptions = {}) => {
      const { viewer: reference, within = call } = this.#viewers.named(viewer);
      if (within !== call) throw new Error("tx.callAs calls as a viewer of its own event, or as SYSTEM");
      return this.#callAs({ method, path, options, inTransaction: true }, { viewer: reference, within });
    };
    let db: Store | undefined;
    return {
      ...facts,
      viewer: this.#viewers.received(call, 0, viewer),
      get db() {
        db ??= remoteStore(channel, { within: call, inTransaction: true });
        return db;
      },
      enqueue: async (name: string, payload: unknown, options: object = {}) =>
        void (await channel.call("enqueue", { name, payload, options }, { within: call })),
      perform: (name: string, draft: unknown, action: Run) => this.#perform(name, draft, action, { within: call }),
      callAs,
      afterCommit: refuse,
      onRollback: refuse,
    };
  }
}
