/**
 * Opens the store: a PostgreSQL server named by a URL, or the embedded server in the data folder. Both use the same Kysely
 * over the same pools (`store_pools.ts`). Sessions are in UTC with ISO dates (`values.ts`). Tables are created by migrations
 * (`migrate.ts`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import postgres from "postgres";
import { briefly, EMBEDDED_ACCOUNT, EMBEDDED_USER, ensureDatabase, takeOver } from "../embedded/account.ts";
import { type Embedded, joinEmbedded } from "../embedded/embedded.ts";
import { enforcedRole } from "../grants/enforcement.ts";
import { StoreError } from "../query/errors.ts";
import type { Db, Tables } from "../query/tables.ts";
import { openReplicas, type ReplicaPlace, replicaPlaces } from "../replicas/open_replicas.ts";
import { createReplicaTables } from "../replicas/schema.ts";
import { parseAddress } from "./address.ts";
import { showNotice } from "./changes.ts";
import { Connection } from "./connection.ts";

<<<<<<< HEAD

import type { StatementObserver } from "./connection_types.ts";
import type { AnswerDeadlineOptions } from "./deadlines.ts";
import { dialect, type RoleStore, storeAs } from "./dialect.ts";
import type { IdleLimit } from "./idle_transactions.ts";
import type { StoreLimits } from "./limits.ts";
import { LISTENER_TIMES, Listener, type ListenHandlers } from "./listener.ts";

=======

import { dialect, storeAs } from "./dialect.ts";
import type { HostState } from "./hosts.ts";
import { LISTENER_TIMES, Listener } from "./listener.ts";

>>>>>>> main

import { checkNotices, checkPooler } from "./pooler.ts";
import { type Probed, probe, SESSION } from "./probe.ts";
import { type DriverOptions, over, type Server, serverBy, serverOf } from "./server.ts";
import { StoreWatch } from "./store_events.ts";
import { type OpenOptions, StorePools } from "./store_pools.ts";
import type { Store, StoreOptions } from "./store_types.ts";
import { formerLeader, isUnsupported, serverState, Timelines } from "./timelines.ts";
import { wireTypes } from "./values.ts";

<<<<<<< HEAD
/** Options of a store. Times are in milliseconds; the default follows the colon. */
export interface StoreOptions {
  /**
   * `postgres://user:password@host:port/name`, or with several hosts `h1:5432,h2:5432`, of which one accepts writes; the embedded
   * server where absent or empty.
   */
  databaseUrl?: string | undefined;
  /** The folder of the embedded server's `postgres`; unused with a URL. */
  dataDir: string;
  /** Connections of the statement pool and the transaction pool together, half each: 6. */
  poolSize?: number;
  /** Database of the embedded server, created where missing: "lectern". */
  database?: string;
  /** Whether nothing is created: for commands that only look. The database has to be there: false. */
  looks?: boolean;

  /** Whether all connections are those of the embedded server's superuser, as tools need that change the server: false. */
  asSuperuser?: boolean;
  /** Notices of the server; ignored by default. */
  onNotice?: (text: string) => void;
  /** Called when the embedded server had died and was restarted. */
  onRestart?: () => void;
  /** Called when restarting it fails: once, though it is tried again until it succeeds. */
  onRestartFailure?: (error: unknown) => void;
  /** Limit of connecting: 10,000. */
  connectTimeoutMs?: number;
  /** Connections of the slow pool; one user holds half of them at most: 4. */
  slowPoolSize?: number;
  /** Limit of the wait for a connection of the transaction or the slow pool, until `limit` is called: 30,000. */
  transactionWaitMs?: number;
  /** Time for running queries when the store closes: 5,000. */
  closeTimeoutMs?: number;
  /** Limit of creation, start and recovery of the embedded server: 120,000. */
  startTimeoutMs?: number;
  /** Limit of the wait for a killed predecessor of the embedded server to release the folder: 10,000. */
  predecessorMs?: number;
  /** Whether statements are prepared; false behind a pooler in transaction mode that refuses it: true. */
  prepare?: boolean;
  /** The server for LISTEN where `databaseUrl` is that of a pooler in transaction mode, over which no notifications arrive. */
  listenUrl?: string | undefined;
  /** Called where that is missing: nothing is heard then. */
  onUnheard?: () => void;
  /** Replicas of the server of `databaseUrl` that serve reads of requests; none. */
  readUrls?: readonly string[];
  /** How far a replica that serves reads may be behind: 10,000. */
  readMaxLagMs?: number;
  /** Between two looks at the replicas: 1,000. */
  readCheckMs?: number;
}

