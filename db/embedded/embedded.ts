/**
 * The embedded server: PostgreSQL as a child process, on a unix socket in a private folder. All processes that open the data
 * folder share one server: the first one starts it, others adopt it, the last one stops it. Presence is a shared file lock,
 * which the kernel releases when a process dies. Each process restarts a server that died. A killed process leaves its server
 * running, and the next process adopts it; so the server is not tied to its parent (setpriv --pdeathsig), which would stop
 * it under all others. It runs in a session of its own, so that Ctrl-C does not reach it. fsync is on. It is stopped with
 * SIGINT (fast shutdown), never killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "../connection/time.ts";
import { StoreError } from "../query/errors.ts";
import { EMBEDDED_USER } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { lock, tryLock, type Unlock } from "./file_lock.ts";
import { bareEnv, causeLine, type Home, identity, lastLine, makeSocketFolder, prepareHome, spawnAs } from "./home.ts";
import { isAlive, isServed, liveSockets, PORT, readPid, serves } from "./pid.ts";
import { giveUpReserve, isDiskFull, keepReserve } from "./reserve.ts";

/** A running server that this process uses. */
export interface Embedded {
  /** The folder of the socket, the option `host` of postgres.js. */
  sockets: string;
  /** The folder of cluster, locks and log. */
  folder: string;
  /** Leaves the server, and stops it where no other process uses it. */
  leave(): Promise<void>;
  /** Restarts the server from now on if it dies, then calls `onRestart`; `onFailure` once where that fails, until it succeeds. */
  watch(onRestart: () => void, onFailure: (error: unknown) => void): void;
}

/** Limits in milliseconds: of initdb, start or recovery; of the wait for a predecessor to release the folder. */
export interface EmbeddedOptions {
  dataDir: string;
  startTimeoutMs: number;
  predecessorMs: number;
  /** Called when the server found no room on its disk for a start, and has got what was kept for that, in this folder. */
  onReserveUsed?: (folder: string) => void;
}

const POLL_MS = 10;
const WATCH_MS = 500;
/** Between two looks whether the room for a start is kept: it is missing at first, and after a start has used it. */
const RESERVE_MS = MINUTE_MS;
const STOP_MAX_MS = MINUTE_MS;
const SETTINGS = {
  listen_addresses: "",
  port: PORT,
  unix_socket_permissions: "0700",
  max_connections: 100,
  shared_buffers: "96MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  effective_cache_size: "512MB",
  max_wal_size: "512MB",
  checkpoint_timeout: "15min",
  random_page_cost: 1.1,
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  fsync: "on",
};

/** Starts of the server that were ended by kill -9 before the next one counts as hopeless, such as one that uses up the memory. */
const MAX_KILLED = 20;

/** Starts or adopts the server of `<dataDir>/postgres`. Throws StoreError. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const home = prepareHome(options.dataDir);
  const unlock = await lock(home.bootLock, "exclusive", options.startTimeoutMs);
  try {
    makeSocketFolder(home);
    await stopUnreachable(home);
    const present = await lock(home.presenceLock, "shared", options.predecessorMs);
    try {
      const sockets = (await liveSockets(home)) ?? (await start(home, options));
      return joined(home, options, { sockets, present });
    } catch (error) {
      present();
      throw error;
    }
  } finally {
    unlock();
  }
}

function joined(
  home: Home,
  options: EmbeddedOptions,
  { sockets, present }: { sockets: string; present: Unlock },
): Embedded {
  let watching: Timer | undefined;
  let keeping: Timer | undefined;
  let restarting: Promise<void> | undefined;
  return {
    sockets,
    folder: home.folder,
    watch(onRestart, onFailure) {
      let failing = false;
      watching = setInterval(() => {
        if (isServed(home)) return;
        // A failure is retried: its cause, such as a full disk, may pass.
        restarting ??= restart(home, options)
          .then((restarted) => {
            failing = false;
            if (restarted) onRestart();
          })
          .catch((error: unknown) => {
            if (!failing) onFailure(error);
            failing = true;
          })
          .finally(() => (restarting = undefined)) as Promise<void>;
      }, WATCH_MS);
      watching.unref();
      // Without room, or a right, there is none: the store works as well.
      keeping = setInterval(() => void keepReserve(home).catch(() => {}), RESERVE_MS).unref();
    },
    async leave() {
      clearInterval(watching);
      clearInterval(keeping);
      await restarting;
      await leave(home, present);
    },
  };
}

/** Starts a server that died. Returns false where another process has. */
async function restart(home: Home, options: EmbeddedOptions): Promise<boolean> {
  const unlock = await lock(home.bootLock, "exclusive", options.startTimeoutMs);
  try {
    if (isServed(home)) return false;
    await start(home, options);
    return true;
  } finally {
    unlock();
  }
}

