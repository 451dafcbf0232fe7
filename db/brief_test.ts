import { expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "./_stores.ts";
import { rows } from "./mod.ts";

onEachStore("brief readings", (store) => {
  const limit = async () =>
    (
      await store().brief(sql<{ limit: string; pid: number }>`select current_setting('statement_timeout') as limit,
      pg_backend_pid() as pid`)
    )[0];

  test("have an end that the server knows of, in every session", async () => {
    const first = await limit();
    expect(first?.limit).toBe("2s");
    await store().sql`select pg_terminate_backend(${first?.pid ?? 0})`;
    await Bun.sleep(300);
    const second = await limit();
    expect(second?.limit).toBe("2s");
    expect(second?.pid).not.toBe(first?.pid);
    expect(await rows(store().db, sql`select current_setting('statement_timeout') as limit`)).toEqual([{ limit: "0" }]);
  });

  test("that take too long are ended by the server, and leave their connection fit for the next", async () => {
    const started = performance.now();
    const failure = await store()
      .brief(sql`select pg_sleep(${10}::float8)`)
      .catch((error: { code?: string }) => error.code);
    expect(failure).toBe("57014");
    expect(performance.now() - started).toBeWithin(1_900, 3_000);
    expect(await store().brief(sql`select ${7}::int as n`)).toEqual([{ n: 7 }]);
  });

  test("wait for a free connection no longer than that", async () => {
    const ask = () => store().brief(sql`select pg_sleep(1.5)`);
    const ends = await Promise.allSettled([ask(), ask(), ask(), ask(), ask()]);
    expect(ends.map((end) => (end.status === "rejected" ? String(end.reason) : "read"))).toEqual([
      ...Array(4).fill("read"),
      "StoreError: Cannot begin a brief reading: all 2 connections for these were busy for 2000 ms",
    ]);
  });
});