/** An open store. */
export interface Store {
  db: Db;
  /** postgres.js over two further connections, for tools and tests; a query may hang where these break. */
  sql: postgres.Sql;
  /** The rows of a read in the deadline pool, where the server cancels a statement after two seconds. */
  queryWithDeadline<Row>(query: RawBuilder<Row> | CompiledQuery<Row>): Promise<Row[]>;
  /**
   * The same store as the role of a plugin (`syncRoles`): PostgreSQL checks its grants, whatever its statements say. `grants`
   * only words the errors. `idle` limits the transactions that the plugin begins itself.
   */
  restrictedTo(plugin: string, grants: Grants, idle?: IdleLimit): PluginStore;
  /** Sets the limits of further statements; there are none before, as for commands and migrations. */
  limit(limits: StoreLimits): void;
  /** Shows an observer each statement that the pools send, beside the observers before it; for traces. */
  observe(observer: StatementObserver): void;
  /** Shows an observer each change of a watched table (`watchTables`) over the connections of the pools. */
  observeChanges(observer: ChangeObserver): void;
  /** Shows an observer each wait for a connection of a pool. */
  observeWaits(observer: WaitObserver): void;
  /** Connections of the pools and callers that wait for one. */
  load(): StoreLoad;
  /** The replicas that serve reads; undefined without `readUrls`. */
  readonly replicas?: Replicas | undefined;
  kind: "embedded" | "server";
  /** The schema of its tables. */
  readonly schema: string;
  /** For the log; without a password. */
  description: string;
  /** Listens to a channel over the listener's connection, if it has one. Resolves to a function that stops it. */
  listen(channel: string, handlers: ListenHandlers): Promise<() => Promise<void>>;
  /** Sends a notification outside any transaction; at most 7,999 bytes. */
  notify(channel: string, payload: string): Promise<void>;
  /** Ends all connections, and the embedded server where no other process uses it. */
  close(): Promise<void>;
}

/** A store whose statements run as the role of a plugin. */
export interface PluginStore extends RoleStore {
  queryWithDeadline: Store["queryWithDeadline"];
}

=======
>>>>>>> main
const DEFAULTS = {
  poolSize: 6,
  slowPoolSize: 4,
  database: "lectern",
  looks: false,
  asSuperuser: false,
  connectTimeoutMs: 10_000,
  transactionWaitMs: 30_000,
  closeTimeoutMs: 5_000,
  startTimeoutMs: 120_000,
  predecessorMs: 10_000,
  prepare: true,
  readUrls: [] as readonly string[],
  readMaxLagMs: 10_000,
  readCheckMs: 1_000,
};
const RECONNECT_MS = 250;

/** Codes of a server that shuts down or was killed. */
const SHUTTING_DOWN = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "CONNECTION_CLOSED",
  "57P01",
  "57P02",
  "57P03",
]);

type Settings = StoreOptions & typeof DEFAULTS;

