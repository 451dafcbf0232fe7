/**
 * Opens the store: a PostgreSQL server named by a URL, or the embedded server in the data folder. Both use the same Kysely
 * over the same pools (`store_pools.ts`). Sessions are in UTC with ISO dates (`values.ts`). Tables are created by migrations
 * (`migrate.ts`).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import postgres from "postgres";
import { parseAddress } from "./connection/address.ts";
import { showNotice } from "./connection/changes.ts";
import { Connection } from "./connection/connection.ts";
import { isConnectionError, lost } from "./connection/connection_errors.ts";
import { dialect, storeAs } from "./connection/dialect.ts";
import type { HostState } from "./connection/hosts.ts";
import { LISTENER_TIMES, Listener } from "./connection/listener.ts";
import { checkNotices, checkPooler } from "./connection/pooler.ts";
import { type Probed, probe, SESSION, unopened } from "./connection/probe.ts";
import { type DriverOptions, over, type Server, serverBy, serverOf } from "./connection/server.ts";
import { StoreWatch } from "./connection/store_events.ts";
import { type OpenOptions, StorePools } from "./connection/store_pools.ts";
import type { Store, StoreOptions } from "./connection/store_types.ts";
import { MINUTE_MS } from "./connection/time.ts";
import { formerLeader, isUnsupported, serverState, Timelines } from "./connection/timelines.ts";
import { wireTypes } from "./connection/values.ts";
import { briefly, EMBEDDED_ACCOUNT, EMBEDDED_USER, ensureDatabase, takeOver } from "./embedded/account.ts";
import { type Embedded, joinEmbedded } from "./embedded/embedded.ts";
import { giveUpReserve } from "./embedded/reserve.ts";
import { enforcedRole } from "./grants/enforcement.ts";
import { DISK_FULL, StoreError } from "./query/errors.ts";
import type { Db, Tables } from "./query/tables.ts";
import { codeOf } from "./query/unknown_values.ts";
import { openReplicas, type ReplicaPlace, replicaPlaces } from "./replicas/open_replicas.ts";
import { createReplicaTables } from "./replicas/schema.ts";

const DEFAULTS = {
  poolSize: 6,
  slowPoolSize: 4,
  database: "lectern",
  looks: false,
  asSuperuser: false,
  connectTimeoutMs: 10_000,
  transactionWaitMs: 30_000,
  closeTimeoutMs: 5_000,
  startTimeoutMs: 2 * MINUTE_MS,
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

/**
 * Retries where the embedded server is just shutting down, or was killed: it may accept a connection and drop it. One that runs on a
 * full disk refuses new connections once it has to write what they read first, so that it gets what is kept for starts. Throws
 * ConnectionLost where a lost connection goes on; the time counts from the first failure, as initdb and a recovery take longer than a
 * predecessor.
 */
async function openEmbedded(settings: Settings): Promise<Store> {
  const onReserveUsed = (folder: string) => settings.onEvent?.({ kind: "reserve_used", folder });
  let until = Number.POSITIVE_INFINITY;
  for (;;) {
    let embedded: Embedded | undefined;
    try {
      embedded = await joinEmbedded({ ...settings, onReserveUsed });
      return await openJoined(settings, embedded);
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      if (codeOf(cause) === DISK_FULL && embedded) {
        if (!giveUpReserve(embedded)) throw error instanceof StoreError ? error : unopened(placeOf(embedded), error);
        onReserveUsed(embedded.folder);
        continue;
      }
      if (!SHUTTING_DOWN.has(codeOf(cause))) throw error;
      if (performance.now() > until) throw isConnectionError(cause) ? lost(cause) : error;
      until = Math.min(until, performance.now() + settings.predecessorMs);
      await sleep(100);
    }
  }
}

function placeOf({ folder }: Pick<Embedded, "folder">): string {
  return `the embedded server in "${folder}"`;
}

async function openJoined(settings: Settings, embedded: Embedded): Promise<Store> {
  const { folder } = embedded;
  const place = placeOf(embedded);
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
  const listener = listens && new Listener({ server: listens, ...LISTENER_TIMES });
  const watch = new StoreWatch({
    failure: () => pools.failure(),
    host: () => server.host(),
    show(event) {
      // Also where it waits for a server that hangs: nothing is cached from here on.
      if (event.kind === "lost") listener?.drop();
      show(event);
    },
  });
  const listen: Store["listen"] = async (channel, handlers) =>
    (await listener?.listen(channel, handlers)) ?? (async () => {});
  // Where notifications do not arrive, cached values are used without them: what a replica answered could be kept.
  const isAway = () => watch.isLost && listener?.isLost === true;
  if (replicas.length > 0)
    pools.replicas = openReplicas(replicas, { ...settings, isAway, listen }, pools, (one) => openOver(one, false));
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
    limitedTo: (idle) => new Kysely<Tables>({ dialect: dialect(pools, undefined, idle) }),
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
    listen,
    notify: async (channel, payload) => {
      listener?.sent(channel);
      await pools.statements.send("select pg_notify($1, $2)", [channel, payload]);
    },
    close: () => (closing ??= closeAll()),
  };
}
