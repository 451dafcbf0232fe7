/**
 * File stores of plugins (slot `file_store`). Which store is in use is decided when all plugins are set up: the one that was opened
 * before the boot, or the one that FILES_STORE names. Keys are checked before a contributed store sees them, and its failures read
 * like those of the data folder.
 */

import { chosenProvider } from "../chosen_provider.ts";
import { BootError } from "../errors.ts";
import { isUpload } from "../input/uploads.ts";
import { checkedKey, type FileContent, type FileStore } from "./file_store.ts";
import type { FileStoreProvider } from "./provided.ts";

/** The name of the store in the data folder, for FILES_STORE. */
export const DISK = "disk";

/** A file store that was opened before the boot, by the name that chooses it. */
export interface NamedStore {
  readonly name: string;
  readonly files: FileStore;
}

/** The file store of a runtime, whose provider may be a plugin. */
export interface ChosenStore {
  /** What plugins use: passes everything to the store in use. Before `settle` it throws unless that was opened before. */
  readonly files: FileStore;
  /** The store in use itself, also where plugins have another one. Throws before `settle` as `files` does. */
  inUse(): FileStore;
  /** Chooses among the contributions, which are complete. Throws BootError. */
  settle(contributed: readonly FileStoreProvider[]): void;
}

/**
 * Creates the file store of a runtime over the opened one, which is in use unless FILES_STORE (`chosen`) names another one. With
 * `scratch`, plugins use that store, and the choice is made and checked all the same.
 */
export function chosenStore(opened: NamedStore, chosen: string, scratch?: FileStore): ChosenStore {
  let inUse: FileStore | undefined = chosen === "" || chosen === opened.name ? opened.files : undefined;
  const used = () => {
    if (inUse) return inUse;
    throw new Error(`Cannot use files yet: the store "${chosen}" is that of a plugin; use files from "app_boot" on`);
  };
  const store = () => {
    const own = used();
    return scratch ?? own;
  };
  return {
    inUse: used,
    files: {
      put: async (key, content) => store().put(key, content),
      get: async (key) => store().get(key),
      remove: async (key) => store().remove(key),
      list: (prefix) => store().list(prefix),
      get unfinished() {
        return store().unfinished;
      },
    },
    settle(contributed) {
      const candidates = [opened, ...contributed];
      const found = chosenProvider(candidates, { service: "a file store", variable: "FILES_STORE", chosen });
      if (!found) throw new BootError("There is no file store");
      inUse = "files" in found ? found.files : checkedStore(found);
    },
  };
}

/** A plugin's store behind the checks of core. */
function checkedStore(store: FileStoreProvider): FileStore {
  return {
    async put(key, content) {
      const own = checkedKey(key);
      try {
        const size = await store.put(own, plainContent(content));
        if (!Number.isSafeInteger(size)) throw new TypeError(`The file store "${store.name}" returned no size`);
        return size;
      } catch (cause) {
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
    },
    get: async (key) => store.get(checkedKey(key)),
    remove: async (key) => store.remove(checkedKey(key)),
    list: (prefix) => store.list(prefix),
    ...(store.unfinished && { unfinished: store.unfinished }),
  };
}

/** Content without the type of uploads; a spooled upload as the file that holds it, so that its size is known. */
function plainContent(content: FileContent): Parameters<FileStoreProvider["put"]>[1] {
  if (!isUpload(content)) return content;
  return content.spooled === undefined ? content.stream() : Bun.file(content.spooled);
}