/**
 * Opens the store and checks that the server is usable. Throws StoreError, never with the password.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * await migrate(store.db, "notes", { "0001_init": async (db) => void (await sql`create table notes (id int)`.execute(db)) });
 * await store.close();
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const settings: Settings = { ...DEFAULTS, ...options };
  if (settings.readUrls.length > 0 && !settings.databaseUrl)
    throw new StoreError("Cannot use DATABASE_READ_URLS without DATABASE_URL: the embedded store has no replicas");
  return settings.databaseUrl ? await openServer(settings, settings.databaseUrl) : await openEmbedded(settings);
}

async function openServer(settings: Settings, databaseUrl: string): Promise<Store> {
  const { listenUrl = "", timelines = new Timelines(), onEvent: show = () => {} } = settings;
  const server = serverOf(parseAddress(databaseUrl), common(settings), { timelines, show });
  // Both have the same leader, whose changes are shown once.
  const heard = { timelines, show: () => {} };
  const listens = listenUrl
    ? serverOf(parseAddress(listenUrl, "DATABASE_LISTEN_URL"), common(settings), heard)
    : server;
  const replicas = replicaPlaces(settings.readUrls, common(settings));
  const { version, process, ...tools } = await probe(server);
  let store: Store | undefined;
  try {
    const states = server.states ?? (() => stateOf(tools.own, server, timelines));
    if (!server.states) refuseFormer(await states(), server);
    const isShared = await checkPooler(server, process, settings);
    const isHeard = listenUrl !== "" || !isShared;
    const isPooled = isShared || !settings.prepare;
    if (replicas.length > 0) await createReplicaTables(tools.own);
    if (!isHeard) settings.onUnheard?.();
    const description = `PostgreSQL ${version} at ${server.place}`;
    const identity: Identity = { kind: "server", description, states, leave: async () => {} };
    store = assemble(settings, { server, listens: isHeard ? listens : undefined, isPooled, replicas }, tools, identity);
    if (listens !== server) await checkNotices(store, listens.place);
    return store;
  } catch (error) {
    await (store?.close() ?? tools.end(0));
    throw error;
  }
}

/** What the server of a single address is; nothing where it cannot say, as some that are hosted. */
async function stateOf(own: postgres.Sql, server: Server, timelines: Timelines): Promise<HostState[]> {
  await timelines.refresh();
  const state = await serverState(own).catch((error: unknown) => {
    if (!isUnsupported(error)) throw error;
  });
  if (!state) return [];
  const { leader } = state;
  if (leader) timelines.saw(leader);
  const newest = leader && timelines.newerThan(leader);
  return [{ host: server.host(), found: leader ? "accepts writes" : "is a standby", leader, newest }];
}

/** Throws StoreError where the server of a single address is a former leader; of several hosts none is used. */
function refuseFormer(states: readonly HostState[], { place }: Server): void {
  for (const { leader, newest } of states)
    if (leader && newest !== undefined)
      throw new StoreError(`Cannot open the store at ${place}: it ${formerLeader(leader, newest)}`);
}

