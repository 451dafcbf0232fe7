/**
 * A PostgreSQL server for one run of tests, from the system's own packages, on a free port of the loopback address and without
 * fsync, as its data is thrown away. Where none is installed the functions return undefined, and the caller says what it skips.
 * As root it runs as another account, which PostgreSQL insists on.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { FAST_SETTINGS } from "./fast_settings.ts";
import { freePort } from "./ports.ts";

/** By this variable a run of many files names a cluster for those that open stores of both kinds (`db/_stores.ts`). */
export const SERVER_VARIABLE = "TEST_SERVER_URL";
const DEBIAN = "/usr/lib/postgresql";
const START_MAX_MS = 30_000;

/** Options of a throw-away cluster. */
export interface ClusterOptions {
  /** Whether it has FAST_SETTINGS: for tests in which it neither dies nor is copied. False by default. */
  readonly fast?: boolean;
}

/** A running throw-away cluster; `stop` also removes it. */
export interface Cluster {
  url: string;
  /** The postmaster's, which changes with `restart`. */
  pid(): number;
  /** Ends the server as a crash would; `restart` starts it again at the same address. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** The newest `bin` folder of Debian's PostgreSQL packages, if one is installed. */
export function systemBinaries(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(DEBIAN, version, "bin")).find((bin) => existsSync(join(bin, "initdb")));
}

/**
 * Starts a cluster from the system's own PostgreSQL on a free port of the loopback address, without fsync; undefined
 * where there is no PostgreSQL. As root it runs as "postgres" or "nobody". Throws when it does not start.
 */
export async function startCluster({ fast = false }: ClusterOptions = {}): Promise<Cluster | undefined> {
  const bin = systemBinaries();
  if (!bin) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "lectern-cluster-"));
  const identity = account();
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? identity.uid);
  const port = await freePort();
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
    {
      ...identity,
      cwd: folder,
      encoding: "utf8",
    },
  );
  if (made.status !== 0) throw new Error(`Cannot make a throw-away cluster: initdb said "${made.stderr.trim()}"`);
  const place = ["-D", join(folder, "data"), "-h", "127.0.0.1", "-p", String(port), "-k", ""];
  const settings = Object.entries(fast ? FAST_SETTINGS : { fsync: "off" }).map(([name, value]) => `--${name}=${value}`);
  const start = async () => {
    const started = spawn(join(bin, "postgres"), [...place, ...settings], {
      ...identity,
      cwd: folder,
      stdio: "ignore",
    });
    await ready(started, join(folder, "data", "postmaster.pid"));
    return started;
  };
  let server = await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pid: () => server.pid as number,
    async kill() {
      await ended(server, "SIGQUIT");
    },
    async restart() {
      server = await start();
    },
    async stop() {
      await ended(server, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a database of a fresh name, as a copy of `template` if given; its URL. The template must be idle. */
export async function createDatabase(adminUrl: string, template?: string): Promise<string> {
  const name = `lectern_test_${randomBytes(6).toString("hex")}`;
  const sql = postgres(adminUrl, { max: 1 });
  try {
    await sql.unsafe(`create database "${name}"${template === undefined ? "" : ` template "${template}"`}`);
  } finally {
    await sql.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The account of servers that refuse to run as root; empty where this process is not root. */
export function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const lines = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const found = lines.find(([name]) => name === "postgres") ?? lines.find(([name]) => name === "nobody");
  return { uid: Number(found?.[2]), gid: Number(found?.[3]) };
}

/** Resolves when a server accepts connections, as its file of the pid says. Throws where it ended before. */
export async function ready(server: ChildProcess, pidFile: string): Promise<void> {
  for (const until = performance.now() + START_MAX_MS; performance.now() < until; ) {
    if (server.exitCode !== null)
      throw new Error(`Cannot start a throw-away cluster: postgres left with ${server.exitCode}`);
    if (existsSync(pidFile) && readFileSync(pidFile, "utf8").split("\n")[7]?.trim() === "ready") return;
    await sleep(20);
  }
  throw new Error(`Cannot start a throw-away cluster: not ready after ${START_MAX_MS} ms`);
}

/** Ends a server by a signal, and waits for its end. */
export async function ended(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null) return;
  const gone = new Promise((resolve) => server.once("exit", resolve));
  server.kill(signal);
  await gone;
}
