/**
 * Where backups lie: a file of this machine, or an object of a file store that a plugin declares, such as "s3://bucket/path" with the
 * endpoint and the key of FILES_S3. A backup appears under its name as a whole: a file is written under another name, flushed and renamed; an
 * object appears with its last part.
 */
import { randomUUID } from "node:crypto";
import { constants, createReadStream, createWriteStream, type Stats } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Instance, OpenedPlace } from "lectern/cli";
import { BootError, DAY_MS, type FileStore } from "lectern/core";
import { isArchiveStart } from "./archive/reader.ts";
import type { ArchiveSink } from "./archive/writer.ts";

/** A backup by its name. */
export interface BackupPlace {
  /** For messages. */
  readonly name: string;
  /** The variables to look at where it fails; "" for a file. */
  readonly check: string;
  readonly write: ArchiveSink;
  /** The archive from its begin. Throws BootError if there is none. */
  read(): Promise<Readable>;
  /** In bytes; undefined if there is none. */
  size(): Promise<number | undefined>;
}

/** A folder of backups. */
export interface BackupFolder {
  place(name: string): BackupPlace;
  /** Names of the files in it, in order. */
  list(): Promise<string[]>;
  remove(name: string): Promise<void>;
}

const PARTIAL = ".partial-";
/** Unfinished files of BACKUP_DIR, each of which has a time of its own in its name. */
const UNFINISHED = /^lectern-(?:before-.+-)?\d{8}T\d{6}Z\.tar\.zst\.partial-[0-9a-f]{8}$/;
/** Names by the time. */
const TIMED = /^lectern-(?:before-.+-)?\d{8}T\d{6}Z\.tar\.zst$/;
/** Age after which an unfinished file is of a process that died. */
const STALE_MS = DAY_MS;
/** The name of the file store whose place is a folder. */
const FOLDER = "disk";
const ADDRESS = /^([a-z][a-z0-9_-]*):\/\/([^/]+)\/?(.*)$/;

/** Where the files of the instance are, and what opens other places. */
export type PlaceSources = Pick<Instance, "filesAt" | "openPlace">;

/** The backup of a name: a path, or "s3://bucket/path". Throws BootError for an object store that is not configured. */
export function backupPlace(name: string, sources: PlaceSources): BackupPlace {
  refuseAmongFiles(name, sources);
  const url = ADDRESS.exec(name);
  if (!url) return localPlace(resolve(name));
  const [, scheme = "", bucket = "", key = ""] = url;
  if (key === "" || key.endsWith("/")) throw new BootError(`Cannot use "${name}": wanted "${scheme}://bucket/name"`);
  return objectPlace(sources.openPlace(scheme, bucket), key, name);
}

/** A folder of backups: a path, or "s3://bucket/path". Throws BootError for an object store that is not configured. */
export function backupFolder(name: string, sources: PlaceSources): BackupFolder {
  refuseAmongFiles(name, sources);
  const url = ADDRESS.exec(name);
  if (!url) return localFolder(resolve(name));
  const [, scheme = "", bucket = "", path = ""] = url;
  const opened = sources.openPlace(scheme, bucket);
  const { files } = opened;
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  return {
    place: (one) => objectPlace(opened, prefix + one, `${scheme}://${bucket}/${prefix}${one}`),
    async list() {
      const found: string[] = [];
      for await (const { key } of files.list(prefix)) found.push(key.slice(prefix.length));
      return found.sort();
    },
    remove: (one) => files.remove(prefix + one),
  };
}

/** Backups among the stored files would be part of the next backup. */
function refuseAmongFiles(name: string, { filesAt }: PlaceSources): void {
  const [, scheme, bucket] = ADDRESS.exec(name) ?? [];
  const among =
    scheme === undefined
      ? filesAt.name === FOLDER && `${resolve(name)}/`.startsWith(`${resolve(filesAt.place)}/`)
      : scheme === filesAt.name && bucket === filesAt.place;
  if (!among) return;
  throw new BootError(
    `Cannot use "${name}" for backups: the files of the instance are there, so each backup would contain those before it`,
  );
}

