import { expect, test } from "bun:test";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { onEachStore } from "../_stores.ts";
import { rows, write } from "../query/query.ts";
import type { Db } from "../query/tables.ts";
import { transactionControl } from "./transaction_control.ts";

onEachStore("transactionControl()", (store) => {
  const db = () => store().db;
  const sleeping = async () =>
    (
      await rows(
        db(),
        sql`select 1 from pg_stat_activity where state = 'active' and query like '%control_sleep%' and pid <> pg_backend_pid()`,
      )
    ).length;

  test("shows whether a statement runs, and how many were sent", async () => {
    await db()
      .transaction()
      .execute(async (tx) => {
        const control = await transactionControl(tx);
        await rows(tx, sql`select 1`);
        expect(control?.isBusy).toBe(false);
        const before = control?.sent ?? 0;
        const running = rows(tx, sql`select pg_sleep(0.05)`);
        await until(async () => control?.isBusy === true);
        expect(control?.sent).toBeGreaterThan(before);
        await running;
        expect(control?.isBusy).toBe(false);
      });
    expect(await transactionControl(db())).toBeUndefined();
  });

  test("abort() cancels what runs, rolls back, and frees the connection and its locks at once", async () => {
    await store().sql.unsafe("create table aborted (n int primary key)");
    const { connections } = store().load().transactions;
    const aborting = db()
      .transaction()
      .execute(async (tx) => {
        const control = await transactionControl(tx);
        await write(tx, sql`insert into aborted values (1)`);
        const running = rows(tx, sql`select pg_sleep(60) as control_sleep`).catch((error: unknown) => error);
        await until(async () => (await sleeping()) === 1);
        control?.abort();
        throw new Error("It took too long", { cause: await running });
      });
    await expect(aborting).rejects.toThrow("It took too long");
    expect(store().load().transactions).toMatchObject({ busy: 0, waiting: 0 });
    expect(store().load().transactions.connections).toBeLessThanOrEqual(connections + 1);
    await until(async () => (await sleeping()) === 0);
    // The row was locked until the rollback.
    await write(db(), sql`insert into aborted values (1)`);
  });

  test("an aborted transaction takes no more statements, also while it is rolled back and after it", async () => {
    let late: Db | undefined;
    let during: Promise<unknown> | undefined;
    const aborting = db()
      .transaction()
      .execute(async (tx) => {
        late = tx;
        const control = await transactionControl(tx);
        await rows(tx, sql`select 1`);
        control?.abort();
        during = write(tx, sql`insert into aborted values (2)`).catch((error: unknown) => error);
        throw new Error("It took too long");
      });
    await expect(aborting).rejects.toThrow("It took too long");
    expect(String(await during)).toMatch(/its transaction has ended|rolled back/);
    await expect(rows(late as Db, sql`insert into aborted values (3)`)).rejects.toThrow();
    expect(await rows(db(), sql`select n from aborted where n > 1`)).toEqual([]);
  });
});
