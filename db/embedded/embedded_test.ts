import { afterEach, expect, test } from "bun:test";
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { dataFolder } from "../_stores.ts";
import { openStore, rows, StoreError } from "../mod.ts";
import { tryLock } from "./file_lock.ts";

const folders: string[] = [];
const TIMEOUT_MS = 60_000;

function fresh(): string {
  const folder = dataFolder();
  folders.push(folder);
  return folder;
}

function writer(folder: string, mode = "always") {
  return Bun.spawn([process.execPath, join(import.meta.dir, "_writer.ts"), folder, mode], {
    stdout: "pipe",
    stderr: "inherit",
  });
}

/** Collects what the writer says in `said`; resolves once that is `count` lines, and `ended` when it says no more. */
async function listenTo(
  child: ReturnType<typeof writer>,
  said: string[],
  count: number,
): Promise<{ ended: Promise<void> }> {
  const enough = Promise.withResolvers<void>();
  const ended = (async () => {
    let rest = "";
    for await (const chunk of child.stdout) {
      const lines = (rest + new TextDecoder().decode(chunk)).split("\n");
      rest = lines.pop() ?? "";
      said.push(...lines);
      if (said.length >= count) enough.resolve();
    }
    enough.resolve();
  })();
  await enough.promise;
  return { ended };
}

function serverPid(folder: string): number | undefined {
  const path = join(folder, "postgres", "cluster", "postmaster.pid");
  return existsSync(path) ? Number(readFileSync(path, "utf8").split("\n")[0]) : undefined;
}

async function writtenIds(folder: string): Promise<Set<number>> {
  const store = await openStore({ dataDir: folder });
  const found = await rows<{ id: number }>(store.db, sql<{ id: number }>`select id from written`);
  await store.close();
  return new Set(found.map(({ id }) => id));
}

afterEach(async () => {
  for (const folder of folders.splice(0)) {
    // Adopts the server of a failed or killed test, so that closing stops it.
    await (await openStore({ dataDir: folder })).close();
    rmSync(folder, { recursive: true, force: true });
  }
}, TIMEOUT_MS);

test(
  "the embedded store keeps its data, and its server stops when the last process leaves",
  async () => {
    const folder = fresh();
    const one = await openStore({ dataDir: folder });
    await sql`create table kept as select 7 as n`.execute(one.db);
    const two = await openStore({ dataDir: folder });
    await one.close();
    expect(await rows(two.db, sql`select n from kept`)).toEqual([{ n: 7 }]);
    await two.close();
    expect(serverPid(folder)).toBeUndefined();
    const again = await openStore({ dataDir: folder });
    expect(await rows(again.db, sql`select n from kept`)).toEqual([{ n: 7 }]);
    expect(await rows(again.db, sql`select current_setting('fsync') f, current_setting('listen_addresses') l`)).toEqual(
      [{ f: "on", l: "" }],
    );
    expect(again.description).toContain("PostgreSQL 18");
    await again.close();
  },
  TIMEOUT_MS,
);

test(
  "the embedded store's folder is open to the account of the server alone",
  async () => {
    const folder = fresh();
    const store = await openStore({ dataDir: folder });
    for (const name of ["", "socket", "cluster"]) expect(statSync(join(folder, "postgres", name)).mode & 0o077).toBe(0);
    await store.close();
  },
  TIMEOUT_MS,
);