/** Retries where the embedded server is just shutting down: it may accept a connection and drop it. */
async function openEmbedded(settings: Settings): Promise<Store> {
  for (const until = performance.now() + settings.predecessorMs; ; ) {
    try {
      return await openJoined(settings, await joinEmbedded(settings));
    } catch (error) {
      const { code = "" } = ((error as Error).cause ?? error) as { code?: string };
      if (!SHUTTING_DOWN.has(code) || performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function openJoined(settings: Settings, embedded: Embedded): Promise<Store> {
  const { folder } = embedded;
  const place = `the embedded server in "${folder}"`;
  const on = (database: string, user: string) =>
    serverBy(place, (extra) =>
      postgres({
        ...common(settings),
        host: embedded.sockets,
        port: 5432,
        user,
        database,
        ssl: false,
        ...extra,
      }),
    );
  try {
    const { database, asSuperuser, looks } = settings;
    const isSuperuser = asSuperuser || looks;
    if (!looks) await briefly(on("postgres", EMBEDDED_USER), (admin) => ensureDatabase(admin, database));
    const server = on(database, isSuperuser ? EMBEDDED_USER : EMBEDDED_ACCOUNT);
    const { version, ...tools } = await probe(server);
    if (!isSuperuser) await takeOver(tools, on(database, EMBEDDED_USER));
    const description = `PostgreSQL ${version}, embedded, in "${folder}"`;
    embedded.watch(
      () => settings.onRestart?.(),
      (error) => settings.onRestartFailure?.(error),
    );
    const servers = { server, listens: server, isPooled: !settings.prepare };
    return assemble(settings, servers, tools, {
      kind: "embedded",
      description,
      states: async () => [],
      leave: embedded.leave,
    });
  } catch (error) {
    await embedded.leave();
    throw error;
  }
}

function common({ connectTimeoutMs, onNotice, prepare }: Settings): DriverOptions {
  return {
    connect_timeout: connectTimeoutMs / 1000,
    // By default postgres.js waits up to 20 s after some failures.
    backoff: () => RECONNECT_MS / 1000,
    types: wireTypes,
    transform: { undefined: null },
    prepare,
    // Nothing awaits that query: a connection that breaks during it would end the process.
    fetch_types: false,
    onnotice: (notice) => showNotice(notice, onNotice),
    connection: SESSION,
  };
}

/** Copies the array types that one postgres.js has fetched from the server to another. */
function typed(sql: postgres.Sql, from: postgres.Sql): postgres.Sql {
  Object.assign(sql.options.parsers, from.options.parsers);
  Object.assign(sql.options.serializers, from.options.serializers);
  return sql;
}

/** Where a store connects to. */
interface Servers {
  readonly server: Server;
  /** Undefined where notifications do not arrive. */
  readonly listens: Server | undefined;
  readonly isPooled: boolean;
  readonly replicas?: readonly ReplicaPlace[];
}

interface Identity {
  kind: Store["kind"];
  description: string;
  states: Store["hosts"];
  leave: Embedded["leave"];
}

function assemble(
  settings: Settings,
  { server, listens, isPooled, replicas = [] }: Servers,
  { own, end, schema }: Pick<Probed, "own" | "end" | "schema">,
  { kind, description, states, leave }: Identity,
): Store {
  const { closeTimeoutMs, prepare, onEvent: show = () => {} } = settings;
  const openOver = (server: Server, isPooled: boolean) => (more: OpenOptions) => {
    const onnotice = (notice: postgres.Notice) => connection.noticed(notice, pools.changeObserver, settings.onNotice);
    const connection: Connection = new Connection({
      ...more,
      prepare,
      isPooled,
      observer: () => pools.observer,
      open(onclose) {
        const socket = server.socket();
        const sql = typed(server.connect({ ...over(socket), max: 1, max_lifetime: null, onclose, onnotice }), own);
        return {
          sql,
          destroy: () => socket.destroy(),
          onReadOnly: () => socket.suspect(),
          isFormer: () => socket.isFormer,
        };
      },
    });
    return connection;
  };
  const open = openOver(server, isPooled);
  const onLost = () => watch.suspect();
  const pools = new StorePools({ ...settings, waitMs: settings.transactionWaitMs, open, onLost });
  const watch = new StoreWatch({ failure: () => pools.failure(), host: () => server.host(), show });
  if (replicas.length > 0)
    pools.replicas = openReplicas(replicas, settings, pools, (replica) => openOver(replica, false));
  const listener = listens && new Listener({ server: listens, ...LISTENER_TIMES });
  const db: Db = new Kysely<Tables>({ dialect: dialect(pools) });
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    watch.end();
    await Promise.all([
      ...[listener?.end(), end(closeTimeoutMs), pools.end(closeTimeoutMs)],
      pools.replicas?.end(closeTimeoutMs),
    ]);
    await db.destroy();
    await leave();
  }
  return {
    db,
    sql: own,
    queryWithDeadline: (query) => pools.queryWithDeadline(query),
    restrictedTo(plugin, grants, idle) {
      const role = enforcedRole(plugin, grants);
      return { ...storeAs(pools, role, idle), queryWithDeadline: (query) => pools.queryWithDeadlineAs(role, query) };
    },
    limit: (limits) => {
      pools.limits = limits;
    },
    observe: (observer) => pools.observe(observer),
    observeChanges(observer) {
      pools.changeObserver = observer;
    },
    observeWaits(observer) {
      pools.waitObserver = observer;
    },
    hosts: states,
    load: () => pools.load(),
    replicas: pools.replicas,
    kind,
    description,
    schema,
    listen: async (channel, handlers) => (await listener?.listen(channel, handlers)) ?? (async () => {}),
    notify: async (channel, payload) => {
      await pools.statements.send("select pg_notify($1, $2)", [channel, payload]);
    },
    close: () => (closing ??= closeAll()),
  };
}
