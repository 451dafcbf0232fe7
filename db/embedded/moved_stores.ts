/**
 * Embedded stores that live apart from their data folder, below /var/lib/lectern (see home.ts): which there are,
 * whose they are, and removing one whose data folder is gone. A store says in a file which data folder it belongs to; one
 * that an older version made does so from its next start on, and is of nobody known until then. One that a process uses,
 * or that a data folder still points to, is never removed.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../query/errors.ts";
import { tryLock } from "./file_lock.ts";
import { BELONGS_TO, ELSEWHERE, MOVED_TO } from "./home.ts";
import { isAlive, readPid, serves } from "./pid.ts";

/** A store apart from its data folder. */
export interface MovedStore {
  /** The name of its folder. */
  readonly name: string;
  readonly folder: string;
  /** The folder in which a file points to it, as far as that is known. */
  readonly owner: string | undefined;
  /** Whether that file still does: `gone` where it does not, `unknown` where nobody knows which file. */
  readonly state: "kept" | "gone" | "unknown";
  /** Whether a process uses it. */
  readonly isLive: boolean;
}

/**
 * The stores there are, by name. Throws StoreError where this user may not look into them.
 * @example
 * const unused = movedStores().filter(({ state, isLive }) => state === "gone" && !isLive);
 */
export function movedStores(root: string = ELSEWHERE): MovedStore[] {
  if (!existsSync(root)) return [];
  try {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders.map(({ name }) => describe(name, join(root, name))).sort((a, b) => a.name.localeCompare(b.name));
  } catch (cause) {
    const { code = "", message } = cause as { code?: string; message: string };
    if (code !== "EACCES" && code !== "EPERM") throw cause;
    throw new StoreError(
      `Cannot look into the stores below "${root}": ${message}; run this as the user who made them`,
      {
        cause,
      },
    );
  }
}

/**
 * Removes a store whose data folder is gone; with `force` also one of which nobody knows whose it is. Throws StoreError for
 * any other.
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
  if (!found) throw refuse(`there is none of that name in "${root}"; "stores" shows them`);
  if (found.state === "kept") throw refuse(`the data folder "${found.owner}" points to it`);
  if (found.state === "unknown" && !force)
    throw refuse("nobody knows which data folder it belongs to; add --force if you are sure that none does");
  const unlock = found.isLive ? undefined : taken(found.folder);
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
  const unlock = taken(folder);
  unlock?.();
  return unlock === undefined;
}

/** Keeps every process from using a store; undefined where one does already. */
function taken(folder: string): (() => void) | undefined {
  const locks: (() => void)[] = [];
  for (const name of ["boot.lock", "presence.lock"].map((file) => join(folder, file)).filter(existsSync)) {
    const unlock = tryLock(name, "alone");
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
