/**
 * Stores of uploaded files: a local folder here, others are of plugins. Keys are chosen by plugins
 * ("gallery/2026-01/rack.png") and checked, so that none leaves the folder. Writes are atomic and durable: readers see a whole
 * file or none, and a file survives a crash once `put` has resolved. A plugin writes a file before its row, removes it again
 * in `onRollback`, and removes the file of a deleted row in `afterCommit`. Files that a crash leaves without a row are found
 * by `files sweep`.
 */
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { codeOf } from "../../db/mod.ts";
import { isUpload, type Upload } from "../input/uploads.ts";

/** Content to store. An upload on the same disk is linked and not copied. */
export type FileContent = Uint8Array | Blob | ReadableStream<Uint8Array> | Upload;

/** The bytes from `start`, counted from 0, up to but excluding `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file in a store. */
export interface StoredFile {
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** Its bytes, or a range of them. The reader owns the chunks. */
  stream(range?: ByteRange): ReadableStream<Uint8Array>;
  /** The same as the body of a response; for local files faster than a stream. */
  body(range?: ByteRange): Blob | ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  /**
   * An address at which anybody may read the file for a short time, for answers that redirect to it (`downloadResponse`). Absent
   * where the store has none, or downloads are not to be redirected.
   */
  readonly signedAddress?: (shown: SignedAnswer) => Promise<string>;
}

/** The headers with which a signed address answers. */
export interface SignedAnswer {
  /** The Content-Type. */
  readonly type: string;
  /** The Content-Disposition. */
  readonly disposition: string;
}

/** An upload to a store that was neither completed nor aborted. */
export interface UnfinishedUpload {
  readonly key: string;
  /** The id of the upload, as the store has it. */
  readonly id: string;
  readonly started: Date;
}

/** Uploads that crashes left in a store, which take space and which `list` does not show. */
export interface UnfinishedUploads {
  /** Those of keys that begin with a prefix, in any order; all without a prefix. */
  list(prefix?: string): AsyncIterable<UnfinishedUpload>;
  /** Ends an upload and removes what it has stored, if it is still unfinished. */
  end(upload: UnfinishedUpload): Promise<void>;
}

/** A file in a listing. */
export interface StoredEntry {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** A store of files by key. */
export interface FileStore {
  /** Writes a whole file, replacing an existing one atomically. Resolves with the size in bytes. */
  put(key: string, content: FileContent): Promise<number>;
  /** The file, whose content is read on demand; undefined if there is none. */
  get(key: string): Promise<StoredFile | undefined>;
  /** Removes a file, if it exists. */
  remove(key: string): Promise<void>;
  /** The files whose keys begin with a prefix, in any order; all files without a prefix. */
  list(prefix?: string): AsyncIterable<StoredEntry>;
  /** Absent in stores whose unfinished files `list` shows, or which have none. */
  readonly unfinished?: UnfinishedUploads | undefined;
}

const MAX_KEY_LENGTH = 500;
/** The folder of files that are being written; a crash leaves them there. */
const PARTIAL = ".partial";
/** Codes of file systems on which a file cannot be linked and must be copied. */
const UNLINKABLE = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** A store in a local folder, which is created with the first file. */
export function folderStore(folder: string): FileStore {
  const root = resolve(folder);
  const pathOf = (key: string) => {
    const path = resolve(root, isPartial(key) ? key : checkedKey(key));
    if (!path.startsWith(root + sep)) throw new RangeError(`Cannot use the file key "${key}": it leaves the folder`);
    return path;
  };
  return {
    async put(key, content) {
      const path = pathOf(key);
      const partial = join(root, PARTIAL, crypto.randomUUID());
      try {
        await mkdir(dirname(partial), { recursive: true });
        await mkdir(dirname(path), { recursive: true });
        await write(partial, content);
        const { size } = await stat(partial);
        await flush(partial);
        await rename(partial, path);
        await flush(dirname(path));
        return size;
      } catch (cause) {
        // Its own error would hide the cause.
        await rm(partial, { force: true }).catch(() => {});
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
    },
    async get(key) {
      const path = pathOf(key);
      const found = await stat(path).catch(() => undefined);
      return found?.isFile() ? localFile(path, found) : undefined;
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    async *list(prefix = "") {
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const path = join(entry.parentPath, entry.name);
        const key = path.slice(root.length + 1).replaceAll(sep, "/");
        const found = entry.isFile() && key.startsWith(prefix) ? await stat(path).catch(() => undefined) : undefined;
        if (found) yield { key, size: found.size, modified: found.mtime };
      }
    },
  };
}

/** A store whose keys are below a prefix: the store of one plugin. */
export function below(store: FileStore, prefix: string): FileStore {
  const inner = (key: string) => `${prefix}/${checkedKey(key)}`;
  return {
    put: (key, content) => store.put(inner(key), content),
    get: (key) => store.get(inner(key)),
    remove: (key) => store.remove(inner(key)),
    async *list(start = "") {
      for await (const { key, ...entry } of store.list(`${prefix}/${start}`))
        yield { ...entry, key: key.slice(prefix.length + 1) };
    },
  };
}

/** The store of a plugin without the grant of files: everything rejects. */
export function refusedFiles(plugin: string): FileStore {
  const refuse = () => Promise.reject(new Error(`The plugin "${plugin}" was not granted files`));
  return {
    put: refuse,
    get: refuse,
    remove: refuse,
    list: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
  };
}

/** Whether a key is of a file that was not written completely. */
export function isPartial(key: string): boolean {
  return key.startsWith(`${PARTIAL}/`) && /^[0-9a-f-]{36}$/.test(key.slice(PARTIAL.length + 1));
}

/**
 * The key, if it consists of plain names. Throws RangeError.
 * @example
 * const path = `/srv/files/${checkedKey("gallery/2026-01/rack.png")}`;
 */
export function checkedKey(key: string): string {
  const parts = key.split("/");
  const bad =
    key.length > MAX_KEY_LENGTH || hasControls(key) || parts.some((part) => part === "" || part.startsWith("."));
  if (bad) throw new RangeError(`Cannot use the file key "${key}": it needs plain names separated by "/"`);
  return key;
}

function hasControls(key: string): boolean {
  return [...key].some((character) => character < " " || character === "\\" || character === "\u007f");
}

function localFile(path: string, { size, mtime }: { size: number; mtime: Date }): StoredFile {
  const part = (range?: ByteRange) => (range ? Bun.file(path).slice(range.start, range.end) : Bun.file(path));
  return {
    size,
    modified: mtime,
    body: part,
    stream: (range) => part(range).stream() as ReadableStream<Uint8Array>,
    bytes: () => Bun.file(path).bytes(),
  };
}

async function write(path: string, content: FileContent): Promise<void> {
  if (isUpload(content) && content.spooled !== undefined) return linkOrCopy(content.spooled, path);
  if (content instanceof Uint8Array || content instanceof Blob) return void (await Bun.write(path, content as Blob));
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of isUpload(content) ? content.stream() : content) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** Links a file, so that the request can still read and remove its upload; copies it on another disk. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!UNLINKABLE.has(codeOf(error))) throw error;
    await copyFile(from, to);
  }
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
