/**
 * Where uploaded bytes live: behind one interface, so that a folder and an object store are interchangeable. Names are
 * keys chosen by plugins ("images/gallery/2026-01/rack.png"); they are checked here, since a key that climbs out of the
 * folder must be impossible whatever a plugin was handed. Writing is atomic: a reader sees the whole file or none.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";

/** A store of files by key. */
export interface FileStore {
  /** Writes a whole file; what was under the key before is replaced at once. Returns the size in bytes. */
  put(key: string, content: Uint8Array | Blob | ReadableStream<Uint8Array>): Promise<number>;
  /** The file's content, lazily read, or undefined where there is none. */
  get(key: string): Promise<Blob | undefined>;
  /** Removes a file; a missing one is no error. */
  remove(key: string): Promise<void>;
}

const MAX_KEY_LENGTH = 500;

/** A store in a local folder, which is made when first needed. */
export function folderStore(folder: string): FileStore {
  const root = resolve(folder);
  const pathOf = (key: string) => {
    const path = resolve(root, checkedKey(key));
    if (!path.startsWith(root + sep)) throw new RangeError(`Cannot use the file key "${key}": it leaves the folder`);
    return path;
  };
  return {
    async put(key, content) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true });
      const partial = join(dirname(path), `.${crypto.randomUUID()}.part`);
      try {
        const size = await Bun.write(partial, new Response(content as Blob));
        await rename(partial, path);
        return size;
      } catch (cause) {
        await rm(partial, { force: true });
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
    },
    async get(key) {
      const file = Bun.file(pathOf(key));
      return (await file.exists()) ? file : undefined;
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/** A store whose keys all lie below a prefix: what a plugin gets. */
export function below(store: FileStore, prefix: string): FileStore {
  return {
    put: (key, content) => store.put(`${prefix}/${checkedKey(key)}`, content),
    get: (key) => store.get(`${prefix}/${checkedKey(key)}`),
    remove: (key) => store.remove(`${prefix}/${checkedKey(key)}`),
  };
}

function checkedKey(key: string): string {
  const parts = key.split("/");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  const bad =
    key.length > MAX_KEY_LENGTH ||
    /[\u0000-\u001f\\]/.test(key) ||
    parts.some((part) => part === "" || part.startsWith("."));
  if (bad) throw new RangeError(`Cannot use the file key "${key}": it needs plain names separated by "/"`);
  return key;
}
