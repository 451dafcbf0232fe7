/**
 * Two servers read from a streaming replica. Its replay is paused, it is frozen, killed and promoted: nobody is shown less than
 * they wrote or more than they may see, and no read fails.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { onPrimary, openStore, type ReplicaStatus, rows, type StoreEvent, StoreSession } from "lectern/db";
import { type Cluster, startCluster } from "../support/harness/cluster.ts";
import { command } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { canReplicate, type ReplicaServer, startReplica } from "../support/harness/replica.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";
import { until } from "../support/harness/until.ts";

/** Debian's package `postgresql` has pg_basebackup; the embedded binaries have not. */
const onReplica: (title: string, run: () => Promise<void>) => void = canReplicate() ? test : () => {};
/** How long one of several reads may take while a replica is frozen: two looks at it, on a busy machine. */
const FROZEN_MS = 10_000;
const WRITERS = 4;
const WRITES = 15;
const HALT_MS = 20;
const EDITOR = ["access-api", "book-create-all", "book-view-all", "book-update-own"];

let cluster: Cluster | undefined;
let replica: ReplicaServer;
let one: TestRuntime;
let two: TestRuntime;
/** What the store of the first runtime showed. */
const events: StoreEvent[] = [];
beforeAll(async () => {
  if (!canReplicate()) return;
  cluster = await startCluster();
  const databaseUrl = cluster?.url ?? "";
  replica = await startReplica(databaseUrl);
  // Longer than tests halt the replica: one that is far behind is not asked at all.
  const on = { databaseUrl, readUrls: [replica.urlOf(databaseUrl)], readMaxLagMs: 300_000 };
  // Answers that are cached are loaded from the primary; here each read asks the store.
  const env = { ANSWER_CACHE_BYTES: "0" };
  one = await bootTestRuntime({ on: { ...on, onEvent: (event) => void events.push(event) }, env });
  two = await bootTestRuntime({ on, env: { ...env, METRICS_TOKEN: "a-secret" } });
  await one.runtime.start();
  await two.runtime.start();
});
afterAll(async () => {
  await two?.stop();
  await one?.stop();
  await replica?.stop();
  await cluster?.stop();
});

const status = ({ store }: TestRuntime): ReplicaStatus => store.replicas?.status()[0] as ReplicaStatus;
const inUse = (runtime: TestRuntime, wanted = true) => until(() => status(runtime).isInUse === wanted);

/** Reads until an answer came from the replica alone, so that it has replayed all that this reader waits for. */
async function readsReplica(runtime: TestRuntime, as: string): Promise<void> {
  await until(async () => {
    const before = { replica: status(runtime).statements, primary: runtime.store.replicas?.counts.primary };
    await runtime.ask("GET", "/api/books", { as });
    return status(runtime).statements > before.replica && runtime.store.replicas?.counts.primary === before.primary;
  });
}

/** The lines of the command doctor about replicas. */
async function doctor({ runtime }: TestRuntime): Promise<string> {
  const lines: string[] = [];
  const io = { out: (line: string) => void lines.push(line), err: () => {}, env: {}, columns: 200, tty: false };
  const { plugin } = runtime.booted.find(({ plugin }) => plugin.name === "doctor") ?? {};
  await plugin?.commands.doctor?.run(["core/replicas"], io, runtime.contexts.get("doctor"));
  return lines.join("\n");
}

onReplica("a server does not start on a replica, and says so in one line", async () => {
  const { code, err } = await command(["serve"], { DATABASE_URL: replica.urlOf(cluster?.url ?? ""), PORT: "0" });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(
      /^Cannot start over PostgreSQL .*: it is read-only, such as a replica; set DATABASE_URL to the server that accepts writes$/,
    ),
  ]);
});

