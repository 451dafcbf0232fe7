/**
 * The plugin contract: data, which is read without running the plugin, and `setup`, which registers routes and handlers.
 * Types are checked within a plugin and erased by `definePlugin`: the cost of checking is linear in the number of plugins.
 */
import type { Static, TObject } from "@sinclair/typebox";
import type { CompiledQuery, Kysely, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Db, Migrations, TableName, Tables } from "../../db/mod.ts";
import type { Children } from "../children/pool.ts";
import type { Cached, CacheOptions } from "../events/cache.ts";
import type { AnswerSource, CachedAnswers } from "../events/cached_answers.ts";
import type { CallOptions } from "../events/call_options.ts";
import type { DerivedAnswers, DerivedSource, DerivedValue } from "../events/derived_answers.ts";
import type { AnyHandlers, EnqueueOptions, Handlers } from "../events/event_bus.ts";
import type { JobHandler } from "../events/job_queue.ts";
import type { JobOptions } from "../events/job_retry.ts";
import type { ScheduleOptions } from "../events/schedules.ts";
import type { FileStore } from "../files/file_store.ts";
import type { DeclaredFileStore } from "../files/provided.ts";
import type { OutgoingFetch } from "../http/outbound_fetch.ts";
import type { PluginApp, SiteApp } from "../http/plugin_app.ts";
import type { MakeLimiter } from "../http/rate_limit.ts";
import type { Authenticate, RouteScope } from "../http/route_scope.ts";
import type { CatalogueSource, Texts } from "../i18n/catalogue.ts";
import type { Log } from "../log.ts";
import type {
  ContractName,
  Contracts,
  EventName,
  JobName,
  Jobs,
  PermissionName,
  SlotName,
  Slots,
} from "../registry.ts";
import type { ResourceContext } from "../resources/resource.ts";
import type { WithSlowPool } from "../resources/slow_reads.ts";
import type { VisibilityReads, VisibilityRule } from "../resources/visibility.ts";
import { deepFreeze } from "../std/freeze.ts";
import type { Viewer } from "../viewer.ts";
import type { MembersFor, NeededPowers } from "./acting.ts";
import type { ColumnGrants } from "./column_grants.ts";
import type { Command } from "./command.ts";
import type { RuntimeInfo } from "./runtime_info.ts";
import type { ShippedParts } from "./shipped_parts.ts";
import type { SlotSpecs } from "./slot_specs.ts";

/** The grants of a plugin: resources and powers, none by default. What its `setup` registers is recorded and not declared (`recorded.ts`). */
export interface Grants<
  R extends TableName = TableName,
  W extends TableName = TableName,
  C extends ColumnGrants = ColumnGrants,
> {
  readonly read?: readonly R[];
  /** Tables that it reads and writes. */
  readonly write?: readonly W[];
  /** Columns that it may read of tables that it may not read as a whole, by table: `{ users: ["id", "email"] }`. */
  readonly columns?: C;
  /**
   * Tables of the kinds of content that other plugins contribute: `["read"]`, or `["write"]` to read and write them. Those of the slot
   * `searched_parts` may be read with them.
   */
  readonly contentTables?: readonly ("read" | "write")[];
  /**
   * Hosts it may call: names, `*.name` for sub-domains, `setting:NAME` for those of the URLs or names that the operator gives in a
   * setting of the plugin, or "any".
   */
  readonly net?: readonly string[] | "any";
  /** Environment variables that its commands read, beside those that its settings name. */
  readonly env?: readonly string[];
  /** Whether it stores files. */
  readonly files?: boolean;
  /** Acts as `SYSTEM`, which may do everything. */
  readonly system?: boolean;
  /**
   * Acts as users: true for others than that of the request, event or call at hand; a list names the routes that it calls by other methods
   * than GET as the user at hand, such as `["PUT /api/pages/:id"]`.
   */
  readonly impersonate?: boolean | readonly string[];
  /** Says who the user of a request is: `auth`, `authenticate` of a route scope, `begin` and `complete` of `sessions`. */
  readonly auth?: boolean;
  /** Migrations and `syncSchema` change more of the store's schema than the plugin's own tables, with all rights of its account. */
  readonly schema?: boolean;
}

