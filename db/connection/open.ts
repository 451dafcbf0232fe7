/**
 * Opens the store: a PostgreSQL server named by a URL, or, without one, the embedded server in the data folder. Either
 * way the same Kysely over the same driver, so nothing above knows which. Connections are split in two halves:
 * single statements share a pipelined pool, transactions take connections of their own, so that neither starves the other.
 * The session always speaks UTC and ISO dates (see values.ts). Nothing here creates tables: see migrate.ts.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, type RawBuilder } from "kysely";
import postgres from "postgres";
import { EMBEDDED_USER, type Embedded, joinEmbedded } from "../embedded/embedded.ts";
import { StoreError } from "../query/errors.ts";
import type { Db, Tables } from "../query/tables.ts";
import { Connection } from "./connection.ts";
import type { AnswerDeadlineOptions } from "./deadlines.ts";
import { dialect } from "./dialect.ts";
import type { StoreLimits } from "./limits.ts";
import { Listener, type ListenHandlers } from "./listener.ts";

import { type Connect, type Probed, probe, SESSION } from "./probe.ts";

import { ConnectionSocket } from "./socket.ts";
import { StorePools } from "./store_pools.ts";
import { wireTypes } from "./values.ts";

/** How to open a store; only `dataDir` has no default. Every time is in milliseconds. */
export interface StoreOptions {
  /** `postgres://user:password@host:port/name`; absent or empty means the embedded server. */
  databaseUrl?: string | undefined;
  /** The embedded server lives in `postgres` below this folder; unused with a URL. */
  dataDir: string;
  /** Connections in all, half of them for transactions: 6. */
  poolSize?: number;
  /** Name of the database in the embedded server, made when missing: "lectern". */
  database?: string;
  /** What Postgres says beside its answers; ignored by default. */
  onNotice?: (text: string) => void;
  /** The embedded server had ended, killed perhaps, and was started again. */
  onRevived?: () => void;
  /** For one connection to come about: 10,000. */
  connectTimeoutMs?: number;
  /** Connections for what may take long, apart from the others; one user may have half of them: 4. */
  slowPoolSize?: number;
  /** For a transaction, or what may take long, to get a connection, while no limits are in force: 30,000. */
  transactionWaitMs?: number;
  /** For queries under way when the store closes: 5,000. */
  closeTimeoutMs?: number;
  /** For the embedded server to be made, to start, to recover: 120,000. */
  startTimeoutMs?: number;
  /** For a killed predecessor of the embedded server to let go of the folder: 10,000. */
  predecessorMs?: number;
  /** False behind a pooler in transaction mode: true. */
  prepare?: boolean;
}

/** An open store. */
export interface Store {
  db: Db;
  /** postgres.js itself, over connections of its own, for tools and tests: what is asked of it while these break may hang. */
  sql: postgres.Sql;
  /** The rows of a template, over a pool of its own, where the server ends a statement after two seconds. */
  queryWithDeadline<Row>(fragment: RawBuilder<Row>): Promise<Row[]>;
  /** Sets how long statements may take from now on: a server that answers has limits, a command or a migration has none. */
  limit(limits: StoreLimits): void;
  kind: "embedded" | "server";
  /** For the operator's log; never holds a password. */
  description: string;
  /** Listens to a channel over a connection of its own; tells when that is lost and back. Resolves to a stop. */
  listen(channel: string, hearing: ListenHandlers): Promise<() => Promise<void>>;
  /** Notifies at once, outside any transaction. At most 7,999 bytes. */
  notify(channel: string, payload: string): Promise<void>;
  /** Ends every connection, and the embedded server if nobody else uses it. */
  close(): Promise<void>;
}

const DEFAULTS = {
  poolSize: 6,
  slowPoolSize: 4,
  database: "lectern",
  connectTimeoutMs: 10_000,
  transactionWaitMs: 30_000,
  closeTimeoutMs: 5_000,
  startTimeoutMs: 120_000,
  predecessorMs: 10_000,
  prepare: true,
};
const LISTEN_RETRY_MS = 500;
const RECONNECT_MS = 250;

