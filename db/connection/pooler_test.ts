/** A store behind pgbouncer in transaction mode, where the sessions of the server are shared by all its clients. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import postgres from "postgres";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { scaled } from "../../test/support/harness/machine_speed.ts";
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from "../../test/support/harness/pgbouncer.ts";
import { until } from "../../test/support/harness/until.ts";
import { GrantError, openStore, rows, type Store, syncRoles, withSlowPool, withSnapshot } from "../mod.ts";

const SESSIONS = 4;
const LIMITS = { statementMs: scaled(400), writeMs: scaled(600), waitMs: scaled(5_000) };
const isHere = hasPgbouncer && systemBinaries() !== undefined;
const suite = isHere ? describe : describe.skip;

suite(`a store behind a pooler${isHere ? "" : " (skipped: no pgbouncer and PostgreSQL are installed here)"}`, () => {
  let cluster: Cluster;
  let pooler: Pgbouncer;
  let direct: string;
  let pooled: string;
  let store: Store;
  beforeAll(async () => {
    cluster = (await startCluster({ fast: true })) as Cluster;
    pooler = await startPgbouncer(cluster.url, { sessions: SESSIONS });
    direct = await createDatabase(cluster.url);
    pooled = pooler.over(direct);
    store = await openStore({ databaseUrl: pooled, dataDir: "", prepare: false, listenUrl: direct });
    store.limit(LIMITS);
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await pooler.stop();
    await cluster.stop();
  }, 60_000);

  const refusal = (more: Partial<Parameters<typeof openStore>[0]>) =>
    openStore({ databaseUrl: pooled, dataDir: "", ...more }).then(
      () => "opened",
      (error: Error) => error.message,
    );
  /** What is left in the sessions of the pooler, seen by another client, which occupies them all. */
  async function leftovers(): Promise<unknown[]> {
    const clients = Array.from({ length: SESSIONS }, () => postgres(pooled, { max: 1, prepare: false }));
    const asked = clients.map((client) =>
      client.unsafe(`begin; select pg_sleep(0.1); select current_setting('statement_timeout') as timeout,
        current_setting('work_mem') as memory, current_setting('plan_cache_mode') as plans,
        (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`),
    );
    const found = (await Promise.all(asked)).map((results) => (results.at(-1) as unknown as unknown[])[0]);
    await Promise.all(clients.map((client) => client.end()));
    const clean = { timeout: "0", memory: "4MB", plans: "auto", locks: 0 };
    return found.filter((one) => !Bun.deepEquals(one, clean));
  }

  test("is refused with the setting to use, in one line", async () => {
    const where = `Cannot open the store at "${pooled}": a pooler in transaction mode is there`;
    expect(await refusal({})).toBe(
      `${where}, which refuses prepared statements; set DATABASE_PREPARE=false, and DATABASE_LISTEN_URL to the address of the server itself`,
    );
    expect(await refusal({ prepare: false, listenUrl: cluster.url })).toStartWith(
      `Cannot listen at "${cluster.url}": no notification of DATABASE_URL arrives there`,
    );
  }, 30_000);

  test("works without an address for notifications, and says that it hears none", async () => {
    let told = 0;
    const deaf = await openStore({
      databaseUrl: pooled,
      dataDir: "",
      prepare: false,
      onUnheard() {
        told += 1;
      },
    });
    const heard: string[] = [];
    const stop = await deaf.listen("silence", { onNotify: (payload) => heard.push(payload) });
    await store.listen("silence", { onNotify: (payload) => heard.push(payload) });
    await deaf.notify("silence", "one");
    await until(() => heard.length > 0);
    await stop();
    const listening = await store.sql`select from pg_stat_activity where query like 'listen%silence%'`;
    expect({ told, heard, listening: listening.length }).toEqual({ told: 1, heard: ["one"], listening: 1 });
    await deaf.close();
  }, 30_000);

  test("needs no setting where the pooler keeps a session for each client", async () => {
    const other = await startPgbouncer(cluster.url, { sessions: 20, mode: "session" });
    const opened = await openStore({ databaseUrl: other.over(direct), dataDir: "" });
    const heard: string[] = [];
    await opened.listen("sessions", { onNotify: (payload) => heard.push(payload) });
    await opened.notify("sessions", "one");
    await until(() => heard.length === 1);
    await opened.close();
    await other.stop();
  }, 30_000);

  test("answers statements of every kind, many at a time", async () => {
    await store.sql.unsafe(
      "create table notes (id int primary key, name text, tags text[], at timestamptz default now())",
    );
    await Promise.all(
      Array.from({ length: 60 }, async (_, id) => {
        const name = `note ${id}`;
        const insert = sql`insert into notes (id, name, tags) values (${id}, ${name}, ${[name, "x"]})`;
        if (id % 2) await insert.execute(store.db);
        else await store.db.transaction().execute((tx) => insert.execute(tx));
        const read = sql<{ name: string; tags: string[] }>`select name, tags from notes where id = ${id}`;
        const slow = { key: String(id % 3), limitMs: 2_000 };
        for (const [row] of [await rows(store.db, read), await withSlowPool(slow, () => rows(store.db, read))])
          expect(row).toEqual({ name, tags: [name, "x"] });
      }),
    );
    let streamed = 0;
    const all = store.db.selectFrom("notes" as never).selectAll();
    for await (const _ of all.stream(7)) streamed += 1;
    expect(streamed).toBe(60);
    expect(await store.queryWithDeadline(sql`select count(*) as n from notes`)).toEqual([{ n: 60 }]);
    let copied = 0;
    await withSnapshot(store, {
      async rows({ copy }) {
        for await (const chunk of await copy("notes")) copied += chunk.byteLength;
      },
      async files() {},
    });
    expect(copied).toBeGreaterThan(1_000);
    expect(await leftovers()).toEqual([]);
  }, 30_000);

  test("has limits by statement, and other clients inherit none", async () => {
    const sleep = sql`select pg_sleep(${20}::float8)`;
    const code = (run: Promise<unknown>) =>
      run.then(
        () => "answered",
        (error: { code?: string }) => error.code,
      );
    const started = performance.now();
    const ends = await Promise.all([
      code(rows(store.db, sleep)),
      code(store.db.transaction().execute((tx) => rows(tx, sleep))),
      code(store.queryWithDeadline(sleep)),
      code(withSlowPool({ key: "me", limitMs: 500 }, () => rows(store.db, sleep))),
    ]);
    expect(ends).toEqual(["57014", "57014", "57014", "57014"]);
    expect(performance.now() - started).toBeLessThan(scaled(10_000));
    const [memory] = await withSlowPool({ key: "me", limitMs: 5_000 }, () =>
      rows(store.db, sql<{ memory: string }>`select current_setting('work_mem') as memory`),
    );
    expect(memory?.memory).toBe("32MB");
    expect(await leftovers()).toEqual([]);
  }, 30_000);

  test("cancels a slow read whose client has left", async () => {
    const leaving = new AbortController();
    const slow = { key: "me", limitMs: 60_000, signal: leaving.signal };
    const started = performance.now();
    const read = withSlowPool(slow, () => rows(store.db, sql`select pg_sleep(${30}::float8)`));
    const beside = postgres(direct, { max: 1 });
    await until(async () => (await beside`select from pg_stat_activity where wait_event = 'PgSleep'`).length > 0);
    await beside.end();
    leaving.abort();
    await expect(read).rejects.toMatchObject({ code: "57014" });
    expect(performance.now() - started).toBeLessThan(scaled(10_000));
    expect(await leftovers()).toEqual([]);
  }, 30_000);

  test("hears notifications over the other address", async () => {
    const heard: string[] = [];
    await store.listen("news", { onNotify: (payload) => heard.push(payload) });
    await store.notify("news", "one");
    await store.db.transaction().execute((tx) => sql`select pg_notify('news', ${"two"})`.execute(tx));
    await until(() => heard.length === 2);
    expect(heard).toEqual(["one", "two"]);
  });

  test("enforces roles, and no lock that a plugin takes outlives its statement", async () => {
    await store.sql.unsafe("create table secrets (word text); insert into secrets values ('xyzzy')");
    const grants = { plugin: "shelf", read: [], write: ["notes"], columns: {} };
    expect((await syncRoles(store.db, [grants])).reason).toBeUndefined();
    const own = store.restrictedTo("shelf", grants);
    const name = sql<{ name: string }>`select name from notes where id = ${7}`;
    expect(await rows(own.db, name)).toEqual([{ name: "note 7" }]);
    const secret = sql`select word from secrets`;
    await expect(rows(own.db, secret)).rejects.toThrow(GrantError);
    await expect(own.queryWithDeadline(secret)).rejects.toThrow(GrantError);
    const locking = sql`select pg_advisory_lock(${9}::int8), 1 / (${0}::int)`;
    await expect(rows(own.db, locking)).rejects.toMatchObject({ code: "22012" });
    const within = store.db.transaction().execute((tx) => rows(own.within(tx), locking));
    await expect(within).rejects.toMatchObject({ code: "22012" });
    expect(await leftovers()).toEqual([]);
  }, 30_000);
});