onReplica("who wrote nothing reads from the replica, and who wrote reads what they wrote, on each server", async () => {
  await Promise.all([inUse(one), inUse(two)]);
  const ann = await one.person("Ann", EDITOR);
  const ben = await one.person("Ben", EDITOR);
  await readsReplica(two, ben.token);
  await readsReplica(two, ann.token);
  await replica.pause();
  const paths: string[] = [];
  for (let n = 0; n < 5; n++) {
    const { body } = await one.ask("POST", "/api/books", { as: ann.token, body: { name: `Book ${n}` } });
    paths.push(`/api/books/${body.id}`);
    expect((await two.ask("GET", paths[n] ?? "", { as: ann.token })).body.name).toBe(`Book ${n}`);
    await two.ask("PUT", paths[n] ?? "", { as: ann.token, body: { name: `Changed ${n}` } });
    expect((await one.ask("GET", paths[n] ?? "", { as: ann.token })).body.name).toBe(`Changed ${n}`);
  }
  const late = () => two.ask("GET", paths[0] ?? "", { as: ben.token });
  expect((await late()).status).toBe(404);
  for (const path of ["/api/search?query=Changed", "/api/books?filter[name:like]=Changed%25"]) {
    expect((await two.ask("GET", path, { as: ben.token })).body.total).toBe(0);
    expect((await two.ask("GET", path, { as: ann.token })).body.total).toBe(5);
  }
  await replica.resume();
  expect((await until(late, ({ status }) => status === 200)).body.name).toBe("Changed 0");
  await readsReplica(two, ann.token);
});

onReplica("a revoked permission holds at once, though the replica still has it", async () => {
  const { body: book } = await one.ask("POST", "/api/books", { body: { name: "Plans" } });
  const eve = await one.person("Eve", EDITOR);
  const sees = async (runtime: TestRuntime) =>
    (await runtime.ask("GET", `/api/books/${book.id}`, { as: eve.token })).status;
  await readsReplica(two, eve.token);
  expect(await sees(two)).toBe(200);
  await replica.pause();
  const hidden = { inheriting: false, view: false, create: false, update: false, delete: false };
  const path = `/api/content-permissions/book/${book.id}`;
  expect((await one.ask("PUT", path, { body: { fallback_permissions: hidden } })).status).toBe(200);
  expect([await sees(one), await sees(two)]).toEqual([404, 404]);
  await replica.resume();
  await readsReplica(two, eve.token);
  expect(await sees(two)).toBe(404);
  await replica.pause();
  const role = await one.ask("PUT", `/api/roles/${eve.role}`, { body: { display_name: "Eve", permissions: [] } });
  expect(role.status).toBe(200);
  expect(
    await until(
      () => sees(two),
      (found) => found !== 404,
    ),
  ).toBe(403);
  await replica.resume();
});

onReplica("while the replay halts, writers read what they wrote, and no reader goes back in time", async () => {
  const reader = await one.person("Rea", EDITOR);
  const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => one.person(`Writer${n}`, EDITOR)));
  const create = async ({ token }: { token: string }) =>
    (await one.ask("POST", "/api/books", { as: token, body: { name: "Count", description: "0" } })).body.id as number;
  const books = await Promise.all(writers.map(create));
  const before = status(two).statements;
  let isWriting = true;
  const halting = (async () => {
    while (isWriting) {
      await replica.pause();
      await Bun.sleep(HALT_MS);
      await replica.resume();
      await Bun.sleep(HALT_MS);
    }
  })();
  /** -1 before the book is there. */
  const countOf = async (runtime: TestRuntime, id: number, as: string) =>
    Number((await runtime.ask("GET", `/api/books/${id}`, { as })).body.description ?? -1);
  const reading = (async () => {
    for (let last = -1; isWriting; ) {
      const count = await countOf(two, books[0] ?? 0, reader.token);
      expect(count).toBeGreaterThanOrEqual(last);
      last = count;
    }
  })();
  const write = async ({ token }: { token: string }, book: number) => {
    for (let n = 1; n <= WRITES; n++) {
      const [writes, reads] = n % 2 === 0 ? ([one, two] as const) : ([two, one] as const);
      await writes.ask("PUT", `/api/books/${book}`, { as: token, body: { name: "Count", description: `${n}` } });
      expect(await countOf(reads, book, token)).toBe(n);
    }
  };
  await Promise.all(writers.map((writer, at) => write(writer, books[at] ?? 0))).finally(() => {
    isWriting = false;
  });
  await Promise.all([reading, halting]);
  expect(status(two).statements).toBeGreaterThan(before);
});

