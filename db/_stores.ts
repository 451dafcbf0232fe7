import { afterAll, beforeAll, describe } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "../test/support/harness/at_end.ts";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../test/support/harness/cluster.ts";
import { openStore, type Store } from "./connection/open.ts";

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

/** By these environment variables test/mutants.ts, which runs a file many times, names servers that it keeps. */
const { TEST_SUITES_FOLDER, TEST_SUITES_URL } = process.env;

let embeddedFolder: Promise<string> | undefined;
let cluster: Promise<Pick<Cluster, "url">> | undefined;

/** Opens a database of its own on the embedded server that the files of this process share; an open store keeps the server. */
async function openEmbedded(): Promise<Store> {
  embeddedFolder ??= TEST_SUITES_FOLDER === undefined ? startEmbedded() : Promise.resolve(TEST_SUITES_FOLDER);
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

/** Opens a database of its own on the system's PostgreSQL, of which the files of this process share one cluster. */
async function openOnServer(): Promise<Store> {
  cluster ??= TEST_SUITES_URL === undefined ? startShared() : Promise.resolve({ url: TEST_SUITES_URL });
  const { url } = await cluster;
  return openStore({ dataDir: "", databaseUrl: await createDatabase(url) });
}

async function startShared(): Promise<Cluster> {
  const started = await startCluster();
  if (!started) throw new Error("Cannot start a cluster: no PostgreSQL is installed here");
  atEnd(() => started.stop());
  return started;
}