/** What a server that is being shut down, or was killed, answers. */
const GOING = new Set([
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
 * Opens and probes the store. Throws StoreError saying what was tried, found and wanted, never the password.
 * @example
 * const store = await openStore({ dataDir: "./data" });
 * await migrate(store.db, "notes", { "0001_init": async (db) => void (await sql`create table notes (id int)`.execute(db)) });
 * await store.close();
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const settings: Settings = { ...DEFAULTS, ...options };
  return settings.databaseUrl ? await openServer(settings, settings.databaseUrl) : await openEmbedded(settings);
}

async function openServer(settings: Settings, databaseUrl: string): Promise<Store> {
  const place = safeUrl(databaseUrl);
  const connect: Connect = (extra) => postgres(databaseUrl, { ...common(settings), ...extra });
  const { version, ...tools } = await probe(connect, place);
  return assemble(settings, connect, tools, {
    kind: "server",
    description: `PostgreSQL ${version} at ${place}`,
    leave: async () => {},
  });
}

/** A server killed this very moment may still take a connection and drop it: then we come again. */
async function openEmbedded(settings: Settings): Promise<Store> {
  for (const until = performance.now() + settings.predecessorMs; ; ) {
    try {
      return await openJoined(settings, await joinEmbedded(settings));
    } catch (error) {
      const { code = "" } = ((error as Error).cause ?? error) as { code?: string };
      if (!GOING.has(code) || performance.now() > until) throw error;
      await sleep(100);
    }
  }
}

async function openJoined(settings: Settings, embedded: Embedded): Promise<Store> {
  const { folder } = embedded;
  const on =
    (database: string): Connect =>
    (extra) =>
      postgres({
        ...common(settings),
        host: embedded.sockets,
        port: 5432,
        user: EMBEDDED_USER,
        database,
        ssl: false,
        ...extra,
      });
  try {
    await ensureDatabase(on("postgres"), settings.database);
    const { version, ...tools } = await probe(on(settings.database), `the embedded server in "${folder}"`);
    const description = `PostgreSQL ${version}, embedded, in "${folder}"`;
    embedded.watch(() => settings.onRevived?.());
    return assemble(settings, on(settings.database), tools, { kind: "embedded", description, leave: embedded.leave });
  } catch (error) {
    await embedded.leave();
    throw error;
  }
}

function common({
  connectTimeoutMs,
  onNotice,
  prepare,
}: Settings): postgres.Options<Record<string, postgres.PostgresType>> {
  return {
    connect_timeout: connectTimeoutMs / 1000,
    // Postgres.js' own waits up to 20 s after some failures, and every query with it.
    backoff: () => RECONNECT_MS / 1000,
    types: wireTypes,
    transform: { undefined: null },
    prepare,
    // The answer is nobody's to wait for: a connection that breaks just then would take the process down.
    fetch_types: false,
    onnotice: (notice) => onNotice?.(`${notice.severity}: ${notice.message}`),
    connection: SESSION,
  };
}

async function ensureDatabase(connect: Connect, database: string): Promise<void> {
  const admin = connect({ max: 1 });
  try {
    const [found] = await admin`select 1 from pg_database where datname = ${database}`;
    if (!found) await admin`create database ${admin(database)}`;
  } catch (error) {
    // Two processes may get here at once; either one's database will do.
    if (!["42P04", "23505"].includes((error as { code?: string }).code ?? "")) throw error;
  } finally {
    // Limited, since the server may go away under this very connection.
    await admin.end({ timeout: 1 });
  }
}

/** The URL without password and parameters, in quotes. */
function safeUrl(databaseUrl: string): string {
  const wanted = `wanted "postgres://user:password@host:port/name"`;
  if (!URL.canParse(databaseUrl)) throw new StoreError(`Cannot read DATABASE_URL: found no URL, ${wanted}`);
  const { protocol, username, host, pathname } = new URL(databaseUrl);
  if (protocol === "postgres:" || protocol === "postgresql:")
    return `"${protocol}//${username && `${username}@`}${host}${pathname}"`;
  throw new StoreError(`Cannot read DATABASE_URL: found protocol "${protocol}", ${wanted}`);
}

/** Lets one postgres.js read and write the lists that another one has learnt of from the server. */
function typed(sql: postgres.Sql, from: postgres.Sql): postgres.Sql {
  Object.assign(sql.options.parsers, from.options.parsers);
  Object.assign(sql.options.serializers, from.options.serializers);
  return sql;
}

interface Identity {
  kind: Store["kind"];
  description: string;
  leave: Embedded["leave"];
}

function assemble(
  settings: Settings,
  connect: Connect,
  { own, end }: Omit<Probed, "version">,
  { kind, description, leave }: Identity,
): Store {
  const { closeTimeoutMs, prepare } = settings;
  const open = (more: AnswerDeadlineOptions) =>
    new Connection({
      ...more,
      prepare,
      open(onclose) {
        const socket = new ConnectionSocket();
        // postgres.js takes a function for `socket`, and its types do not tell of it.
        const options = { max: 1, max_lifetime: null, onclose, socket: socket.open } as Parameters<Connect>[0];
        return { sql: typed(connect(options), own), destroy: () => socket.destroy() };
      },
    });
  const pools = new StorePools({ ...settings, waitMs: settings.transactionWaitMs, open });
  const listener = new Listener({ connect, retryMs: LISTEN_RETRY_MS });
  const db: Db = new Kysely<Tables>({ dialect: dialect(pools) });
  let closing: Promise<void> | undefined;
  async function closeAll(): Promise<void> {
    await Promise.all([listener.end(), end(closeTimeoutMs), pools.end(closeTimeoutMs)]);
    await db.destroy();
    await leave();
  }
  return {
    db,
    sql: own,
    queryWithDeadline: (fragment) => pools.queryWithDeadline(fragment),
    limit: (limits) => {
      pools.limits = limits;
    },
    kind,
    description,
    listen: (channel, hearing) => listener.listen(channel, hearing),
    notify: async (channel, payload) => {
      await pools.statements.send("select pg_notify($1, $2)", [channel, payload]);
    },
    close: () => (closing ??= closeAll()),
  };
}