onReplica(
  "a read that the replay cancels is answered by the primary, and a replica far behind is left out",
  async () => {
    const databaseUrl = cluster?.url ?? "";
    const readUrls = [replica.urlOf(databaseUrl)];
    const store = await openStore({
      databaseUrl,
      dataDir: "",
      readUrls,
      readMaxLagMs: scaled(300),
      readCheckMs: scaled(50),
    });
    const { db, replicas } = store;
    try {
      await sql`create table conflicts as select 1 as n`.execute(db);
      await replicas?.start();
      await until(() => replicas?.status()[0]?.isInUse);
      replicas?.sessionBy(() => new StoreSession({ user: 1, mayUseReplica: true }));
      // Long on the replica alone, where the replay ends it.
      const slow = sql<{
        n: number;
      }>`select n from conflicts, pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`;
      const answer = rows(db, slow);
      const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep'";
      await until(async () => (await replica.run(sleeping)).length > 0);
      await store.sql`alter table conflicts add column m integer`;
      expect(await answer).toEqual([{ n: 1 }]);
      expect(replicas?.counts.repeated).toBe(1);
      expect(await onPrimary(() => rows(db, sql<{ away: boolean }>`select pg_is_in_recovery() as away`))).toEqual([
        { away: false },
      ]);
      await replica.pause();
      await store.sql`update conflicts set n = 2`;
      await until(() => /^it is \d+ ms behind$/.test(replicas?.status()[0]?.reason ?? ""));
      expect(await rows(db, sql<{ n: number }>`select n from conflicts`)).toEqual([{ n: 2 }]);
      await replica.resume();
      await until(() => replicas?.status()[0]?.isInUse);
    } finally {
      await store.close();
    }
  },
);

onReplica("a replica that dies, freezes or is promoted is left out, and no read fails", async () => {
  const dan = await one.person("Dan", EDITOR);
  const read = async () => (await one.ask("GET", "/api/books", { as: dan.token })).status;
  await readsReplica(one, dan.token);
  events.length = 0;
  await replica.kill();
  for (let n = 0; n < 20; n++) expect(await read()).toBe(200);
  await inUse(one, false);
  expect((await one.ask("GET", "/ready", { as: null })).status).toBe(200);
  await replica.restart();
  await inUse(one);
  await readsReplica(one, dan.token);
  replica.freeze();
  const began = performance.now();
  expect(await Promise.all(Array.from({ length: 8 }, read))).toEqual(Array(8).fill(200));
  expect(performance.now() - began).toBeLessThan(scaled(FROZEN_MS));
  await inUse(one, false);
  replica.thaw();
  await inUse(one);
  await readsReplica(one, dan.token);
  await replica.promote();
  await until(() => status(one).reason === "it is no replica: it accepts writes");
  expect(status(one).isInUse).toBe(false);
  expect(await read()).toBe(200);
  // For the log: each loss and each return once, in turn, with the cause.
  await until(() => events.at(-1)?.kind === "replica_lost" && events.length >= 5);
  const turns = events.map((_, at) => (at % 2 === 0 ? "replica_lost" : "replica_found"));
  expect(events.map(({ kind }) => kind)).toEqual(turns);
  expect(events[0]).toMatchObject({
    host: status(one).name,
    cause: expect.stringMatching(/cannot be reached|does not answer|not yet accepting connections/),
  });
});

onReplica("metrics and the checks of the instance show the replicas", async () => {
  await inUse(two, false);
  const { name } = status(two);
  const headers = { authorization: "Bearer a-secret" };
  const { body } = await two.ask("GET", "/metrics", { as: null, headers });
  expect(body).toContain(`lectern_replica_in_use{replica="${name}"} 0`);
  expect(body).toMatch(/lectern_reads_total\{server="primary"\} [1-9]/);
  expect(body).toContain(`lectern_reads_total{server="${name}"} ${status(two).statements}`);
  // A look during the promotion may have found no answer in time.
  const said = `${name}: it is no replica: it accepts writes`;
  expect(
    await until(
      () => doctor(two),
      (text) => text.includes(said),
    ),
  ).toContain(said);
});

test("the embedded store refuses replicas", async () => {
  const readUrls = ["postgres://127.0.0.1/x"];
  expect(openStore({ dataDir: "/nonexistent", readUrls })).rejects.toThrow(
    "Cannot use DATABASE_READ_URLS without DATABASE_URL: the embedded store has no replicas",
  );
});
