import { afterAll, beforeAll, describe } from "bun:test";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, startCluster, systemBinaries } from "../test/support/harness/cluster.ts";
import { openStore, type Store } from "./connection/open.ts";

/** For tests: a fresh data folder that the server's account can reach. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lectern-data-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** For tests: runs a suite on the embedded store and, where the system has PostgreSQL, on a server. */
export function onEachStore(title: string, suite: (store: () => Store) => void): void {
  describe(`${title}, embedded`, () => withStore(suite));
  if (systemBinaries()) describe(`${title}, on a server`, () => withStore(suite, true));
  else
    describe.skip(`${title}, on a server (skipped: no PostgreSQL is installed here)`, () =>
      suite(() => {
        throw new Error("No store");
      }));
}

function withStore(suite: (store: () => Store) => void, server = false): void {
  const dataDir = dataFolder();
  let cluster: Cluster | undefined;
  let store: Store | undefined;
  beforeAll(async () => {
    cluster = server ? await startCluster() : undefined;
    store = await openStore({ dataDir, databaseUrl: cluster?.url });
  }, 60_000);
  afterAll(async () => {
    await store?.close();
    await cluster?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);
  suite(() => {
    if (!store) throw new Error("Cannot use the store: found it unopened, wanted beforeAll to have run");
    return store;
  });
}