/** Stops a server that no process uses and whose socket is gone: it would block the next one. */
async function stopUnreachable(home: Home): Promise<void> {
  const exclusive = tryLock(home.presenceLock, "exclusive");
  if (!exclusive) return;
  try {
    if (!(await liveSockets(home))) await stop(home);
  } finally {
    exclusive();
  }
}

async function leave(home: Home, present: Unlock): Promise<void> {
  const unlock = await lock(home.bootLock, "exclusive", STOP_MAX_MS);
  try {
    present();
    const exclusive = tryLock(home.presenceLock, "exclusive");
    if (!exclusive) return;
    await stop(home);
    exclusive();
  } finally {
    unlock();
  }
}

async function start(home: Home, options: EmbeddedOptions): Promise<string> {
  const native = findBinaries(home);
  if (!existsSync(join(home.cluster, "PG_VERSION"))) createCluster(home, native);
  let kills = 0;
  for (const until = performance.now() + options.predecessorMs; ; ) {
    const child = launch(home, native);
    if (await isReady(home, child, options.startTimeoutMs)) return home.sockets;
    const said = readFileSync(home.log, "utf8");
    const isFull = isDiskFull(home, said);
    if (isFull && giveUpReserve(home)) {
      options.onReserveUsed?.(home.folder);
      continue;
    }
    // Killed by something else, it is started again, however long each start took; its processes may hold what it had for a moment.
    if (child.signalCode === "SIGKILL") kills += 1;
    const isHeld =
      /lock file|shared memory block|another (?:server|postmaster)/.test(said) && performance.now() <= until;
    if (!isHeld && !(child.signalCode === "SIGKILL" && kills <= MAX_KILLED)) {
      const fatal = said
        .split("\n")
        .filter((line) => /FATAL|PANIC|ERROR|error while loading/.test(line))
        .at(-1);
      throw new StoreError(
        `Cannot start the embedded store in "${home.cluster}": ` +
          `${fatal ?? (isFull ? "No space left on device" : lastLine(said) || "the server printed nothing")}` +
          ` (see "${home.log}"); fix that, or set DATABASE_URL to a PostgreSQL 14 or later`,
      );
    }
    await sleep(200);
    const adopted = await liveSockets(home);
    if (adopted) return adopted;
  }
}

/** Creates the cluster in a temporary folder and renames it: a kill in between leaves no partial cluster. */
function createCluster(home: Home, native: string): void {
  const fresh = `${home.cluster}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const { status, stderr, error } = spawnAs(
    [
      join(native, "bin", "initdb"),
      "-D",
      fresh,
      "-U",
      EMBEDDED_USER,
      "-A",
      "trust",
      "-E",
      "UTF8",
      // PostgreSQL's own C.UTF-8 is the same on every system.
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      "--no-instructions",
    ],
    home.account,
    home.folder,
  );
  if (status !== 0) {
    throw new StoreError(
      `Cannot create the embedded store in "${home.cluster}": initdb printed "${causeLine(stderr) || error?.message}"; ` +
        "fix that, or set DATABASE_URL to a PostgreSQL 14 or later",
    );
  }
  renameSync(fresh, home.cluster);
}

function launch(home: Home, native: string): ChildProcess {
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: home.sockets }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const log = openSync(home.log, "w");
  try {
    const child = spawn(join(native, "bin", "postgres"), ["-D", home.cluster, ...settings], {
      ...identity(home.account),
      cwd: home.folder,
      env: bareEnv(),
      stdio: ["ignore", log, log],
      detached: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** True once the child is ready, false where it exits. Throws StoreError where neither happens in time. */
async function isReady(home: Home, child: ChildProcess, timeoutMs: number): Promise<boolean> {
  let gone = false;
  child.once("exit", () => {
    gone = true;
  });
  child.once("error", () => {
    gone = true;
  });
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    if (gone) return false;
    const found = readPid(home);
    if (found?.pid === child.pid && found?.status === "ready") return true;
    await sleep(POLL_MS);
  }
  child.kill("SIGINT");
  throw new StoreError(
    `Cannot start the embedded store in "${home.cluster}": not ready after ${timeoutMs} ms (see "${home.log}")`,
  );
}

async function stop(home: Home): Promise<void> {
  const found = readPid(home);
  if (!found || !isAlive(found.pid) || !serves(found.pid, home)) return;
  process.kill(found.pid, "SIGINT");
  for (const until = performance.now() + STOP_MAX_MS; performance.now() < until; ) {
    if (readPid(home)?.pid !== found.pid || !isAlive(found.pid)) return;
    await sleep(POLL_MS);
  }
}
