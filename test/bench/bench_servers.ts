/** The database, data folder and servers of a benchmark, and how the median round of several is found. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Cluster, createDatabase, startCluster } from "../support/harness/cluster.ts";
import type { Outcome } from "./load.ts";

const START_MS = 60_000;
const TURN_MS = 50;
const STARTING = 503;

/** The arguments of `bun` that start Lectern with what ships. */
export const SERVE = ["core/cli.ts", "serve", "plugins/mod.ts"];
/** The credentials of the administrator. */
export const TOKEN = "benchid:benchsecret";

/** A database and a data folder. */
export interface BenchStore {
  readonly url: string;
  readonly dataDir: string;
  /** Variables of a Lectern over them that limits nothing. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A store, and processes that are ended with it. */
export interface BenchServers extends BenchStore {
  /** The throw-away server; undefined where DATABASE_URL names another and none is installed. */
  readonly cluster: Cluster | undefined;
  /** Makes a further store of the same server. */
  another(): Promise<BenchStore>;
  /** Starts a program and waits until its port answers, and not that it is starting. */
  start(command: readonly string[], env: Record<string, string | undefined>, port: number): Promise<Bun.Subprocess>;
  stop(): Promise<void>;
}

/** Makes the database and the folder. Throws where there is no PostgreSQL. */
export async function openBenchServers(): Promise<BenchServers> {
  const cluster = await startCluster();
  const server = cluster?.url ?? process.env.DATABASE_URL;
  if (!server) throw new Error("Cannot measure: set DATABASE_URL or install PostgreSQL");
  const folders: string[] = [];
  const another = async (): Promise<BenchStore> => {
    const url = await createDatabase(server);
    const dataDir = mkdtempSync(join(tmpdir(), "lectern-bench-"));
    chmodSync(dataDir, 0o755);
    folders.push(dataDir);
    const env = {
      ...process.env,
      ...{ DATABASE_URL: url, DATA_DIR: dataDir, LOG_LEVEL: "warn", ADMIN_TOKEN: TOKEN },
      ...{ ADMIN_EMAIL: "admin@example.com", API_REQUESTS_PER_MIN: "100000000" },
    };
    return { url, dataDir, env };
  };
  const children: Bun.Subprocess[] = [];
  return {
    ...(await another()),
    cluster,
    another,
    async start(command, env, port) {
      const child = Bun.spawn([...command], { env, stdout: "ignore", stderr: "inherit" });
      children.push(child);
      const answers = () =>
        fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ status }) => status !== STARTING,
          () => false,
        );
      for (const until = performance.now() + START_MS; !(await answers()); await Bun.sleep(TURN_MS))
        if (performance.now() > until) throw new Error(`Cannot measure: nothing answers on port ${port}`);
      return child;
    },
    async stop() {
      for (const child of children) child.kill("SIGTERM");
      await Promise.all(children.map((child) => child.exited));
      await cluster?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The round with the median rate. */
export function medianRound<T extends Outcome>(rounds: readonly T[]): T {
  return [...rounds].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] as T;
}
