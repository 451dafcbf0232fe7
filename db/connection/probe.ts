/** The first connections of a store: they check that the server is usable, and stay for tools and tests. */
import type postgres from "postgres";
import { StoreError } from "../query/errors.ts";
import { ConnectionSocket } from "./socket.ts";

/** Opens postgres.js with further options. */
export type Connect = (extra: postgres.Options<Record<string, postgres.PostgresType>>) => postgres.Sql;

/** Settings of every session (see values.ts). */
export const SESSION = { application_name: "lectern", TimeZone: "UTC", DateStyle: "ISO, YMD" };
/** For tools and tests; the runtime does not use them. */
const OWN_CONNECTIONS = 2;
const OWN_IDLE_SECONDS = 10;
const OLDEST = { name: "14", version: 140_000 };

/** The connections for tools. */
export interface Probed {
  readonly own: postgres.Sql;
  readonly version: string;
  /** Ends them after their queries, at most `timeoutMs` later. */
  end(timeoutMs: number): Promise<void>;
}

/** Connects for the first time. Throws StoreError where that fails or the server is not usable. */
export async function probe(connect: Connect, place: string): Promise<Probed> {
  const socket = new ConnectionSocket();
  const own = connect({
    // `socket` as a function is missing in the types of postgres.js.
    ...({ socket: socket.open } as Parameters<Connect>[0]),
    max: OWN_CONNECTIONS,
    idle_timeout: OWN_IDLE_SECONDS,
    fetch_types: true,
    connection: { ...SESSION, application_name: "lectern tools" },
  });
  try {
    const [found] = await own<{ number: number; version: string; encoding: string }[]>`
      select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
        current_setting('server_encoding') as encoding`;
    if (!found || found.number < OLDEST.version)
      throw new Error(`it is PostgreSQL ${found?.version}, wanted ${OLDEST.name} or later`);
    if (found.encoding !== "UTF8") throw new Error(`its encoding is "${found.encoding}", wanted "UTF8"`);
    const end = async (timeoutMs: number) => {
      await own.end({ timeout: timeoutMs / 1000 });
      // A stalled server would leave them open, and with them the process.
      socket.destroy();
    };
    return { own, end, version: found.version.split(" ")[0] ?? found.version };
  } catch (cause) {
    await own.end({ timeout: 0 });
    throw new StoreError(`Cannot open the store at ${place}: ${reason(cause)}; check DATABASE_URL`, { cause });
  }
}

function reason(cause: unknown): string {
  const { code = "", message } = cause as { code?: string; message: string };
  const known: Record<string, string> = {
    ECONNREFUSED: "nothing listens there, wanted a running PostgreSQL",
    ENOENT: "there is no such socket, wanted a running PostgreSQL",
    ENOTFOUND: "the host's name is unknown, wanted one that resolves",
    CONNECT_TIMEOUT: "no answer came in time, wanted a reachable PostgreSQL",
    CONNECTION_CLOSED: "it closed the connection, wanted a PostgreSQL (or another sslmode)",
    "28P01": "user or password was refused, wanted one it knows",
    "28000": "the user may not sign in there, wanted one who may",
    "3D000": "the server has no such database, wanted one that exists",
  };
  return known[code] ?? message;
}
