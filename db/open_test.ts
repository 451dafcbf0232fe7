import { expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { until } from "../test/support/harness/until.ts";
import { onEachStore } from "./_stores.ts";
import { type Db, openStore, rows, StoreError, syncRoles } from "./mod.ts";

interface Things {
  things: {
    id: number;
    name: string;
    at: string;
    list: number[];
    words: string[];
    flags: boolean[];
    body: unknown;
    total: number;
  };
}

onEachStore("a store", (store) => {
  const db = () => store().db as unknown as Kysely<Things>;
  const one = async <Row>(query: ReturnType<typeof sql<Row>>): Promise<Row | undefined> =>
    (await rows<Row>(store().db, query))[0];

  test("returns timestamps as text in UTC with microseconds", async () => {
    expect(
      await one(sql`select timestamptz '2024-02-03 04:05:06.7+02' a, timestamptz '2024-02-03 04:05:06' b,
      timestamp '2024-02-03 04:05:06.123456' c, date '2024-02-03' d, array[timestamptz '2024-01-01'] e, timestamptz 'infinity' f,
      timestamptz '12024-01-01' g`),
    ).toEqual({
      a: "2024-02-03T02:05:06.700000Z",
      b: "2024-02-03T04:05:06.000000Z",
      c: "2024-02-03T04:05:06.123456Z",
      d: "2024-02-03",
      e: ["2024-01-01T00:00:00.000000Z"],
      f: "infinity",
      g: "12024-01-01T00:00:00.000000Z",
    });
  });

  test("takes a timestamp as text and keeps its microseconds", async () => {
    expect(await one(sql`select ${"2024-02-03T04:05:06.123456Z"}::timestamptz as at`)).toEqual({
      at: "2024-02-03T04:05:06.123456Z",
    });
  });

  test("takes a Date as its moment, alone, in a list and in an object", async () => {
    const at = new Date("2024-02-03T04:05:06.123Z");
    const taken = "2024-02-03T04:05:06.123000Z";
    expect(
      await one(sql`select ${at}::timestamptz as alone, ${[at]}::timestamptz[] as listed,
        (${{ at }}::jsonb ->> 'at')::timestamptz as inside`),
    ).toEqual({ alone: taken, listed: [taken], inside: taken });
  });

  test("returns int8 and counts as numbers, rejects unsafe ones, and stays usable", async () => {
    expect(
      await one(
        sql`select count(*) n, 9007199254740991::int8 big, 1.10::numeric x, null::int8 none, array[1::int8] many`,
      ),
    ).toEqual({ n: 1, big: 9007199254740991, x: "1.10", none: null, many: [1] });
    await expect(one(sql`select 9007199254740992::int8 n`)).rejects.toThrow('Cannot read int8 "9007199254740992"');
    expect(await one(sql`select 1 n`)).toEqual({ n: 1 });
  });

  test("keeps objects, lists, texts and booleans as they are in jsonb and arrays", async () => {
    await store().sql.unsafe(`create table things (id int primary key, name text, at timestamptz default now(), list int[], words text[],
      flags boolean[], body jsonb, total int8 default 0)`);
    const words = ['a"b', "c\\d", "", "null", "x,y", "{z}", "é"];
    const bodies: unknown[] = [
      { a: [1, { b: "c" }] },
      [true, false],
      [1, "two", null, { three: 3 }],
      true,
      7,
      [],
      ["a"],
    ];
    for (const [id, body] of bodies.entries()) {
      await db()
        .insertInto("things")
        .values({ id, name: `t${id}`, list: [1, -2], words, flags: [true, false], body } as never)
        .execute();
    }
    const found = await db().selectFrom("things").select(["list", "words", "flags", "body"]).orderBy("id").execute();
    expect(found.map(({ body }) => body)).toEqual(bodies);
    expect(found[0]).toEqual({ list: [1, -2], words, flags: [true, false], body: bodies[0] });
    expect(await one(sql`select jsonb_typeof(body) t from things where id = 0`)).toEqual({ t: "object" });
    expect(await one(sql`select jsonb_typeof(${JSON.stringify({ a: 1 })}::jsonb) t`)).toEqual({ t: "object" });
    expect(
      await one(
        sql`select array_agg(id order by id) ids from things where id = any(${[1, 3]}::int[]) and not id = any(${[]}::int[])`,
      ),
    ).toEqual({ ids: [1, 3] });
  });

  test("rejects a parameter that cannot be sent, without an effect on other statements", async () => {
    const neighbours = Array.from({ length: 20 }, (_, i) => one(sql`select ${i}::int n, pg_sleep(0.01)`));
    await expect(one(sql`select ${undefined}::int`)).rejects.toThrow("Cannot send parameter 1: found undefined");
    await expect(one(sql`select ${[() => 1]}::jsonb`)).rejects.toThrow("Cannot send parameter 1: found function");
    expect((await Promise.all(neighbours)).map((row) => (row as { n: number }).n)).toEqual(
      Array.from({ length: 20 }, (_, i) => i),
    );
  });

  test("counts affected rows, and runs several statements in one text", async () => {
    const { numUpdatedRows } = await db()
      .updateTable("things")
      .set({ total: 5 })
      .where("id", "<", 3)
      .executeTakeFirstOrThrow();
    expect(numUpdatedRows).toBe(3n);
    expect(
      (await sql`create table two (a int); insert into two values (1), (2); select a from two order by a`.execute(db()))
        .rows,
    ).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test("rolls back a failed transaction, or only the part after a savepoint", async () => {
    const failing = db()
      .transaction()
      .execute(async (tx) => {
        await tx.updateTable("things").set({ total: 99 }).execute();
        throw new Error("no");
      });
    await expect(failing).rejects.toThrow("no");
    const tx = await db().startTransaction().execute();
    await tx.updateTable("things").set({ total: 6 }).where("id", "=", 0).execute();
    const saved = await tx.savepoint("half").execute();
    await expect(
      saved
        .insertInto("things")
        .values({ id: 0 } as never)
        .execute(),
    ).rejects.toThrow("duplicate key");
    await saved.rollbackToSavepoint("half").execute();
    await tx.commit().execute();
    expect(await one(sql`select max(total) total from things`)).toEqual({ total: 6 });
  });

  test("rejects the commit after an ignored error of a statement", async () => {
    const overlooked = db()
      .transaction()
      .execute(async (tx) => {
        await tx.updateTable("things").set({ total: 100 }).execute();
        await sql`select 1 / 0`.execute(tx).catch(() => {});
      });
    await expect(overlooked).rejects.toThrow("Cannot commit");
    expect(await one(sql`select max(total) total from things`)).toEqual({ total: 6 });
  });

  test("does not continue a transaction whose connection was lost, and recovers", async () => {
    const lost = db()
      .transaction()
      .execute(async (tx) => {
        const [me] = await rows<{ pid: number }>(tx, sql<{ pid: number }>`select pg_backend_pid() pid`);
        await sql`select pg_terminate_backend(${me?.pid}, 2000)`.execute(db());
        await sql`select pg_sleep(0.05)`.execute(db());
        await tx.updateTable("things").set({ total: 1000 }).execute();
      });
    await expect(lost).rejects.toThrow();
    await lost.catch(() => {});
    expect(await one(sql`select max(total) total from things`)).toEqual({ total: 6 });
    await Promise.all(
      Array.from({ length: 9 }, () =>
        db()
          .transaction()
          .execute((tx) => sql`select 1`.execute(tx)),
      ),
    );
  });

  test("begins transactions under steady reads", async () => {
    let reading = true;
    const readers = Array.from({ length: 24 }, async () => {
      while (reading) await one(sql`select pg_sleep(0.001)`);
    });
    await Promise.all(
      Array.from({ length: 20 }, () =>
        db()
          .transaction()
          .execute((tx) => sql`select 1`.execute(tx)),
      ),
    );
    reading = false;
    await Promise.all(readers);
  });

  test("streams a large result, and can be stopped early", async () => {
    const numbers = () => db().selectNoFrom(sql<number>`generate_series(1, 1000)`.as("n")).stream(100);
    let seen = 0;
    for await (const { n } of numbers()) {
      expect(n).toBe(++seen);
      if (seen === 250) break;
    }
    const all: number[] = [];
    for await (const { n } of numbers()) all.push(n);
    expect([seen, all.length, all.at(-1)]).toEqual([250, 1000, 1000]);
  });

  test("streams to the role of a plugin, outside of transactions and within", async () => {
    await store().sql.unsafe("create table lanes (n int); insert into lanes select generate_series(1, 30)");
    const grants = { read: ["lanes"], write: [], columns: {} };
    expect((await syncRoles(store().db, [{ plugin: "lanes", ...grants }])).reason).toBeUndefined();
    const own = store().restrictedTo("lanes", grants as never);
    const read = async (by: Db, least: number) => {
      const lanes = (by as unknown as Kysely<{ lanes: { n: number } }>).selectFrom("lanes").select("n");
      const found: number[] = [];
      for await (const { n } of lanes.where("n", ">", least).orderBy("n").stream(4)) found.push(n);
      return found;
    };
    const last = [25, 26, 27, 28, 29, 30];
    expect(await read(own.db, 24)).toEqual(last);
    expect(
      await store()
        .db.transaction()
        .execute((tx) => read(own.within(tx), 24)),
    ).toEqual(last);
    expect(await read(own.db, 29)).toEqual([30]);
  });

  test("a stream that is left early keeps its transaction usable", async () => {
    await db()
      .transaction()
      .execute(async (tx) => {
        const numbers = () => tx.selectNoFrom(sql<number>`generate_series(1, 1000)`.as("n")).stream(10);
        for await (const { n } of numbers()) if (n === 15) break;
        expect(await rows(tx as never, sql`select 1 as n`)).toEqual([{ n: 1 }]);
        let sum = 0;
        for await (const { n } of numbers()) sum += n;
        expect(sum).toBe(500_500);
      });
  });

  test("says how many connections are busy, and how many callers wait", async () => {
    const before = store().load().transactions;
    expect([before.busy, before.waiting]).toEqual([0, 0]);
    const gate = Promise.withResolvers<void>();
    const hold = () =>
      db()
        .transaction()
        .execute(() => gate.promise);
    const held = Array.from({ length: 30 }, hold);
    await until(() => store().load().transactions.waiting > 0);
    const { connections, busy, waiting } = store().load().transactions;
    expect([busy, waiting]).toEqual([connections, 30 - connections]);
    gate.resolve();
    await Promise.all(held);
    expect(store().load().transactions).toEqual({ connections, busy: 0, waiting: 0 });
  });

  test("spreads single statements over several connections", async () => {
    const pids = await Promise.all(
      Array.from({ length: 12 }, () => one(sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`)),
    );
    expect(new Set(pids.map((row) => row?.pid)).size).toBeGreaterThan(1);
    expect(store().load().statements.connections).toBeGreaterThan(1);
  });

  test("says how many rows a statement wrote, and nothing of one that reads", async () => {
    await store().sql.unsafe("create table counted (id int primary key, n int)");
    const wrote = async (text: string) => (await sql.raw(text).execute(store().db)).numAffectedRows;
    const counts = [
      await wrote("insert into counted select n, n from generate_series(1, 5) n"),
      await wrote("update counted set n = 0 where id > 2"),
      await wrote(
        "merge into counted using (values (1), (9)) as s (id) on s.id = counted.id when matched then update set n = 7",
      ),
      await wrote("delete from counted where id = 1 returning n"),
      await wrote("select * from counted"),
    ];
    expect(counts).toEqual([5n, 3n, 1n, 1n, undefined]);
  });

  test("receives notifications, also after a lost connection, and none after a stop", async () => {
    const heard: string[] = [];
    const lost = Promise.withResolvers<void>();
    const back = Promise.withResolvers<void>();
    let next = Promise.withResolvers<void>();
    const stop = await store().listen("news", {
      onNotify(payload) {
        heard.push(payload);
        next.resolve();
      },
      onLoss: lost.resolve,
      onReturn: back.resolve,
    });
    await store().notify("news", "one");
    await next.promise;
    await store().sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query like 'listen%' and datname = current_database()`;
    await lost.promise;
    await back.promise;
    next = Promise.withResolvers();
    await store().notify("news", "two");
    await next.promise;
    await stop();
    await store().notify("news", "three");
    await one(sql`select pg_sleep(0.05)`);
    expect(heard).toEqual(["one", "two"]);
  });
});

test("openStore() explains a wrong URL without its password", async () => {
  const opened = (databaseUrl: string) =>
    openStore({ databaseUrl, dataDir: "unused", connectTimeoutMs: 2000 }).then(
      () => "",
      (error: unknown) => {
        expect(error).toBeInstanceOf(StoreError);
        return (error as Error).message;
      },
    );
  expect(await opened("postgres://ann:s3cret@127.0.0.1:1/books")).toBe(
    'Cannot open the store at "postgres://ann@127.0.0.1:1/books": nothing listens there, wanted a running PostgreSQL; check DATABASE_URL',
  );
  expect(await opened("mysql://ann:s3cret@127.0.0.1/books")).toContain('found protocol "mysql:"');
  expect(await opened("s3cret")).toBe(
    'Cannot read DATABASE_URL: found no URL, wanted "postgres://user:password@host:port/name"',
  );
});
