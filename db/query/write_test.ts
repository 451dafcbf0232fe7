import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RawBuilder, sql } from "kysely";
import { dataFolder, onEachStore } from "../_stores.ts";
import type { Store } from "../connection/store_types.ts";
import { openStore } from "../open.ts";
import { rows, write } from "./query.ts";
import type { Db } from "./tables.ts";

const put = (n: number, word = "") => sql`insert into put_down (n, word) values (${n}, ${word})`;

onEachStore("write()", (store) => {
  const db = () => store().db;
  const found = async (at: Pick<Db, "executeQuery"> = db()) =>
    (await rows<{ n: number }>(at, sql<{ n: number }>`select n from put_down order by n`)).map(({ n }) => n);
  const within = (run: (work: Db) => Promise<unknown>) =>
    db()
      .transaction()
      .execute(async (tx) => void (await run(tx)));
  beforeAll(async () => {
    await store().sql.unsafe("create table put_down (n int primary key, word text not null check (word <> 'bad'))");
  });
  const clear = () => store().sql.unsafe("truncate put_down");

  test("is visible to the next statement, and committed", async () => {
    await clear();
    // The second time the statement is prepared and not awaited.
    for (const start of [0, 10])
      await within(async (work) => {
        for (let n = start; n < start + 5; n++) await write(work, put(n));
        expect((await found(work)).length).toBe(start === 0 ? 5 : 11);
        await write(work, put(start + 5));
      });
    expect(await found()).toEqual([0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]);
  });

  test("is sent without waiting for its answer, once the session knows it", async () => {
    await clear();
    const lock = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = within(async (work) => {
      await rows(work, sql`select pg_advisory_xact_lock(7110)`);
      locked.resolve();
      await lock.promise;
    });
    await locked.promise;
    // The insert waits for the holder; were its answer awaited, nobody would release the lock.
    const behind = (n: number) =>
      sql`insert into put_down (n, word) select ${n}::int, case when ${n}::int > 90 then pg_advisory_xact_lock(7110)::text else '' end`;
    await within(async (work) => {
      await write(work, behind(1));
      await write(work, behind(91));
      lock.resolve();
      await holder;
    });
    expect(await found()).toEqual([1, 91]);
  });

  test("outside transactions it resolves when it is done, and throws its error", async () => {
    await clear();
    await write(db(), put(1));
    expect(await found()).toEqual([1]);
    await expect(write(db(), put(1))).rejects.toMatchObject({ code: "23505" });
  });

  test("its failure rolls back the transaction and is thrown by the next statement or the commit", async () => {
    await clear();
    const lateness: Record<string, (work: Db) => Promise<unknown>> = {
      "at the commit": async () => {},
      "at a reading": (work) => found(work),
      "at another write, and at the commit": (work) => write(work, put(8)),
      "at a savepoint": (work) =>
        (work as unknown as { savepoint(n: string): { execute(): Promise<unknown> } }).savepoint("x").execute(),
    };
    for (const [when, next] of Object.entries(lateness)) {
      const tx = await db().startTransaction().execute();
      const at = tx as unknown as Db;
      const run = async () => {
        await write(at, put(1));
        await write(at, put(2));
        await write(at, put(3, "bad")).catch(() => {});
        await next(at);
        await tx.commit().execute();
      };
      const error = await run().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (!tx.isCommitted)
        await tx
          .rollback()
          .execute()
          .catch(() => {});
      expect({ when, code: (error as { code?: string } | undefined)?.code }).toEqual({ when, code: "23514" });
      expect(await found()).toEqual([]);
    }
  });

  test("a failure that was rolled back to a savepoint does not affect the rest", async () => {
    await clear();
    await within(async (work) => {
      await write(work, put(1));
      await write(work, put(2));
    });
    const tx = await db().startTransaction().execute();
    await write(tx as unknown as Db, put(3));
    const saved = await tx.savepoint("half").execute();
    await write(saved as unknown as Db, put(1)).catch(() => {});
    await saved.rollbackToSavepoint("half").execute();
    await write(tx as unknown as Db, put(4));
    await tx.commit().execute();
    expect(await found()).toEqual([1, 2, 3, 4]);
  });

  test("many at once, small and large, arrive in order", async () => {
    await clear();
    const words = Array.from({ length: 400 }, (_, n) => "x".repeat(n % 50 === 0 ? 100_000 : n));
    await within(async (work) => {
      for (const [n, word] of words.entries()) await write(work, put(n, word));
    });
    const [sum] = await rows<{ n: number; length: number }>(
      db(),
      sql`select count(*)::int as n, sum(length(word))::int as length from put_down`,
    );
    expect(sum).toEqual({ n: 400, length: words.join("").length });
  });

  test("nothing is stored where the connection breaks between writes", async () => {
    await clear();
    await within((work) => write(work, put(0)));
    const broken = within(async (work) => {
      await write(work, put(1));
      const [me] = await rows<{ pid: number }>(work, sql<{ pid: number }>`select pg_backend_pid() pid`);
      await write(work, put(2));
      await rows(db(), sql`select pg_terminate_backend(${me?.pid}, 2000)`);
      for (let n = 3; n < 20; n++) await write(work, put(n));
    });
    await expect(broken).rejects.toThrow();
    expect(await found()).toEqual([0]);
    await within((work) => write(work, put(30)));
    expect(await found()).toEqual([0, 30]);
  });

  test("unanswered writes do not run after the connection broke", async () => {
    await clear();
    await store().sql.unsafe("create table if not exists put_lists (n int, words text[])");
    const list = (n: number) => sql`insert into put_lists values (${n}, ${["x".repeat(3_000_000)]}::text[])`;
    await within(async (work) => {
      await write(work, put(1_000));
      await write(work, list(0));
    });
    for (const writes of [Array.from({ length: 130 }, (_, n) => put(n)), [1, 2, 3, 4].map(list)]) {
      const broken = within(async (work) => {
        const [me] = await rows<{ pid: number }>(work, sql<{ pid: number }>`select pg_backend_pid() pid`);
        void store().sql`select pg_terminate_backend(${me?.pid ?? 0})`.execute();
        for (const one of writes) await write(work, one);
      });
      await broken.catch(() => {});
      await Bun.sleep(700);
    }
    const [kept] = await rows(
      db(),
      sql`select (select count(*) from put_down)::int as n, (select count(*) from put_lists)::int as lists`,
    );
    // A whole transaction that committed before the loss, or nothing.
    expect([1, 131]).toContain((kept as { n: number }).n);
    expect([1, 5]).toContain((kept as { lists: number }).lists);
  });

  test("a stale plan rolls back its transaction, and the next one works", async () => {
    await clear();
    const answer = sql`insert into put_down (n, word) values (${1}, ${"x"}) returning *`;
    for (let turn = 0; turn < 3; turn++) {
      await clear();
      await within((work) => write(work, answer));
    }
    await clear();
    await store().sql.unsafe("alter table put_down add column more int");
    await expect(within((work) => write(work, answer))).rejects.toMatchObject({ code: "0A000" });
    expect(await found()).toEqual([]);
    await within((work) => write(work, answer));
    expect(await found()).toEqual([1]);
  });

  test("a transaction is stored as a whole or not at all, whenever the connection breaks", async () => {
    for (let round = 0; round < 12; round++) {
      await clear();
      let pid = 0;
      const words = Array.from({ length: 60 }, (_, n) => "x".repeat(n % 7 === 0 ? 30_000 : n));
      const done = within(async (work) => {
        pid = (await rows<{ pid: number }>(work, sql<{ pid: number }>`select pg_backend_pid() pid`))[0]?.pid ?? 0;
        for (const [n, word] of words.entries()) {
          if (n === round * 5) void store().sql`select pg_terminate_backend(${pid})`.execute();
          await write(work, put(n, word));
        }
      }).then(
        () => true,
        () => false,
      );
      const isDone = await done;
      const kept = (await found()).length;
      expect(isDone ? [words.length] : [0, words.length]).toContain(kept);
    }
  }, 30_000);
});

let unprepared: Store;
beforeAll(async () => {
  unprepared = await openStore({ dataDir: dataFolder(), prepare: false });
}, 60_000);
afterAll(() => unprepared.close());

test("write() without prepared statements waits for each answer and throws its error", async () => {
  await unprepared.sql.unsafe("create table put_down (n int primary key, word text not null)");
  const run = (...writes: RawBuilder<unknown>[]) =>
    unprepared.db.transaction().execute(async (tx) => {
      for (const one of writes) await write(tx, one);
    });
  await run(put(1), put(2));
  await expect(run(put(3), put(1))).rejects.toMatchObject({ code: "23505" });
  expect(await rows(unprepared.db, sql`select n from put_down order by n`)).toEqual([{ n: 1 }, { n: 2 }]);
});
