/**
 * Embedded stores below /var/lib/lectern, apart from their data folders (see home.ts): their list, and the removal of those
 * whose data folder is gone. A file in a store names its data folder; a store of an older version has that file from its next
 * start on and is "unknown" until then. A store that a process uses, or that a data folder names, is never removed.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../query/errors.ts";
import { codeOf, messageOf } from "../query/unknown_values.ts";
import { tryLock } from "./file_lock.ts";
import { BELONGS_TO, ELSEWHERE, MOVED_TO } from "./home.ts";
import { isAlive, readPid, serves } from "./pid.ts";

/** A store apart from its data folder. */
export interface MovedStore {
  /** The name of its folder. */
  readonly name: string;
  readonly folder: string;
  /** The data folder that it belongs to, where known. */
  readonly owner: string | undefined;
  /** `kept` where its data folder still names it, `gone` where it does not, `unknown` without a known data folder. */
  readonly state: "kept" | "gone" | "unknown";
  /** Whether a process uses it. */
  readonly isLive: boolean;
}

/**
 * All moved stores, by name. Throws StoreError where this user may not read them.
 * @example
 * const unused = movedStores().filter(({ state, isLive }) => state === "gone" && !isLive);
 */
export function movedStores(root: string = ELSEWHERE): MovedStore[] {
  if (!existsSync(root)) return [];
  try {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => describe(name, join(root, name))).sort((a, b) => a.name.localeCompare(b.name));
  } catch (cause) {
    const [code, message] = [codeOf(cause), messageOf(cause)];
    if (code !== "EACCES" && code !== "EPERM") throw cause;
    throw new StoreError(`Cannot read the stores below "${root}": ${message}; run this as the user who created them`, {
      cause,
    });
  }
}

/**
 * Removes a store in state `gone`, with `force` also in state `unknown`. Throws StoreError for any other, and for one in use.
 * @example
 * for (const { name, state } of movedStores()) if (state === "gone") removeMovedStore(name);
 */
export function removeMovedStore(
  name: string,
  { force = false }: { force?: boolean } = {},
  root: string = ELSEWHERE,
): void {
  const found = movedStores(root).find((store) => store.name === name);
  const refuse = (why: string) => new StoreError(`Cannot remove the store "${name}": ${why}`);
  if (!found) throw refuse(`there is none of that name in "${root}"; "stores" lists them`);
  if (found.state === "kept") throw refuse(`the data folder "${found.owner}" points to it`);
  if (found.state === "unknown" && !force)
    throw refuse("its data folder is unknown; add --force if you are sure that none needs it");
  const unlock = found.isLive ? undefined : lockStore(found.folder);
  if (!unlock) throw refuse("a process uses it");
  try {
    rmSync(found.folder, { recursive: true, force: true });
  } finally {
    unlock();
  }
}

function describe(name: string, folder: string): MovedStore {
  const owner = textIn(join(folder, BELONGS_TO));
  const state = owner === undefined ? "unknown" : textIn(join(owner, MOVED_TO)) === folder ? "kept" : "gone";
  return { name, folder, owner, state, isLive: isLive(folder) };
}

function isLive(folder: string): boolean {
  const cluster = join(folder, "cluster");
  const found = readPid({ cluster });
  if (found && isAlive(found.pid) && serves(found.pid, { cluster })) return true;
  const unlock = lockStore(folder);
  unlock?.();
  return unlock === undefined;
}

/** Locks a store against all processes; undefined where one uses it. */
function lockStore(folder: string): (() => void) | undefined {
  const locks: (() => void)[] = [];
  for (const name of ["boot.lock", "presence.lock"].map((file) => join(folder, file)).filter(existsSync)) {
    const unlock = tryLock(name, "exclusive");
    if (!unlock) {
      for (const each of locks) each();
      return undefined;
    }
    locks.push(unlock);
  }
  return () => {
    for (const unlock of locks) unlock();
  };
}

function textIn(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}
