/**
 * Tells when source files change. The kernel's notices only say that it is time to look: what changed is found by
 * comparing each file's time and size with what they were, so that reading, touching and an editor's own files start
 * nothing. Folders are watched one by one, since a recursive watch cannot leave out the packages and the store.
 */
import { type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** What to watch. */
export interface WatchOptions {
  /** With all below them, save packages and what begins with a dot; those that are not there are left out. */
  readonly folders: readonly string[];
  /** Single files beside. */
  readonly files: readonly string[];
  /** Left out with all below it. */
  readonly without: string;
  /** Given the files that changed, came or went since it was last called. */
  onChange(paths: readonly string[]): void;
}

/** Saving several files is one change; so is what an editor does in several steps. */
const QUIET_MS = 100;
const SOURCE = /\.(?:[cm]?[jt]sx?|json|html|css|sql)$/;

/** Watches until `close`. */
export function watchSources({ folders, files, without, onChange }: WatchOptions): { close(): void } {
  const watchers = new Map<string, FSWatcher>();
  let timer: Timer | undefined;
  let known = look();
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };

  function look(): Map<string, string> {
    const found = new Map<string, string>();
    const seen = new Set<string>();
    for (const folder of folders) walk(folder, found, seen);
    for (const file of files) {
      if (tend(dirname(file), seen)) note(file, found);
    }
    for (const folder of watchers.keys()) if (!seen.has(folder)) forget(folder);
    return found;
  }

  function forget(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  /** Watches a folder before it is read, so that nothing comes to it unnoticed in between. */
  function tend(folder: string, seen: Set<string>): boolean {
    seen.add(folder);
    if (watchers.has(folder)) return true;
    try {
      const watcher = watch(folder, (event, name) => {
        // A folder that is made anew is not the one that is watched, nor are those below it.
        if (event === "rename" && name !== null)
          for (const each of [...watchers.keys()]) if (`${each}/`.startsWith(`${join(folder, name)}/`)) forget(each);
        clearTimeout(timer);
        timer = setTimeout(compare, QUIET_MS);
      });
      // A folder that goes is found missing by the next look.
      watcher.on("error", () => {});
      watchers.set(folder, watcher);
      return true;
    } catch {
      // It is not there, or went meanwhile.
      return false;
    }
  }

  function walk(folder: string, found: Map<string, string>, seen: Set<string>): void {
    if (seen.has(folder) || folder === without || !tend(folder, seen)) return;
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path, found, seen);
      else if (SOURCE.test(entry.name)) note(path, found);
    }
  }

  function compare(): void {
    const before = known;
    known = look();
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
    // It went since it was found; what was in it has gone with it.
    return [];
  }
}
