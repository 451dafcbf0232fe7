/**
 * A streaming replica of a throw-away cluster, made by pg_basebackup, for tests of reads from replicas. It is a server of its own
 * on this machine, so that it can be paused, frozen, killed and promoted while the cluster runs.
 */
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { account, ended, ready, systemBinaries } from "./cluster.ts";
import { freePort } from "./ports.ts";
import { until } from "./until.ts";

/** What it replays cancels the statements in its way at once. */
const SETTINGS = ["-c", "max_standby_streaming_delay=0"];

/** SQLSTATE of a statement that was cancelled for that. */
const CONFLICT = "40001";

/** A running replica; `stop` also removes it. */
export interface ReplicaServer {
  /** The same database on the replica. */
  urlOf(primaryUrl: string): string;
  /** Sends it a statement; one that its replay cancels is sent again. */
  run(text: string): Promise<postgres.Row[]>;
  /** Stops to replay what it receives, and goes on. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Freezes all its processes, and lets them run again. */
  freeze(): void;
  thaw(): void;
  /** Ends it as a crash would; `restart` starts it again at the same address. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Ends the replication: it accepts writes from then on. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Whether the system's PostgreSQL can make a replica. */
export function canReplicate(): boolean {
  const bin = systemBinaries();
  return bin !== undefined && existsSync(join(bin, "pg_basebackup"));
}

/** Makes and starts a replica of the server of a URL, which listens on the loopback address. Throws where it does not start. */
export async function startReplica(primaryUrl: string): Promise<ReplicaServer> {
  const bin = systemBinaries() ?? "";
  const { hostname, port: primaryPort } = new URL(primaryUrl);
  const folder = mkdtempSync(join(tmpdir(), "lectern-replica-"));
  const identity = account();
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? identity.uid);
  const data = join(folder, "data");
  const port = await freePort();
  const made = spawnSync(
    join(bin, "pg_basebackup"),
    ["-h", hostname, "-p", primaryPort, "-U", "postgres", "-D", data, "-X", "stream", "-c", "fast", "-R", "-N"],
    { ...identity, cwd: folder, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`Cannot make a replica: pg_basebackup said "${made.stderr.trim()}"`);
  const start = async () => {
    const options = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", "", "-F", ...SETTINGS];
    const started = spawn(join(bin, "postgres"), options, { ...identity, cwd: folder, stdio: "ignore" });
    await ready(started, join(data, "postmaster.pid"));
    return started;
  };
  let server = await start();
  const urlOf = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  const run = async (text: string): Promise<postgres.Row[]> => {
    const sql = postgres(urlOf(primaryUrl), { max: 1, onnotice: () => {} });
    try {
      return await sql.unsafe(text);
    } catch (error) {
      if ((error as { code?: unknown }).code !== CONFLICT) throw error;
    } finally {
      await sql.end();
    }
    return run(text);
  };
  /** Sends a signal to the server and its processes, which have sessions of their own. */
  const signal = (name: NodeJS.Signals) => {
    const { stdout } = spawnSync("ps", ["-o", "pid=", "--ppid", String(server.pid)], { encoding: "utf8" });
    for (const pid of [String(server.pid), ...stdout.split(/\s+/).filter((text) => text !== "")]) {
      try {
        process.kill(Number(pid), name);
      } catch {
        // It has ended meanwhile.
      }
    }
  };
  return {
    urlOf,
    run,
    async pause() {
      await run("select pg_wal_replay_pause()");
      await until(async () => (await run("select pg_get_wal_replay_pause_state() as state"))[0]?.state === "paused");
    },
    async resume() {
      await run("select pg_wal_replay_resume()");
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    kill: () => ended(server, "SIGQUIT"),
    async restart() {
      server = await start();
    },
    async promote() {
      await run("select pg_promote()");
    },
    async stop() {
      signal("SIGCONT");
      await ended(server, "SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
