/**
 * Whether a store exists, and temporary stores for commands that only inspect and must not create one. A store exists once its
 * cluster does or, on a server, once anything was migrated in its database.
 */
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { StoreOptions } from "./connection/store_types.ts";
import { hasCluster } from "./embedded/home.ts";
import { openStore } from "./open.ts";
import { StoreError } from "./query/errors.ts";
import { messageOf } from "./query/unknown_values.ts";

/** The place of a store. */
type Place = Pick<StoreOptions, "databaseUrl" | "dataDir" | "prepare" | "listenUrl">;

/**
 * Whether a store exists; creates nothing. Throws StoreError where none could be created, or a server does not answer.
 * @example
 * if (!(await hasStore({ dataDir: "./data" }))) throw new BootError("There is no store yet; start the server once");
 */
export async function hasStore({ dataDir, ...place }: Place): Promise<boolean> {
  if (place.databaseUrl) {
    return withServer({ dataDir, ...place }, async (sql) => {
      const [found] = await sql`select to_regnamespace('lectern_ledger') is not null as there`;
      return found?.there === true;
    });
  }
  if (hasCluster(dataDir)) return true;
  checkFolder(dataDir);
  return false;
}

/**
 * Runs a function with the place of a temporary embedded store, whatever the configured one is: a server is not even given a
 * database. The store and its `dataDir` are removed afterwards.
 * @example
 * const kind = await withThrowawayStore(async (place) => {
 *   const store = await openStore(place);
 *   return store.close().then(() => store.kind);
 * });
 */
export async function withThrowawayStore<T>(run: (place: Pick<StoreOptions, "dataDir">) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "lectern-look-"));
  // The embedded server may run as another account, which needs access.
  chmodSync(dataDir, 0o755);
  try {
    return await run({ dataDir });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function withServer<T>(
  place: Place,
  run: (sql: Awaited<ReturnType<typeof openStore>>["sql"]) => PromiseLike<T>,
): Promise<T> {
  const store = await openStore({ ...place, poolSize: 2, looks: true });
  try {
    return await run(store.sql);
  } finally {
    await store.close();
  }
}

/** Checks that the folder, or the nearest existing parent, is writable. */
function checkFolder(dataDir: string): void {
  let folder = resolve(dataDir);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new StoreError(
      `Cannot use the data folder "${resolve(dataDir)}": ${messageOf(cause)}; set DATA_DIR to a folder this user may write to`,
      { cause },
    );
  }
}
