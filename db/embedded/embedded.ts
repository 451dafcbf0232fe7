/**
 * The default store: a real PostgreSQL as a child process, reached through a unix socket in a closed folder.
 * Every process that opens the folder shares one server: whoever comes first starts it, the others adopt it, and the
 * last to leave stops it, which is known by a lock that each holds while it is there and the kernel frees when it dies.
 * Each looks after the server while it is there: one that dies, killed for want of memory perhaps, is started again.
 * A killed process therefore leaves a server that still serves, and the next one adopts it. Tying the server to its
 * parent (setpriv --pdeathsig) was left out on purpose: it would take the server away from everybody who adopted it.
 * The server runs in a session of its own, so that Ctrl-C reaches us and not it. fsync stays on; it is only ever
 * asked to stop with SIGINT (fast shutdown), never killed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../query/errors.ts";
import { lock, tryLock, type Unlock } from "./file_lock.ts";
import {
  bareEnv,
  findBinaries,
  type Home,
  identity,
  lastLine,
  makeSocketFolder,
  prepareHome,
  spawnAs,
} from "./home.ts";
import { isAlive, isServed, liveSockets, PORT, readPid, serves } from "./pid.ts";

/** The superuser initdb makes; only the socket's folder lets anybody in. */
export const EMBEDDED_USER = "lectern";

/** A running server that this process takes part in. */
export interface Embedded {
  /** Folder of the socket, as postgres.js takes it for `host`. */
  sockets: string;
  /** Folder it keeps everything in. */
  folder: string;
  /** Leaves, and stops the server when nobody else is there. */
  leave(): Promise<void>;
  /** Looks after the server from now on: one that dies is started again, and `onRevived` told. */
  watch(onRevived: () => void): void;
}

/** Milliseconds: for initdb, start or recovery; and for a predecessor to let go of the folder. */
export interface EmbeddedOptions {
  dataDir: string;
  startTimeoutMs: number;
  predecessorMs: number;
}

const POLL_MS = 10;
const WATCH_MS = 500;
const STOP_MAX_MS = 60_000;
const SETTINGS = {
  listen_addresses: "",
  port: PORT,
  unix_socket_permissions: "0700",
  max_connections: 60,
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

/** Starts or adopts the server of `<dataDir>/postgres`. Throws StoreError. */
export async function joinEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const home = prepareHome(options.dataDir);
  const unlock = await lock(home.bootLock, "alone", options.startTimeoutMs);
  try {
    makeSocketFolder(home);
    await clearAway(home);
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
  let reviving: Promise<void> | undefined;
  return {
    sockets,
    folder: home.folder,
    watch(onRevived) {
      watching = setInterval(() => {
        if (isServed(home)) return;
        // Failing is no reason to give up: what stood in the way, such as a full disk, may pass.
        reviving ??= revive(home, options)
          .then((revived) => revived && onRevived())
          .catch(() => {})
          .finally(() => (reviving = undefined)) as Promise<void>;
      }, WATCH_MS);
      watching.unref();
    },
    async leave() {
      clearInterval(watching);
      await reviving;
      await leave(home, present);
    },
  };
}

/** Starts a server that died, unless another process has; answers whether this one did. */
async function revive(home: Home, options: EmbeddedOptions): Promise<boolean> {
  const unlock = await lock(home.bootLock, "alone", options.startTimeoutMs);
  try {
    if (isServed(home)) return false;
    await start(home, options);
    return true;
  } finally {
    unlock();
  }
}

/** A server that nobody uses and nobody can reach, its socket being gone, stands in the way of the next one. */
async function clearAway(home: Home): Promise<void> {
  const alone = tryLock(home.presenceLock, "alone");
  if (!alone) return;
  try {
    if (!(await liveSockets(home))) await stop(home);
  } finally {
    alone();
  }
}

async function leave(home: Home, present: Unlock): Promise<void> {
  const unlock = await lock(home.bootLock, "alone", STOP_MAX_MS);
  try {
    present();
    const alone = tryLock(home.presenceLock, "alone");
    if (!alone) return;
    await stop(home);
    alone();
  } finally {
    unlock();
  }
}

async function start(home: Home, options: EmbeddedOptions): Promise<string> {
  const native = findBinaries(home);
  if (!existsSync(join(home.cluster, "PG_VERSION"))) makeCluster(home, native);
  for (const until = performance.now() + options.predecessorMs; ; ) {
    const child = launch(home, native);
    if (await isReady(home, child, options.startTimeoutMs)) return home.sockets;
    const said = readFileSync(home.log, "utf8");
    const held = /lock file|shared memory block|another (?:server|postmaster)/.test(said);
    if (!held || performance.now() > until) {
      const fatal = said
        .split("\n")
        .filter((line) => /FATAL|PANIC|ERROR|error while loading/.test(line))
        .at(-1);
      throw new StoreError(
        `Cannot start the embedded store in "${home.cluster}": ` +
          `${fatal ?? (lastLine(said) || "the server said nothing")}` +
          ` (all of it in "${home.log}"); mend that, or set DATABASE_URL to a PostgreSQL 14 or later`,
      );
    }
    await sleep(200);
    const adopted = await liveSockets(home);
    if (adopted) return adopted;
  }
}

/** Into a folder beside, then renamed: a kill in between leaves no half cluster. */
function makeCluster(home: Home, native: string): void {
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
      // PostgreSQL's own C.UTF-8: the same on every system, whatever locales that has.
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
      `Cannot make the embedded store in "${home.cluster}": initdb said "${lastLine(stderr) || error?.message}"; ` +
        "mend that, or set DATABASE_URL to a PostgreSQL 14 or later",
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

/** True once the child serves, false when it went away. Throws StoreError when neither happens in time. */
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