function objectPlace({ files, check }: OpenedPlace, key: string, name: string): BackupPlace {
  return {
    name,
    check,
    async write(archive) {
      await endStale(files, key);
      await files.put(key, Readable.toWeb(archive) as ReadableStream<Uint8Array>);
    },
    async read() {
      const found = await files.get(key);
      if (!found) throw missing(name);
      return Readable.fromWeb(found.stream() as Parameters<typeof Readable.fromWeb>[0]);
    },
    size: async () => (await files.get(key))?.size,
  };
}

/** Ends uploads of backups that killed processes left: those of this name, and those beside it that are named by the time. */
async function endStale({ unfinished }: FileStore, key: string): Promise<void> {
  if (!unfinished) return;
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  for await (const upload of unfinished.list(folder)) {
    const isBackup = upload.key === key || TIMED.test(upload.key.slice(folder.length));
    if (isBackup && Date.now() - upload.started.getTime() > STALE_MS) await unfinished.end(upload);
  }
}

function localFolder(folder: string): BackupFolder {
  return {
    place: (name) => localPlace(join(folder, name)),
    async list() {
      const found = await readdir(folder).catch(() => []);
      return found.filter((name) => !name.includes(PARTIAL)).sort();
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

function localPlace(path: string): BackupPlace {
  const found = () => stat(path).catch(() => undefined);
  return {
    name: path,
    check: "",
    async write(archive) {
      await refuseOther(path, await found());
      const folder = dirname(path);
      const partial = `${path}${PARTIAL}${randomUUID().slice(0, 8)}`;
      try {
        await mkdir(folder, { recursive: true });
        await removeStale(path);
        await pipeline(archive, createWriteStream(partial, { flags: "wx", mode: 0o600 }));
        await flush(partial);
        await rename(partial, path);
        await flush(folder);
      } catch (error) {
        await rm(partial, { force: true }).catch(() => {});
        throw isOfTarget(error)
          ? new BootError(`Cannot write the backup "${path}": ${error.message}; nothing was changed`, { cause: error })
          : error;
      }
    },
    async read() {
      const file = await found();
      if (file?.isDirectory()) throw new BootError(`Cannot read the backup "${path}": it is a folder`);
      if (!file?.isFile()) throw missing(path);
      await access(path, constants.R_OK).catch((cause: Error) => {
        throw new BootError(`Cannot read the backup "${path}": ${cause.message}`, { cause });
      });
      return createReadStream(path);
    },
    size: async () => (await found())?.size,
  };
}

/**
 * Refuses to replace what is no backup: a rename over a device such as /dev/null would remove it for all programs, and a file
 * of other content is most likely a mistake.
 */
async function refuseOther(path: string, found: Stats | undefined): Promise<void> {
  if (!found) return;
  const refuse = (why: string) => new BootError(`Cannot write the backup "${path}": ${why}`);
  if (found.isDirectory()) throw refuse("it is a folder");
  if (!found.isFile()) throw refuse("it is a device, a pipe or a socket, and a backup is a file; give another name");
  if (found.size > 0 && !isArchiveStart(await firstBytes(path)))
    throw refuse("there is a file that is no backup; give another name, or remove it first");
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Whether an error is of the written file: a full disk, missing rights. Errors of what is read have no such system call. */
function isOfTarget(error: unknown): error is Error {
  const { syscall } = error as { syscall?: unknown };
  return error instanceof Error && typeof syscall === "string" && syscall !== "read" && !(error instanceof BootError);
}

/** Removes unfinished files that killed processes left: those of this name, and those named by the time. */
async function removeStale(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}${PARTIAL}`) && !UNFINISHED.test(name)) continue;
    const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(join(folder, name), { force: true });
  }
}

function missing(name: string): BootError {
  return new BootError(`Cannot read the backup "${name}": there is no such file`);
}

/** Flushes a file or folder to disk (fsync). */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
