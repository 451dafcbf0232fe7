/**
 * Folder and account of the embedded server. PostgreSQL refuses to run as root, so under root the folder and the
 * process belong to an unprivileged account: the owner of the folder, else "postgres", else "nobody". A folder that this
 * account cannot access is replaced by one below /var/lib/lectern. Windows is not supported: its PostgreSQL has neither these sockets nor these signals.
 */
import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { StoreError } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";

/** The account of the server; undefined for the current user. */
export type Account = { uid: number; gid: number; name: string } | undefined;

/** The paths of an embedded server, all absolute. */
export interface Home {
  folder: string;
  cluster: string;
  sockets: string;
  /** Locked exclusively while the server is started or stopped. */
  bootLock: string;
  /** Locked shared by each process that uses the server. */
  presenceLock: string;
  log: string;
  account: Account;
}

/** The path of a socket, with the file name, has at most 104 bytes on macOS. */
const MAX_SOCKET_FOLDER_BYTES = 85;
/** The folder of stores whose data folder is not accessible to the server's account. */
export const ELSEWHERE = "/var/lib/lectern";
/** The file in a data folder that names the folder of its store. */
export const MOVED_TO = "moved_to";
/** The file in the folder of a store that names its data folder. */
export const BELONGS_TO = "belongs_to";
/** Error codes of a folder that cannot be used. */
const UNUSABLE = new Set(["EACCES", "EPERM", "ENOTDIR", "EEXIST", "ENOENT", "EROFS", "ENOSPC", "ENAMETOOLONG"]);
const ALTERNATIVE = "or set DATABASE_URL to a PostgreSQL 14 or later";

/**
 * Creates the folder `<dataDir>/postgres` with mode 0700 and the right owner. Under root, where the server's account cannot
 * access it (such as in root's home), the store is below /var/lib/lectern, and a file in the data folder names it. Throws
 * StoreError where neither is accessible.
 */
export function prepareHome(dataDir: string): Home {
  try {
    return homeIn(dataDir);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const code = codeOf(cause);
    if (!UNUSABLE.has(code)) throw cause;
    throw new StoreError(
      `Cannot use the data folder "${resolve(dataDir)}": ${messageOf(cause)}; set DATA_DIR to a folder this user may write to, ${ALTERNATIVE}`,
      { cause },
    );
  }
}

/** Whether a data folder has a cluster, in itself or in the folder that its file names; an unreadable one counts. Creates nothing. */
export function hasCluster(dataDir: string): boolean {
  const wished = join(resolve(dataDir), "postgres");
  const pointer = join(wished, MOVED_TO);
  const folders = [wished, ...(existsSync(pointer) ? [readFileSync(pointer, "utf8").trim()] : [])];
  return folders.some((folder) => {
    try {
      statSync(join(folder, "cluster", "PG_VERSION"));
      return true;
    } catch (error) {
      return codeOf(error) !== "ENOENT";
    }
  });
}

function homeIn(dataDir: string): Home {
  const wished = join(resolve(dataDir), "postgres");
  mkdirSync(dirname(wished), { recursive: true });
  mkdirSync(wished, { recursive: true, mode: 0o700 });
  const wanted = chooseAccount(wished);
  const folder = isAccessible(wished, wanted) ? wished : elsewhere(wished, wanted);
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

function isAccessible(folder: string, account: Account): boolean {
  own(folder, account);
  return canRun(["test", "-w", folder], account);
}

/** The folder that the wished one names, or a new one; without the wished folder the store is a new one. */
function elsewhere(wished: string, account: Account): string {
  const pointer = join(wished, MOVED_TO);
  if (!existsSync(pointer)) writeFileSync(pointer, join(ELSEWHERE, randomUUID()));
  const folder = readFileSync(pointer, "utf8").trim();
  mkdirSync(dirname(folder), { recursive: true, mode: 0o755 });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isAccessible(folder, account)) {
    writeFileSync(join(folder, BELONGS_TO), wished);
    return folder;
  }
  throw new StoreError(
    `Cannot keep the store in "${wished}" nor in "${folder}": account "${account?.name ?? "of this process"}" cannot reach them, wanted` +
      ` every folder above open to that account (PostgreSQL does not run as root); choose another data folder, ${ALTERNATIVE}`,
  );
}

/** Runs a program as the account and waits for its end, with a minimal environment. */
export function spawnAs(command: string[], account: Account, cwd = "/") {
  const [program = "", ...rest] = command;
  return spawnSync(program, rest, { ...identity(account), cwd, env: bareEnv(), encoding: "utf8" });
}

/** The options uid and gid of spawn. */
export function identity(account: Account): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

/** The environment of the server: without PGHOST, PGDATA and a locale. */
export function bareEnv(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}

/**
 * The line of a failed program that says why: the first one of an error, as initdb goes on with what it removes; else the last one
 * that is not blank.
 */
export function causeLine(text: string | null): string {
  const lines = (text ?? "").split("\n");
  return lines.find((line) => /\b(?:FATAL|PANIC|ERROR|error): /.test(line))?.trim() ?? lastLine(text);
}

/** The last line that is not blank. */
export function lastLine(text: string | null): string {
  return (text ?? "").trim().split("\n").at(-1) ?? "";
}

/** Gives a file or folder to the account, and closes it to all others. */
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
    `Cannot start the embedded store as root: found no account "postgres" or "nobody"; run as another user, ${ALTERNATIVE}`,
  );
}

function canRun(command: string[], account: Account): boolean {
  return spawnAs(command, account).status === 0;
}

/** A folder for the socket: short enough, and without characters that split PostgreSQL's list of folders. */
function socketFolder(folder: string): string {
  const near = join(folder, "socket");
  const far = join(
    Buffer.byteLength(tmpdir()) > 40 ? "/tmp" : tmpdir(),
    `lectern-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`,
  );
  return Buffer.byteLength(near) <= MAX_SOCKET_FOLDER_BYTES && /^[\w./@+-]+$/.test(near) ? near : far;
}

/** Creates the socket's folder, under the boot lock. Throws StoreError where it belongs to another account. */
export function makeSocketFolder({ sockets, account }: Home): void {
  if (!existsSync(sockets)) {
    mkdirSync(sockets, { mode: 0o700 });
    own(sockets, account);
  }
  const found = lstatSync(sockets);
  const owner = account?.uid ?? process.getuid?.();
  // Anyone can create a folder in /tmp: it has to be private and our own.
  if (found.isDirectory() && found.uid === owner && (found.mode & 0o077) === 0) return;
  throw new StoreError(
    `Cannot put the store's socket into "${sockets}": found it owned by ${found.uid} or open to others, ` +
      `wanted ${owner} and mode 0700`,
  );
}