test(
  "a kill -9 during writes loses no acknowledged row; the orphaned server is adopted",
  async () => {
    const folder = fresh();
    const child = writer(folder);
    const said: string[] = [];
    const { ended } = await listenTo(child, said, 300);
    child.kill("SIGKILL");
    await ended;
    const orphan = serverPid(folder);
    expect(orphan).toBeNumber();
    const store = await openStore({ dataDir: folder });
    expect(serverPid(folder)).toBe(orphan);
    await store.close();
    expect(serverPid(folder)).toBeUndefined();
    const kept = await writtenIds(folder);
    expect(said.slice(1).filter((id) => !kept.has(Number(id)))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "a kill -9 of the process and the server loses no acknowledged row",
  async () => {
    const folder = fresh();
    const child = writer(folder);
    const said: string[] = [];
    const { ended } = await listenTo(child, said, 300);
    const server = serverPid(folder);
    if (!server) throw new Error("Cannot kill the server: found no postmaster.pid");
    process.kill(server, "SIGKILL");
    child.kill("SIGKILL");
    await ended;
    const kept = await writtenIds(folder);
    expect(said.length).toBeGreaterThanOrEqual(300);
    expect(said.slice(1).filter((id) => !kept.has(Number(id)))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "two processes that create one folder at once share one server, and the last one stops it",
  async () => {
    const folder = fresh();
    const children = [writer(folder, "once"), writer(folder, "once"), writer(folder, "once")];
    const texts = await Promise.all(children.map((child) => new Response(child.stdout).text()));
    expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0]);
    expect(serverPid(folder)).toBeUndefined();
    expect([...(await writtenIds(folder))].map(String).sort()).toEqual(
      texts.map((text) => text.split("\n")[1] ?? "").sort(),
    );
  },
  TIMEOUT_MS,
);

test(
  "a process that leaves does not stop the server of another",
  async () => {
    const folder = fresh();
    const store = await openStore({ dataDir: folder });
    const child = writer(folder, "once");
    expect(await child.exited).toBe(0);
    expect(await rows(store.db, sql`select count(*) n from written`)).toEqual([{ n: 1 }]);
    await store.close();
  },
  TIMEOUT_MS,
);

test(
  "a folder whose path is too long for a socket, or has spaces and commas, works",
  async () => {
    const folder = fresh();
    const deep = join(folder, "a, 'b' c", "d".repeat(100), "é".repeat(40));
    mkdirSync(deep, { recursive: true });
    const store = await openStore({ dataDir: deep });
    expect(await rows(store.db, sql`select 1 n`)).toEqual([{ n: 1 }]);
    await store.close();
  },
  TIMEOUT_MS,
);

test(
  "a partial cluster and a stale postmaster.pid are replaced",
  async () => {
    const folder = fresh();
    mkdirSync(join(folder, "postgres", "cluster.new", "base"), { recursive: true });
    const store = await openStore({ dataDir: folder });
    const pid = serverPid(folder) ?? 0;
    const pidFile = join(folder, "postgres", "cluster", "postmaster.pid");
    const text = readFileSync(pidFile, "utf8");
    await store.close();
    while (existsSync(pidFile)) await sleep(10);
    // The pid of an ended process, as after a loss of power.
    writeFileSync(pidFile, text.replace(String(pid), "4194000"), { mode: 0o600 });
    const { uid, gid } = statSync(dirname(pidFile));
    chownSync(pidFile, uid, gid);
    const again = await openStore({ dataDir: folder });
    expect(await rows(again.db, sql`select 1 n`)).toEqual([{ n: 1 }]);
    await again.close();
  },
  TIMEOUT_MS,
);

test(
  "a server that no process uses and whose socket is gone is replaced",
  async () => {
    const folder = fresh();
    const child = writer(folder);
    const said: string[] = [];
    const { ended } = await listenTo(child, said, 5);
    child.kill("SIGKILL");
    await ended;
    rmSync(join(folder, "postgres", "socket"), { recursive: true });
    const kept = await writtenIds(folder);
    expect(said.slice(1).filter((id) => !kept.has(Number(id)))).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  "a data folder that other accounts cannot access works for root",
  async () => {
    const closed = join(fresh(), "home");
    mkdirSync(closed, { mode: 0o700 });
    const store = await openStore({ dataDir: join(closed, "data") });
    await sql`create table kept (n int)`.execute(store.db);
    await store.close();
    const again = await openStore({ dataDir: join(closed, "data") });
    expect(await rows(again.db, sql`select count(*) n from kept`)).toEqual([{ n: 0 }]);
    await again.close();
    const pointer = join(closed, "data", "postgres", "moved_to");
    if (existsSync(pointer)) rmSync(readFileSync(pointer, "utf8"), { recursive: true, force: true });
  },
  TIMEOUT_MS,
);

test(
  "several databases live in one embedded server",
  async () => {
    const folder = fresh();
    const one = await openStore({ dataDir: folder, database: "one" });
    const two = await openStore({ dataDir: folder, database: "two" });
    await sql`create table mine (n int)`.execute(one.db);
    expect(await rows(two.db, sql`select to_regclass('mine') is null as apart`)).toEqual([{ apart: true }]);
    await Promise.all([one.close(), two.close()]);
  },
  TIMEOUT_MS,
);

test(
  "the error of a cluster that cannot start has the server's message and the alternative",
  async () => {
    const folder = fresh();
    await (await openStore({ dataDir: folder })).close();
    const version = join(folder, "postgres", "cluster", "PG_VERSION");
    writeFileSync(version, "12\n");
    const failure = await openStore({ dataDir: folder }).catch((error: unknown) => error);
    writeFileSync(version, "18\n");
    expect(failure).toBeInstanceOf(StoreError);
    expect((failure as Error).message).toContain("incompatible");
    expect((failure as Error).message).toContain("DATABASE_URL");
  },
  TIMEOUT_MS,
);

test("a lock is released by its holder, and a shared one excludes an exclusive one", () => {
  const path = join(fresh(), "lock");
  const [one, two] = [tryLock(path, "shared"), tryLock(path, "shared")];
  expect(tryLock(path, "exclusive")).toBeUndefined();
  one?.();
  expect(tryLock(path, "exclusive")).toBeUndefined();
  two?.();
  const alone = tryLock(path, "exclusive");
  expect(alone).toBeFunction();
  expect(tryLock(path, "shared")).toBeUndefined();
  alone?.();
});

test(
  "a server that dies is restarted",
  async () => {
    const folder = fresh();
    let restarts = 0;
    const store = await openStore({ dataDir: folder, onRestart: () => restarts++ });
    await rows(store.db, sql`create table kept (id integer)`);
    await rows(store.db, sql`insert into kept values (1)`);
    process.kill(serverPid(folder) as number, "SIGKILL");
    const asked = async () => (await rows<{ id: number }>(store.db, sql`select id from kept`)).length;
    const served = async () => [await asked().catch(() => 0), restarts] as const;
    expect(await until(served, ([found, times]) => found > 0 && times > 0)).toEqual([1, 1]);
    await store.close();
    expect(serverPid(folder)).toBeUndefined();
  },
  TIMEOUT_MS,
);

test(
  "a restart that fails is reported once, and tried until it succeeds",
  async () => {
    const folder = fresh();
    let restarts = 0;
    const failures: unknown[] = [];
    const store = await openStore({
      dataDir: folder,
      onRestart: () => restarts++,
      onRestartFailure: (error) => failures.push(error),
    });
    const settings = join(folder, "postgres/cluster/postgresql.auto.conf");
    const good = readFileSync(settings, "utf8");
    appendFileSync(settings, "shared_buffers = 'much'\n");
    process.kill(serverPid(folder) as number, "SIGKILL");
    await until(() => failures.length > 0);
    await sleep(2_000);
    expect([failures.length, restarts]).toEqual([1, 0]);
    writeFileSync(settings, good);
    expect(await until(() => restarts)).toBe(1);
    await store.close();
  },
  TIMEOUT_MS,
);
