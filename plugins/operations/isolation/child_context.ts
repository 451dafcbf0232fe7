/**
 * The context of an isolated plugin, within its process. It has some of the members of `PluginContext`, with the same meaning;
 * the others throw an error that names them. What a member does is done by the server.
 */
import type { Kysely } from "kysely";
import type { IsolatedMember, Viewer } from "lectern/core";
import type { Channel, SentCall } from "./channel.ts";
import type { ChildChannel } from "./child_channel.ts";
import { ChildRoutes, limitedTo, type SentRequest } from "./child_routes.ts";
import { remoteStore } from "./child_store.ts";
import type { Registrations } from "./registrations.ts";

/** What the server sends before `setup`. */
export interface Facts {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly baseUrl: string;
  readonly language: string;
}

/** A viewer as it is sent. */
export type SentViewer = Omit<Viewer, "permissions" | "only"> & {
  readonly permissions: readonly string[];
  readonly only?: readonly string[];
};

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
const LEVELS = ["debug", "info", "warn", "error"] as const;
const NO_CALLS = "Isolated plugins call no routes; they perform events by tx.perform, or answer routes of their own";
const NO_ANY = "Isolated plugins handle events by their names, and have no on.any";
const NO_CALLBACKS = "Isolated plugins have no callbacks of a transaction; use the moment notify, or a job";

/** The context, what `setup` registered on it, and the calls of the server to that. */
export class ChildContext {
  readonly #channel: ChildChannel;
  readonly #routes = new ChildRoutes();
  readonly #events: { readonly name: string; readonly handlers: Partial<Record<Moment, Run>> }[] = [];
  readonly #jobs: (Registrations["jobs"][number] & { readonly run: Run })[] = [];
  readonly #schedules: (Registrations["schedules"][number] & { readonly run: Run })[] = [];
  readonly #actions = new Map<number, Run>();
  readonly #callOf = new WeakMap<object, number>();
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
      schedules: this.#schedules.map(({ run: _, ...schedule }) => schedule),
    };
  }

  /** The context for `setup`. */
  contextOf(facts: Facts): Record<IsolatedMember, unknown> {
    const channel = this.#channel;
    const db = remoteStore(channel, {});
    return limitedTo("the context", {
      ...facts,
      app: this.#routes.app,
      db,
      visible: (table: string, viewer: Viewer) =>
        remoteStore(channel, { within: this.#within(viewer), visible: table }).selectFrom(table),
      perform: (name: string, viewer: Viewer, draft: unknown, action: Run) =>
        this.#perform(name, draft, action, this.#within(viewer)),
      on: Object.assign((name: string, handlers: Partial<Record<Moment, Run>>) => void this.#on(name, handlers), {
        any: () => {
          throw new Error(NO_ANY);
        },
      }),
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
      return await this.#run(sent, given);
    } finally {
      this.#transactions.delete(sent.call);
    }
  }

  async #run({ call, name }: SentCall, given: GivenCall): Promise<unknown> {
    const tx = given.tx && this.#transaction(call, given.tx);
    if (name === "route") {
      const [request, viewer] = given.args as [SentRequest, SentViewer];
      return this.#routes.run(given.index, request, this.#viewer(call, viewer));
    }
    if (name === "event") return this.#runEvent(call, given, tx);
    if (name === "job") return void (await this.#jobs[given.index]?.run(...given.args));
    if (name === "schedule") return void (await this.#schedules[given.index]?.run());
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
    if (moment === "beforeTransaction") return run?.(subject, this.#viewer(call, last as SentViewer));
    if (moment === "inTransaction") return run?.(subject, tx, last);
    return moment === "notify" ? run?.(subject, last) : run?.(subject, tx);
  }

  #on(name: string, handlers: Partial<Record<Moment, Run>>): void {
    const odd = Object.keys(handlers).find((moment) => !MOMENTS.includes(moment as Moment));
    if (odd !== undefined) throw new Error(`Cannot handle "${name}": there is no moment "${odd}"`);
    this.#events.push({ name, handlers });
  }

  async #perform(name: string, draft: unknown, action: Run, within: number): Promise<unknown> {
    this.#lastAction += 1;
    const id = this.#lastAction;
    this.#actions.set(id, action);
    try {
      return await this.#channel.call(
        "perform",
        { name, draft, action: id },
        {
          within,
          isNested: this.#transactions.has(within),
        },
      );
    } finally {
      this.#actions.delete(id);
    }
  }

  #transaction(call: number, { viewer, ...facts }: SentTransaction): object {
    const channel = this.#channel;
    const refuse = () => {
      throw new Error(NO_CALLBACKS);
    };
    const callAs = async () => {
      throw new Error(NO_CALLS);
    };
    let db: Store | undefined;
    return {
      ...facts,
      viewer: this.#viewer(call, viewer),
      get db() {
        db ??= remoteStore(channel, { within: call, inTransaction: true });
        return db;
      },
      enqueue: async (name: string, payload: unknown, options: object = {}) =>
        void (await channel.call("enqueue", { name, payload, options }, { within: call })),
      perform: (name: string, draft: unknown, action: Run) => this.#perform(name, draft, action, call),
      callAs,
      afterCommit: refuse,
      onRollback: refuse,
    };
  }

  #viewer(call: number, { permissions, only, ...sent }: SentViewer): Viewer {
    const viewer = { ...sent, permissions: new Set(permissions), ...(only && { only: new Set(only) }) };
    this.#callOf.set(viewer, call);
    return viewer;
  }

  /** The call that a viewer came with: viewers are used by it, never by what they say of themselves. */
  #within(viewer: Viewer): number {
    const call = this.#callOf.get(viewer);
    if (call === undefined)
      throw new Error("Isolated plugins act only as the viewer of a request or an event, while it runs");
    return call;
  }
}

