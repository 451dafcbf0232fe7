/**
 * Watches source files. Notifications of the kernel only trigger a comparison of the modification time and size of each file
 * with the former ones, so that reading a file or an editor's temporary files cause no restart. Each folder has a watcher
 * of its own, since a recursive one cannot exclude packages and the store.
 */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** Options of `watchSources`. */
export interface WatchOptions {
  /** Watched recursively, except node_modules and names that begin with a dot. Missing folders are ignored. */
  readonly folders: readonly string[];
  /** Further single files. */
  readonly files: readonly string[];
  /** A folder that is excluded recursively. */
  readonly without: string;
  /** Called with the files that were changed, created or deleted since the last call. */
  onChange(paths: readonly string[]): void;
}

/** Time without a notification after which files are compared, so that saving several files is one change. */
const QUIET_MS = 100;
const SOURCE = /\.(?:[cm]?[jt]sx?|json|html|css|sql)$/;

/** Watched sources. */
export interface WatchedSources {
  /** Watches these folders from now on, in place of the former ones. Changes until now are not reported. */
  follow(folders: readonly string[]): void;
  close(): void;
}

/** Watches until `close` is called. */
export function watchSources({ folders: first, files, without, onChange }: WatchOptions): WatchedSources {
  let folders = first;
  const watchers = new Map<string, FSWatcher>();
  let timer: Timer | undefined;
  let known = scan();
  return {
    follow(next) {
      folders = next;
      known = scan();
    },
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };

  function scan(): Map<string, string> {
    const found = new Map<string, string>();
    const seen = new Set<string>();
    for (const folder of folders) walk(folder, found, seen);
    for (const file of files) {
      if (ensureWatched(dirname(file), seen)) note(file, found);
    }
    for (const folder of watchers.keys()) if (!seen.has(folder)) forget(folder);
    return found;
  }

  function forget(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  /** Watches a folder. This comes before reading it, so that no change in between is missed. Returns false if it is missing. */
  function ensureWatched(folder: string, seen: Set<string>): boolean {
    seen.add(folder);
    if (watchers.has(folder)) return true;
    try {
      const watcher = watch(folder, (event, name) => {
        // A folder that is created again is another one than the watched folder, and so are those below it.
        if (event === "rename" && name !== null)
          for (const each of [...watchers.keys()]) if (`${each}/`.startsWith(`${join(folder, name)}/`)) forget(each);
        clearTimeout(timer);
        timer = setTimeout(compare, QUIET_MS);
      });
      // A deleted folder is found missing by the next scan.
      watcher.on("error", () => {});
      watchers.set(folder, watcher);
      return true;
    } catch {
      // The folder is missing or was deleted meanwhile.
      return false;
    }
  }

  function walk(folder: string, found: Map<string, string>, seen: Set<string>): void {
    if (seen.has(folder) || folder === without || !ensureWatched(folder, seen)) return;
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path, found, seen);
      else if (SOURCE.test(entry.name)) note(path, found);
    }
  }

  function compare(): void {
    const before = known;
    known = scan();
    const paths = [...new Set([...before.keys(), ...known.keys()])];
    const changed = paths.filter((path) => before.get(path) !== known.get(path));
    if (changed.length > 0) onChange(changed);
  }
}

function note(path: string, found: Map<string, string>): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat) found.set(path, `${stat.mtimeMs} ${stat.size}`);
}

function entriesOf(folder: string): import("node:fs").Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder was deleted since it was found.
    return [];
  }
}
