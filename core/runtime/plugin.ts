/**
 * The plugin contract. A plugin is data plus one function: the data can be read without running anything (what it needs,
 * what it may touch, its migrations and settings), the function registers routes and handlers and returns. What a plugin
 * may use is on its context and nowhere else. The types are checked within a plugin and erased when it is mounted, so
 * that the cost of checking stays linear in their number.
 */
import type { Static, TObject } from "@sinclair/typebox";
import type { Kysely, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Db, Migrations, TableName, Tables } from "../../db/mod.ts";
import type { Children } from "../children/pool.ts";
import type { Command } from "../cli/command.ts";
import type { Cached } from "../events/cache.ts";
import type { Action, AnyHandlers, EnqueueOptions, Handlers } from "../events/event_bus.ts";
import type { JobOptions, JobRun } from "../events/job_queue.ts";
import type { FileStore } from "../files/file_store.ts";
import type { AreaSpec, Authenticate } from "../http/areas.ts";
import type { OutgoingFetch } from "../http/outbound_fetch.ts";
import type { PluginApp, SiteApp } from "../http/plugin_app.ts";
import type { MakeLimiter } from "../http/rate_limit.ts";
import type { Asking } from "../http/server.ts";
import type { WithSlowPool } from "../http/store_errors.ts";
import type { Texts } from "../i18n/catalogue.ts";
import type { InputObject } from "../input/body_parsing.ts";
import type { Log } from "../log.ts";
import type { Listing, ListSpec } from "../resources/listing.ts";
import type { VisibilityRule } from "../resources/visibility.ts";
import type { Input, Lookups, Rules } from "../validation/validate.ts";
import type { Viewer } from "../viewer.ts";
import type {
  ContractName,
  Contracts,
  Draft,
  EventName,
  JobName,
  Jobs,
  PermissionName,
  Result,
  SlotName,
  Slots,
} from "./registry.ts";
import type { RuntimeInfo } from "./runtime_info.ts";

/** What a plugin may touch; nothing is granted that is not asked for here. Writing a table implies reading it. */
export interface Grants {
  readonly read?: readonly TableName[];
  readonly write?: readonly TableName[];
  /** Hosts it may call: names, `*.name` for sub-domains, or any. */
  readonly net?: readonly string[] | "any";
  /** Environment variables it may read, beside those that its settings name. */
  readonly env?: readonly string[];
  /** Whether it keeps files. */
  readonly files?: boolean;
}

/** A plugin as its author writes it. */
export interface PluginSpec<Q extends ContractName, R extends TableName, W extends TableName, S extends TObject> {
  /** Unique in the runtime; also the name of its ledger of migrations. */
  readonly name: string;
  /** Contracts it uses; their providers boot first. */
  readonly requires?: readonly Q[];
  /** Contracts it fulfils in `setup`. */
  readonly provides?: readonly ContractName[];
  readonly permissions?: Grants & { readonly read?: readonly R[]; readonly write?: readonly W[] };
  /**
   * Its settings: every field has a default; a field's `env` option names a variable that sets it, which counts as a
   * grant of that variable. One that others read too says `shared: true`, as all of them must.
   */
  readonly settings?: S;
  /** Steps by name, "0001_init" onward. */
  readonly migrations?: Migrations;
  /** Events it performs. */
  readonly events?: readonly EventName[];
  /** Permission names it adds to what roles may hold. */
  readonly adds?: readonly PermissionName[];
  readonly commands?: Readonly<Record<string, Command>>;
  setup(context: PluginContext<Q, R | W, S>): void | Promise<void>;
}

/** A plugin with its types erased, as the runtime keeps it. */
export interface AnyPlugin {
  readonly name: string;
  /** The file it was loaded from, where its author wants to be told of errors by that. */
  readonly source?: string;
  readonly requires: readonly ContractName[];
  readonly provides: readonly ContractName[];
  readonly permissions: Grants;
  readonly settings?: TObject;
  readonly migrations: Migrations;
  readonly events: readonly EventName[];
  readonly adds: readonly PermissionName[];
  readonly commands: Readonly<Record<string, Command>>;
  setup(context: AnyContext): void | Promise<void>;
}

/** A context whose plugin is not known by type. */
export type AnyContext = PluginContext<ContractName, TableName, TObject>;

/** All a plugin gets to work with. */
export interface PluginContext<
  Q extends ContractName = never,
  T extends TableName = never,
  S extends TObject = TObject,