/** An entry that the operator isolates: its module is loaded by a plugin, elsewhere than in the process of the server. */
export interface IsolatedEntry {
  /** The entry of "plugins", as the operator wrote it. */
  readonly entry: string;
  /** The file of its module. */
  readonly file: string;
  /** What the operator wrote for it in `isolated`, such as limits. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** What `extend` of a plugin gets. */
export interface Extending<S extends TObject = TObject> {
  /** The settings of the plugin. */
  readonly settings: Static<S>;
  /** The plugins that are listed; of isolated ones those that a plugin before this one has loaded. */
  readonly plugins: readonly AnyPlugin[];
  /**
   * Entries that the operator isolates and no plugin before this one has loaded. A plugin that is returned with `isolated`, the entry
   * and how it is confined, takes the place of the entry.
   */
  readonly isolated: readonly IsolatedEntry[];
}

/** A plugin as its author writes it. */
export interface PluginSpec<
  Q extends ContractName,
  R extends TableName,
  W extends TableName,
  S extends TObject,
  U extends ContractName = never,
  C extends ColumnGrants = NoColumns,
> extends ShippedParts {
  /** Unique; also the name of its migration ledger. */
  readonly name: string;
  /** Its semantic version; for a package that of its package.json by default. */
  readonly version?: string;
  /** The versions of Lectern that it works with, as a range such as "^1.2.0" or ">=0.2 <0.4". */
  readonly lectern?: string;
  /** Contracts it needs. Their providers boot first; without one the boot stops. */
  readonly requires?: readonly Q[];
  /** Contracts it uses where a plugin provides them; their providers boot first. `contracts` has undefined for the others. */
  readonly uses?: readonly U[];
  /** Names of plugins that boot after this one, where they are installed. */
  readonly before?: readonly string[];
  /** Names of plugins that boot before this one, where they are installed. */
  readonly after?: readonly string[];
  /** Contracts it provides in `setup`. */
  readonly provides?: readonly ContractName[];
  readonly grants?: Grants<R, W, C>;
  /** Tables of its grants that may be missing, since the plugin that creates them may be left out. */
  readonly optionalTables?: readonly (R | W | (keyof C & TableName))[];
  /** Every field has a default. Its `env` option names and grants a variable; fields that share one say `shared: true`. */
  readonly settings?: S;
  /** Slots that it reads and declares in `Slots`: the shape of contributions, and how others may call them. */
  readonly slots?: SlotSpecs;
  readonly migrations?: Migrations;
  /**
   * Brings the schema in line with what other plugins contribute, such as a trigger on the table of each kind of content: at
   * each boot, after all plugins are set up, in a transaction with the rights of its migrations. Best one query where nothing is
   * to do.
   */
  readonly syncSchema?: (db: Db, context: Pick<AnyContext, "slot">) => Promise<void>;
  /**
   * Its texts by language, keyed by the English text: `{ de: { Borrow: "Ausleihen" } }`, or a function that returns those of a language,
   * called when it is first used. Two plugins with different texts for one key stop the boot; themes replace texts by `texts.override`.
   */
  readonly texts?: Readonly<Record<string, CatalogueSource>>;
  /** Events it performs: its own, and those of other plugins, whose handlers then see what it passes. */
  readonly events?: readonly EventName[];
  /** Permissions it adds to those that roles may hold. */
  readonly permissions?: readonly PermissionName[];
  readonly commands?: Readonly<Record<string, Command>>;
  /** A file store that its settings alone describe, which is opened before the boot. */
  readonly fileStore?: DeclaredFileStore<Static<S>>;
  /** Loads further plugins, such as code of the operator; they boot after those that are listed. A BootError stops the start. */
  extend?(given: Extending<S>): readonly AnyPlugin[] | Promise<readonly AnyPlugin[]>;
  setup(context: PluginContext<Q, R | W, S, U, C>): void | Promise<void>;
}

type ErasedSpec = PluginSpec<ContractName, TableName, TableName, TObject, ContractName, ColumnGrants>;

/** Fields without a default. */
type OptionalField = "syncSchema" | "extend" | "fileStore" | keyof ShippedParts | "settings" | "version" | "lectern";

/** A plugin with its types erased and its defaults filled in. */
export interface AnyPlugin extends Required<Omit<ErasedSpec, OptionalField>>, Pick<ErasedSpec, OptionalField> {
  /** The plugin that added it by `extend`; one that a shipped plugin added is code of the operator's own files. */
  readonly addedBy?: string;
  /** The file of the operator's list that it was loaded from; absent for shipped plugins and those that these add. */
  readonly listFile?: string;
  /** The file that errors name beside the plugin. */
  readonly source?: string;
  /** The isolated entry that it stands for, and how that is confined, for `plan` and `grants`; absent in the server's own process. */
  readonly isolated?: { readonly entry: string; readonly how: string };
}

/** A context with its types erased. */
export type AnyContext = PluginContext<ContractName, TableName, TObject>;

/** No columns of further tables. */
type NoColumns = Readonly<Record<never, never>>;

/** Kysely over the granted tables, and over the granted columns of others. */
type GrantedStore<T extends TableName, C> = [keyof C] extends [never]
  ? Kysely<Pick<Tables, T>>
  : Kysely<
      Pick<Tables, T> & {
        [Name in Exclude<keyof C & TableName, T>]: Pick<Tables[Name], ColumnsIn<C[Name]> & keyof Tables[Name]>;
      }
    >;

type ColumnsIn<Names> = Names extends readonly (infer Name)[] ? Name : never;

/** The services of the runtime for one plugin. */
export interface PluginContext<
  Q extends ContractName = never,
  T extends TableName = never,
  S extends TObject = TObject,
  U extends ContractName = never,
  C extends ColumnGrants = NoColumns,
> extends ResourceContext {
  /** Elysia with the prefix /api. Handlers get `viewer` and `input`; each route names its `permit`. */
  readonly app: PluginApps;
  /** The store, over the granted tables and columns. */
  readonly db: GrantedStore<T, C>;
  readonly pools: Pools;
  readonly settings: Static<S>;
  /** The services of `requires` and of `uses`; one of `uses` is undefined where no plugin provides it. */
  readonly contracts: Pick<Contracts, Q> & { readonly [Name in U]: Contracts[Name] | undefined };
  readonly fetch: OutgoingFetch;
  readonly files: FileStore;
  readonly log: Log;
  /** The URL of the instance without a final slash. */
  readonly baseUrl: string;
  readonly texts: Texts;
  /** Default language of messages and screens now; `texts.language()` follows where administrators choose another. */
  readonly language: string;
  readonly on: HandleEvents;
  /** Adds a resolver of credentials; resolvers are tried in boot order. */
  auth(authenticate: Authenticate): void;
  /** Gives paths below a prefix their own credentials, limit and error shape; the prefix is below /api by default. */
  routeScope(prefix: string, spec: RouteScope): void;
  /** Calls a route as a viewer, without credentials and limits. `path` may hold a query. Errors are answers, never thrown. */
  callAs(viewer: Viewer, method: string, path: string, options?: CallOptions): Promise<Response>;
  /** Creates a limit of requests by key; servers on one store share it with RATE_LIMITS_SHARED. */
  readonly limiter: MakeLimiter;
  /** Adds a rule for the rows of a table; `reads` names the columns of other tables that its condition reads. */
  visibilityRule(table: TableName, rule: VisibilityRule, reads?: VisibilityReads): void;
  visible: Visible;
  /**
   * `needed` names functions of the service that may be called with a power alone, such as `{ begin: "auth" }`, or by shipped plugins
   * alone: `{ rewrite: "ships" }`. `membersFor` makes members that depend on the plugin that calls them.
   */
  provide<C extends ContractName>(
    name: C,
    service: Contracts[C],
    needed?: NeededPowers,
    membersFor?: MembersFor<Contracts[C]>,
  ): void;
  contribute<N extends SlotName>(name: N, contribution: Slots[N]): void;
  /** Contributions to a slot in boot order; complete after boot. */
  slot<N extends SlotName>(name: N): readonly Slots[N][];
  readonly jobs: PluginJobs;
  readonly cache: PluginCaches;
  /** Child processes for work that would block the event loop. */
  readonly children: Children;
  readonly runtime: RuntimeInfo;
  /** Runs when a server starts to work on jobs and to listen; commands never do. */
  onStart(run: () => void | Promise<void>): void;
  /** Runs when a server stops and a command ends, after the jobs, in reverse boot order. */
  onStop(run: () => void | Promise<void>): void;
}

/** Routes below /api, and those outside. */
export type PluginApps = PluginApp & {
  /** The same outside /api; the documentation of the API leaves such routes out. */
  readonly site: SiteApp;
};

/** Pools of connections beside that of `db`, for reads that must not delay others. */
export interface Pools {
  /** Runs slow reads (a search, an export) in a pool where users take turns; a statement is cancelled after `limitMs`. */
  readonly slow: WithSlowPool;
  /** The rows of a read for polling, over a pool of its own: the server cancels a statement after two seconds. */
  poll<Row>(query: RawBuilder<Row> | CompiledQuery<Row>): Promise<Row[]>;
}

/** Registers handlers of events. */
export interface HandleEvents {
  <E extends EventName>(name: E, handlers: Handlers<E>): void;
  /** Registers handlers of every event, which are called after those of the event. */
  any(handlers: AnyHandlers): void;
}

/** Work outside requests. */
export interface PluginJobs {
  /** Handles a job: a row that is written by `enqueue`, tried again after a failure, and may be run twice. */
  handle<J extends JobName>(name: J, run: JobHandler<Jobs[J]>, options?: JobOptions): void;
  /** Enqueues a job at once; `enqueue` of a transaction does so with its commit. */
  enqueue<J extends JobName>(name: J, payload: Jobs[J], options?: EnqueueOptions): Promise<void>;
  /**
   * Runs work every `intervalMs` milliseconds, in one process at a time and never while it still runs. The first time comes after one
   * interval, or with `isFirstAtOnce` when the server has started.
   */
  every(name: string, intervalMs: number, run: () => Promise<void>, options?: ScheduleOptions): void;
}

/** What is kept between requests. */
export interface PluginCaches {
  /** Creates a cache of values by key, dropped in every process at the commit that changes them. */
  values<V>(name: string, load: (key: string) => Promise<V>, options?: CacheOptions): Cached<V>;
  /** Caches answers about items as bytes, by viewer, until something that they are read from changes in any process. */
  answers<A extends object>(name: string, source: AnswerSource<A>): CachedAnswers<A>;
  /** Caches values that are made of cached answers, such as drawn screens, until one of these or what is declared changes. */
  derived<V extends DerivedValue>(name: string, source: DerivedSource): DerivedAnswers<V>;
}

/** Reads rows as a viewer. */
export interface Visible {
  /** A query over the rows of a table that the viewer sees. */
  <T extends TableName>(table: T, viewer: Viewer, db?: Db): SelectQueryBuilder<Tables, T, object>;
  /** The same as a condition for a `sql` template over that table. */
  where(table: TableName, viewer: Viewer): RawBuilder<boolean>;
}

/**
 * Declares a plugin. Has no side effects; boot does the checks. What it declares is frozen with all that is in it, since other
 * plugins are shown it.
 * @example
 * export default definePlugin({
 *   name: "notes",
 *   grants: { write: ["notes"] },
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
  const U extends ContractName = never,
  const C extends ColumnGrants = NoColumns,
>(spec: PluginSpec<Q, R, W, S, U, C>): AnyPlugin {
  const { extend, setup, ...data } = spec;
  return deepFreeze<AnyPlugin>({
    requires: [],
    uses: [],
    before: [],
    after: [],
    provides: [],
    grants: {},
    optionalTables: [],
    migrations: {},
    texts: {},
    events: [],
    permissions: [],
    slots: {},
    commands: {},
    ...data,
    // The one place where a plugin's types are erased.
    setup: setup as unknown as AnyPlugin["setup"],
    ...(extend && { extend: extend as AnyPlugin["extend"] & object }),
  });
}
