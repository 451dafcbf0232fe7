import { expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { prepared } from "../query/prepared.ts";
import { rows, write } from "../query/query.ts";
import { withinTransaction } from "./dialect.ts";
import { isWithinTransaction, outsideTransaction, undoCall } from "./joined.ts";
import { withSlowPool } from "./limits.ts";

const countRows = prepared("test.joined_count", (db) =>
  db.selectNoFrom(sql<number>`(select count(*)::integer from joined)`.as("n")),
);

onEachStore("withinTransaction()", (store) => {
  const db = () => store().db;
  const count = async () => (await rows(db(), sql<{ n: number }>`select count(*)::integer as n from joined`))[0]?.n;
  const add = (n: number) => write(db(), sql`insert into joined values (${n})`);
  const kept = async <R>(result: R) => ({ result, isKept: true });

  test("every way to the store leads into the transaction, and to none after it", async () => {
    await store().sql.unsafe("create table joined (n int primary key)");
    const failing = db()
      .transaction()
      .execute(async (tx) => {
        await write(tx, sql`insert into joined values (1)`);
        expect(await count()).toBe(0);
        const { result } = await withinTransaction(tx, async () => {
          expect(isWithinTransaction()).toBe(true);
          await db()
            .transaction()
            .execute((own) => write(own, sql`insert into joined values (2)`));
          const streamed: unknown[] = [];
          for await (const row of db().selectNoFrom(sql<number>`(select max(n) from joined)`.as("n")).stream(1))
            streamed.push(row);
          return kept({
            rows: await count(),
            prepared: (await countRows.executeTakeFirst(db(), {}))?.n,
            builder: await db().selectNoFrom(sql<number>`(select count(*)::integer from joined)`.as("n")).execute(),
            slow: await withSlowPool({ key: "", limitMs: 1_000 }, count),
            streamed,
            outside: await outsideTransaction(count),
          });
        });
        expect(result).toEqual({
          ...{ rows: 2, prepared: 2, builder: [{ n: 2 }], slow: 2, streamed: [{ n: 2 }], outside: 0 },
        });
        expect(isWithinTransaction()).toBe(false);
        throw new Error("rolled back");
      });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await count()).toBe(0);
  });

  test("what a call does not keep is gone, and the transaction goes on", async () => {
    await db()
      .transaction()
      .execute(async (tx) => {
        await withinTransaction(tx, async () => ({ result: await add(10), isKept: true }));
        await withinTransaction(tx, async () => ({ result: await add(11), isKept: false }));
        const failed = withinTransaction(tx, async () => {
          await add(12);
          return kept(await add(10));
        });
        await expect(failed).rejects.toThrow("duplicate key");
        await write(tx, sql`insert into joined values (13)`);
      });
    expect(await rows(db(), sql`select n from joined order by n`)).toEqual([{ n: 10 }, { n: 13 }]);
  });

  test("a call of which a transaction was rolled back keeps nothing, whatever it says", async () => {
    await db()
      .transaction()
      .execute(async (tx) => {
        const rolledBack = await withinTransaction(tx, async () => {
          await add(20);
          await db()
            .transaction()
            .execute(async () => Promise.reject(new Error("no")))
            .catch(() => {});
          return kept("went on");
        });
        expect(rolledBack).toEqual({ result: "went on", isKept: false });
        const undone = await withinTransaction(tx, async () => {
          await add(21);
          undoCall();
          return kept("went on");
        });
        expect(undone.isKept).toBe(false);
      });
    expect(await rows(db(), sql`select n from joined where n in (20, 21)`)).toEqual([]);
  });

  test("calls run one after the other, within others too", async () => {
    const order: string[] = [];
    await db()
      .transaction()
      .execute(async (tx) => {
        const called = (name: string, isKept: boolean, n: number, inner?: () => Promise<unknown>) =>
          withinTransaction(tx, async () => {
            order.push(`${name} begins`);
            await add(n);
            await inner?.();
            order.push(`${name} ends`);
            return { result: undefined, isKept };
          });
        await Promise.all([called("first", true, 30, () => called("inner", false, 31)), called("second", true, 32)]);
      });
    expect(order).toEqual(["first begins", "inner begins", "inner ends", "first ends", "second begins", "second ends"]);
    expect(await rows(db(), sql`select n from joined where n between 30 and 32 order by n`)).toEqual([
      { n: 30 },
      { n: 32 },
    ]);
  });

  test("what a call has left behind runs outside, and its transactions take no more statements", async () => {
    const ended = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    let lateWithin: Promise<unknown> | undefined;
    const failing = db()
      .transaction()
      .execute(async (tx) => {
        await withinTransaction(tx, async () => {
          late = ended.promise.then(() => add(40));
          lateWithin = db()
            .transaction()
            .execute(async (own) => {
              await ended.promise;
              await rows(own, sql`insert into joined values (41)`);
            })
            .catch((error: unknown) => String(error));
          return kept(undefined);
        });
        ended.resolve();
        await late;
        expect(await lateWithin).toContain("the call that it belongs to has ended");
        throw new Error("rolled back");
      });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await rows(db(), sql`select n from joined where n >= 40`)).toEqual([{ n: 40 }]);
  });

  test("outside of a transaction there is none to join", async () => {
    await expect(withinTransaction(db(), () => kept(1))).rejects.toThrow("Cannot join a transaction");
    expect(isWithinTransaction()).toBe(false);
  });
});