> {
  readonly name: string;
  /** Elysia with the prefix /api; handlers get `viewer` and `input`, each route names its `permit`. */
  readonly app: PluginApp;
  /** The same without a prefix, for addresses outside /api; such routes are in no document of the API. */
  readonly site: SiteApp;
  /** The store, over the tables the plugin was granted. */
  readonly db: Kysely<Pick<Tables, T>>;
  /**
   * The rows of a template, over a pool of its own, where the server ends a statement after two seconds: for what is asked
   * for ever and must never hold up the rest. Not for writing.
   */
  queryWithDeadline<Row>(fragment: RawBuilder<Row>): Promise<Row[]>;
  /**
   * Runs reads that can cost more than a few milliseconds (a search, a listing of one's own, an export): every single
   * statement in them goes over a pool of its own, where users take turns and the server ends what takes longer than
   * `limitMs`. The others wait behind nothing of it.
   */
  readonly withSlowPool: WithSlowPool;
  readonly settings: Static<S>;
  readonly contracts: Pick<Contracts, Q>;
  readonly fetch: OutgoingFetch;
  readonly files: FileStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** The address of the instance without a final slash, for links in answers. */
  readonly baseUrl: string;
  readonly texts: Texts;
  /** Language of messages and screens for those who wish no other. */
  readonly language: string;
  /** Name of the theme in force; "" where there is none. */
  readonly theme: string;
  perform<E extends EventName, A extends Result<E>>(
    name: E,
    viewer: Viewer,
    draft: Draft<E>,
    action: Action<E, A>,
  ): Promise<A>;
  on<E extends EventName>(name: E, handlers: Handlers<E>): void;
  onAny(handlers: AnyHandlers): void;
  /** Adds a way to recognise who asks; resolvers are tried in boot order. */
  auth(authenticate: Authenticate): void;
  /** Gives a stretch of paths, below /api unless it says otherwise, its own credentials, limit and error shape. */
  area(prefix: string, spec: AreaSpec): void;
  /**
   * Asks a route of the runtime on a viewer's behalf, as if they had sent the request: every rule, event and message holds.
   * `path` begins with a slash and may hold a query. Never throws for what the route refuses.
   */
  ask(viewer: Viewer, method: string, path: string, asking?: Asking): Promise<Response>;
  /** Makes a limit of requests by key; servers on one store share it where they are configured to. */
  readonly limiter: MakeLimiter;
  visibilityRule(table: TableName, rule: VisibilityRule): void;
  visible: Visible;
  /** Answers a listing request over what the viewer may see. */
  list<Row>(spec: ListSpec, viewer: Viewer, query: InputObject): Promise<Listing<Row>>;
  /** Judges a body by rules; throws ApiError 422 with every error by field, in the viewer's language. */
  validate<const R extends Rules>(rules: R, input: InputObject, viewer: Viewer, lookups?: Lookups): Promise<Input<R>>;
  provide<C extends ContractName>(name: C, service: Contracts[C]): void;
  contribute<N extends SlotName>(name: N, contribution: Slots[N]): void;
  /** Contributions to a slot in boot order; complete once the runtime has booted. */
  slot<N extends SlotName>(name: N): readonly Slots[N][];
  job<J extends JobName>(name: J, run: (payload: Jobs[J], job: JobRun) => Promise<void>, options?: JobOptions): void;
  enqueue<J extends JobName>(name: J, payload: Jobs[J], options?: EnqueueOptions): Promise<void>;
  /** Runs work at intervals, in one process at a time. */
  every(name: string, intervalMs: number, run: () => Promise<void>): void;
  /** Remembers values between requests; forgotten in every process at the commit that changes them. */
  cached<V>(name: string, load: (key: string) => Promise<V>): Cached<V>;
  /** Child processes for work that would block the event loop. */
  readonly children: Children;
  /** What the runtime knows of itself, for whoever looks after it. */
  readonly runtime: RuntimeInfo;
  /** Work for when the runtime starts to work on jobs and to listen; commands and checks never get there. */
  onStart(run: () => void | Promise<void>): void;
  onStop(run: () => void | Promise<void>): void;
}

/** The door to rows on somebody's behalf. */
export interface Visible {
  /** A query over the rows of a table that the viewer may see. */
  <T extends TableName>(table: T, viewer: Viewer, db?: Db): SelectQueryBuilder<Tables, T, object>;
  /** The same as a condition, for hand-written SQL over that table. */
  where(table: TableName, viewer: Viewer): RawBuilder<boolean>;
}

/**
 * Declares a plugin. Has no side effects; checks nothing that boot does not check.
 * @example
 * export default definePlugin({
 *   name: "notes",
 *   permissions: { write: ["notes"] },
 *   setup({ app, db }) {
 *     app.get("/notes", () => db.selectFrom("notes").select(["id", "name"]).execute(), { permit: "access-api" });
 *   },
 * });
 */
export function definePlugin<
  const Q extends ContractName = never,
  const R extends TableName = never,
  const W extends TableName = never,
  S extends TObject = TObject,
>(spec: PluginSpec<Q, R, W, S>): AnyPlugin {
  const { setup, ...data } = spec;
  return {
    requires: [],
    provides: [],
    permissions: {},
    migrations: {},
    events: [],
    adds: [],
    commands: {},
    ...data,
    // The one place where a plugin's own types are let go of.
    setup: setup as unknown as AnyPlugin["setup"],
  };
}