async function remoteFetch(channel: Channel, url: string | URL, init: RequestInit): Promise<Response> {
  const { method, headers, body } = new Request(String(url), init);
  const sent = {
    url: String(url),
    method,
    headers: Object.fromEntries(headers as Iterable<[string, string]>),
    ...(body && { body: new Uint8Array(await new Response(body).arrayBuffer()) }),
  };
  const answer = (await channel.call("fetch", sent)) as {
    status: number;
    headers: [string, string][];
    body: Uint8Array;
  };
  const isEmpty = [101, 204, 205, 304].includes(answer.status);
  return new Response(isEmpty ? null : (answer.body as Uint8Array<ArrayBuffer>), {
    status: answer.status,
    headers: answer.headers,
  });
}

function remoteFiles(channel: Channel): object {
  return limitedTo("files", {
    async put(key: string, content: Uint8Array | string | Blob) {
      const bytes = new Uint8Array(await new Response(content as Blob).arrayBuffer());
      return channel.call("files_put", { key, bytes });
    },
    async get(key: string) {
      const found = (await channel.call("files_get", { key })) as { modified: string; bytes: Uint8Array } | null;
      if (!found) return undefined;
      const { bytes } = found;
      return limitedTo("a file", {
        size: bytes.length,
        modified: new Date(found.modified),
        bytes: async () => bytes,
      });
    },
    remove: async (key: string) => void (await channel.call("files_remove", { key })),
    async *list(prefix = "") {
      const found = (await channel.call("files_list", { prefix })) as { key: string; size: number; modified: string }[];
      for (const { modified, ...file } of found) yield { ...file, modified: new Date(modified) };
    },
  });
}

function remoteLog(channel: Channel): object {
  const write =
    (level: string) =>
    (message: string, fields: object = {}) =>
      void channel.call("log", { level, message, fields }).catch(() => {});
  return limitedTo("log", Object.fromEntries(LEVELS.map((level) => [level, write(level)])));
}
