/**
 * Where uploaded bytes live: behind one interface, so that a folder and an object store (`s3_store.ts`) are
 * interchangeable. Names are keys chosen by plugins ("images/gallery/2026-01/rack.png"); they are checked here, since a
 * key that climbs out of the folder must be impossible whatever a plugin was handed. Writing is atomic and lasting: a
 * reader sees the whole file or none, and once `put` has answered the file outlives a crash. So a plugin writes the file
 * first and the row that names it after, takes the file back with `EventTransaction.onRollback`, and removes an old one with `EventTransaction.afterCommit`;
 * what a crash leaves without a row is found by `files sweep`.
 */
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { isUpload, type Upload } from "../input/uploads.ts";

/** What can be stored; an upload is taken over without copying where it lies on the same disk. */
export type FileContent = Uint8Array | Blob | ReadableStream<Uint8Array> | Upload;

/** Bytes from `start` up to and without `end`, counted from 0. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file in a store. */
export interface StoredFile {
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
  /** Its bytes as they are read, or a stretch of them; each chunk belongs to the reader. */
  stream(range?: ByteRange): ReadableStream<Uint8Array>;
  /** The same as the body of a response, which for local files costs less than a stream. */
  body(range?: ByteRange): Blob | ReadableStream<Uint8Array>;
  bytes(): Promise<Uint8Array>;
}

/** A file as listings name it. */
export interface StoredEntry {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  readonly modified: Date;
}

/** A store of files by key. */
export interface FileStore {
  /** Writes a whole file; what was under the key before is replaced at once. Returns the size in bytes. */
  put(key: string, content: FileContent): Promise<number>;
  /** The file, its content lazily read, or undefined where there is none. */
  get(key: string): Promise<StoredFile | undefined>;
  /** Removes a file; a missing one is no error. */
  remove(key: string): Promise<void>;
  /** Files whose keys start with a prefix, in no order; without one all of them. */
  list(prefix?: string): AsyncIterable<StoredEntry>;
}

const MAX_KEY_LENGTH = 500;
/** Files that are being written lie here; one that stays is the leftover of a crash. */
const PARTIAL = ".partial";
/** Codes of a file system that cannot give a file a second name, so that it must be copied. */
const UNLINKABLE = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** A store in a local folder, which is made when first needed. */
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
        await rm(partial, { force: true });
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

/** A store whose keys all lie below a prefix: what a plugin gets. */
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

/** Whether a key names a file that was never finished. */
export function isPartial(key: string): boolean {
  return key.startsWith(`${PARTIAL}/`) && /^[0-9a-f-]{36}$/.test(key.slice(PARTIAL.length + 1));
}

/** The key itself if it is made of plain names. Throws RangeError. */
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
  if (isUpload(content) && content.spooled !== undefined) return takeOver(content.spooled, path);
  if (content instanceof Uint8Array || content instanceof Blob) return void (await Bun.write(path, content as Blob));
  const file = await open(path, "wx", 0o600);
  try {
    for await (const chunk of isUpload(content) ? content.stream() : content) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** A second name for the same bytes: the request may still read its upload, and clears the first name afterwards. */
async function takeOver(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!UNLINKABLE.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    await copyFile(from, to);
  }
}

/** Waits until the disk holds what was written: the row that names the file is as lasting. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
