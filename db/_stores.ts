import { afterAll, beforeAll, describe } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../test/support/harness/at_end.ts";
import { createDatabase, SERVER_VARIABLE, startCluster, systemBinaries } from "../test/support/harness/cluster.ts";
import type { Store } from "./connection/store_types.ts";
import { openStore } from "./open.ts";

/** For tests: a fresh data folder that the server's account can reach. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lectern-data-"));
  chmodSync(folder, 0o755);
  return folder;
}

/** For tests: runs a suite over a database of its own on the embedded store and, where the system has PostgreSQL, on a server. */
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
  let store: Store | undefined;
  beforeAll(async () => {
    store = server ? await openOnServer() : await openEmbedded();
  }, 60_000);
  afterAll(() => store?.close(), 60_000);
  suite(() => {
    if (!store) throw new Error("Cannot use the store: found it unopened, wanted beforeAll to have run");
    return store;
  });
}

let embeddedFolder: string | Promise<string> | undefined = process.env.TEST_EMBEDDED_FOLDER;
let serverUrl: string | Promise<string> | undefined = process.env[SERVER_VARIABLE];

/** Opens a database of its own on the embedded server that the files of a run or process share; an open store keeps the server. */
async function openEmbedded(): Promise<Store> {
  embeddedFolder ??= startEmbedded();
  return openStore({ dataDir: await embeddedFolder, database: `suite_${randomBytes(6).toString("hex")}` });
}

async function startEmbedded(): Promise<string> {
  const dataDir = dataFolder();
  const keeper = await openStore({ dataDir, poolSize: 2 });
  atEnd(async () => {
    await keeper.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

/** Opens a database of its own on the system's PostgreSQL, of which the files of a run or process share one cluster. */
async function openOnServer(): Promise<Store> {
  serverUrl ??= startServer();
  return openStore({ dataDir: "", databaseUrl: await createDatabase(await serverUrl) });
}

async function startServer(): Promise<string> {
  const started = await startCluster({ fast: true });
  if (!started) throw new Error("Cannot start a cluster: no PostgreSQL is installed here");
  atEnd(() => started.stop());
  return started.url;
}
