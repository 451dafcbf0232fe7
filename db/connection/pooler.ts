/**
 * What a pooler between this and the server supports, found out at the start. In transaction mode, as of pgbouncer, each
 * transaction may run in another session: prepared statements are refused before pgbouncer 1.21, though only once another
 * client uses the session, and notifications do not arrive.
 */
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { StoreError } from "../query/errors.ts";
import { codeOf } from "../query/unknown_values.ts";
import type { ListenHandlers } from "./listener.ts";
import { over, type Server } from "./server.ts";
import { inTime } from "./time.ts";

/** SQLSTATEs of a prepared statement that is not there, or was already, in the session of another client. */
const REFUSED: ReadonlySet<unknown> = new Set(["26000", "42P05", "08P01", "42P14"]);
const TRIES = 3;
const ANSWER_MS = 2_000;
const NOTICE_MS = 5_000;
const PID = "select pg_backend_pid() as pid";

/** The settings that a pooler depends on. */
export interface PoolerOptions {
  readonly prepare: boolean;
}

/**
 * Whether transactions of a connection run in several sessions, so that no notifications arrive. Throws StoreError with the setting
 * that is missing where prepared statements are refused. A server without a pooler is not asked: it calls itself as `found` says,
 * the process of the session that postgres.js knows.
 */
export async function checkPooler(
  server: Server,
  found: { readonly announced: number; readonly pid: number },
  { prepare }: PoolerOptions,
): Promise<boolean> {
  if (found.announced === found.pid) return false;
  const { isShared, isRefused } = await tryPooler(server, prepare);
  if (isRefused)
    throw new StoreError(
      `Cannot open the store at ${server.place}: a pooler in transaction mode is there, which refuses prepared statements; set DATABASE_PREPARE=false, and DATABASE_LISTEN_URL to the address of the server itself`,
    );
  return isShared;
}

/** Occupies the session of a first client by a second one, and looks where the first one's next statement runs. */
async function tryPooler(server: Server, prepare: boolean): Promise<{ isShared: boolean; isRefused: boolean }> {
  const sockets = [server.socket(), server.socket()] as const;
  const [first, second] = sockets.map((socket) => server.connect({ ...over(socket), max: 1 })) as [
    postgres.Sql,
    postgres.Sql,
  ];
  // A statement with a parameter is prepared.
  const ask = async () => (await first.unsafe<{ pid: number }[]>(`${PID}, $1::text`, [""], { prepare }))[0]?.pid;
  // postgres.js prepares a statement again where it is missing; in a transaction it cannot.
  const askWithin = () => first.unsafe("begin").then(ask);
  try {
    for (let turn = 0; turn < TRIES; turn++) {
      const before = await ask();
      await second.unsafe(`begin; ${PID}`);
      // A pool of one session is busy now.
      const after = await inTime(ANSWER_MS, askWithin());
      if (after !== before) return { isShared: true, isRefused: false };
      await Promise.all([first, second].map((sql) => sql.unsafe("rollback")));
    }
    return { isShared: false, isRefused: false };
  } catch (error) {
    if (!REFUSED.has(codeOf(error))) throw error;
    return { isShared: true, isRefused: true };
  } finally {
    await Promise.all([first, second].map((sql) => sql.end({ timeout: 0 })));
    for (const socket of sockets) socket.destroy();
  }
}

/** What sends and receives notifications. */
interface Notices {
  listen(channel: string, handlers: ListenHandlers): Promise<() => Promise<void>>;
  notify(channel: string, payload: string): Promise<void>;
}

/** Checks that what is sent to the store arrives at `place`, the address of DATABASE_LISTEN_URL. Throws StoreError. */
export async function checkNotices(store: Notices, place: string): Promise<void> {
  const channel = `lectern_check_${randomUUID()}`;
  const arrived = Promise.withResolvers<boolean>();
  const stop = await store.listen(channel, { onNotify: () => arrived.resolve(true) }).catch((cause: Error) => {
    throw new StoreError(`Cannot listen at ${place}: ${cause.message}; check DATABASE_LISTEN_URL`, { cause });
  });
  await store.notify(channel, "");
  if (!(await inTime(NOTICE_MS, arrived.promise)))
    throw new StoreError(
      `Cannot listen at ${place}: no notification of DATABASE_URL arrives there; set DATABASE_LISTEN_URL to the same database, without a pooler in transaction mode`,
    );
  await stop();
}
