/**
 * pgbouncer in transaction mode before a PostgreSQL server, from the system's own package (Debian's `pgbouncer`), on a free port of
 * the loopback address. Its users and databases are those of the server. As root it runs as another account, which it insists on.
 */
import { spawn } from "node:child_process";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { account } from "./cluster.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env.PATH}:/usr/sbin` });

/** Whether the package is installed. */
export const hasPgbouncer: boolean = PROGRAM !== null;

/** A running pgbouncer. */
export interface Pgbouncer {
  /** The URL of a database, over pgbouncer. */
  over(url: string): string;
  stop(): Promise<void>;
}

/** Starts pgbouncer with this many sessions for each database. Throws where it does not start. */
export async function startPgbouncer(serverUrl: string, { sessions = 6 } = {}): Promise<Pgbouncer> {
  if (!PROGRAM) throw new Error("Cannot start pgbouncer: it is not installed");
  const folder = mkdtempSync(join(tmpdir(), "lectern-pgbouncer-"));
  const { uid, gid } = account();
  if (uid !== undefined) chownSync(folder, uid, gid ?? uid);
  const { hostname, port: serverPort, username } = new URL(serverUrl);
  const port = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 300
`,
  );
  const child = spawn(PROGRAM, [file], { cwd: folder, stdio: "ignore", ...(uid !== undefined && { uid, gid }) });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await until(() => accepts(port));
  return {
    over(url) {
      const through = new URL(url);
      through.port = String(port);
      return through.href;
    },
    async stop() {
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
