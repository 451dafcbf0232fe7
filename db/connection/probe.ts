/** The first connections of a store: they check that the server is usable, and stay for tools and tests. */
import type postgres from "postgres";
import { DISK_FULL, StoreError } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import { over, type Server } from "./server.ts";

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
  /** The schema of the store's tables. */
  readonly schema: string;
  /** The server process of a connection, as announced when it was made and as the server says. */
  readonly process: { readonly announced: number; readonly pid: number };
  /** Ends them after their queries, at most `timeoutMs` later. */
  end(timeoutMs: number): Promise<void>;
}

/** Connects for the first time. Throws StoreError where that fails or the server is not usable. */
export async function probe(server: Server): Promise<Probed> {
  const socket = server.socket();
  const own = server.connect({
    ...over(socket),
    max: OWN_CONNECTIONS,
    idle_timeout: OWN_IDLE_SECONDS,
    fetch_types: true,
    connection: { ...SESSION, application_name: "lectern tools" },
  });
  try {
    const answer = await own<
      { number: number; version: string; encoding: string; pid: number; schema: string | null }[]
    >`
      select pg_backend_pid() as pid, current_setting('server_version_num')::int as number, current_setting('server_version') as version,
        current_setting('server_encoding') as encoding, current_schema() as schema`;
    const [found] = answer;
    if (!found || found.number < OLDEST.version)
      throw new Error(`it is PostgreSQL ${found?.version}, wanted ${OLDEST.name} or later`);
    if (found.encoding !== "UTF8") throw new Error(`its encoding is "${found.encoding}", wanted "UTF8"`);
    const end = async (timeoutMs: number) => {
      await own.end({ timeout: timeoutMs / 1000 });
      // A stalled server would leave them open, and with them the process.
      socket.destroy();
    };
    const process = { announced: answer.state.pid, pid: found.pid };
    const { schema } = found;
    return { own, end, version: found.version.split(" ")[0] ?? found.version, schema: schema ?? "public", process };
  } catch (cause) {
    await own.end({ timeout: 0 });
    throw unopened(server.place, cause);
  }
}

/** The error of a first connection, with its reason and what to do. */
export function unopened(place: string, cause: unknown): StoreError {
  const advice = codeOf(cause) === DISK_FULL ? "free some room on its disk" : "check DATABASE_URL";
  return new StoreError(`Cannot open the store at ${place}: ${reason(cause)}; ${advice}`, { cause });
}

function reason(cause: unknown): string {
  const [code, message] = [codeOf(cause), messageOf(cause)];
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
