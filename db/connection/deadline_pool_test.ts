import { expect, test } from "bun:test";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { onEachStore } from "../_stores.ts";
import { rows, withSlowPool } from "../mod.ts";
import type { Connection } from "./connection.ts";
import { DeadlinePool } from "./deadline_pool.ts";

onEachStore("polls", (store) => {
  const limit = async () =>
    (
      await store().queryWithDeadline(sql<{
        limit: string;
        pid: number;
      }>`select current_setting('statement_timeout') as limit,
      pg_backend_pid() as pid`)
    )[0];

  test("have a statement_timeout, in every session", async () => {
    const first = await limit();
    expect(first?.limit).toBe("2s");
    await store().sql`select pg_terminate_backend(${first?.pid ?? 0})`;
    const second = await until(
      () => limit().catch(() => undefined),
      (found) => found !== undefined && found.pid !== first?.pid,
    );
    expect(second?.limit).toBe("2s");
    expect(second?.pid).not.toBe(first?.pid);
    expect(await rows(store().db, sql`select current_setting('statement_timeout') as limit`)).toEqual([{ limit: "0" }]);
  });

  test("that take too long are cancelled by the server, and their connection is usable", async () => {
    const failure = await store()
      .queryWithDeadline(sql`select pg_sleep(${10}::float8)`)
      .catch((error: { code?: string }) => error.code);
    expect(failure).toBe("57014");
    expect(await store().queryWithDeadline(sql`select ${7}::int as n`)).toEqual([{ n: 7 }]);
  });

  test("wait no longer for a free connection", async () => {
    const ask = () => store().queryWithDeadline(sql`select pg_sleep(1.3)`);
    const ends = await Promise.allSettled([ask(), ask(), ask(), ask(), ask()]);
    expect(ends.map((end) => (end.status === "rejected" ? String(end.reason) : "read"))).toEqual([
      ...Array(4).fill("read"),
      expect.stringMatching(/^StoreUnavailable: Cannot begin a poll: all 2 connections .* busy for 2000 ms/),
    ]);
  });
});

onEachStore("slow statements", (store) => {
  test("are planned for their values, except in reads that keep plans", async () => {
    const plans = (keepsPlans?: boolean) =>
      withSlowPool({ key: "plans", limitMs: 5_000, keepsPlans }, async () => {
        const found = await rows<{ plans: string; memory: string }>(
          store().db,
          sql`select current_setting('plan_cache_mode') as plans, current_setting('work_mem') as memory`,
        );
        return found[0];
      });
    const kept = { plans: "auto", memory: "32MB" };
    const anew = { plans: "force_custom_plan", memory: "32MB" };
    expect([await plans(), await plans(true), await plans(true), await plans()]).toEqual([anew, kept, kept, anew]);
  });

  test("are not compiled, whatever the server does by default", async () => {
    const compiled = () => rows(store().db, sql`show jit`);
    expect(await withSlowPool({ key: "jit", limitMs: 5_000 }, compiled)).toEqual([{ jit: "off" }]);
  });

  const sleep = (seconds: number) => rows(store().db, sql`select pg_sleep(${seconds}::float8)`);
  const sleeping = async () => {
    const [{ n } = { n: -1 }] = await rows<{ n: number }>(
      store().db,
      sql`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()`,
    );
    return n;
  };
  const untilSleeping = (n: number) => until(sleeping, (found) => found === n);

  test("delay no quick ones, however many there are", async () => {
    const gone = new AbortController();
    const slow = Array.from({ length: 12 }, (_, n) =>
      withSlowPool({ key: `user ${n}`, limitMs: 60_000, signal: gone.signal }, () => sleep(60)),
    );
    const ended = Promise.allSettled(slow);
    await untilSleeping(4);
    for (let n = 0; n < 20; n++) expect(await rows(store().db, sql`select ${n}::int as n`)).toEqual([{ n }]);
    expect(await sleeping()).toBe(4);
    gone.abort();
    await ended;
  });

  test("are cancelled when the client disconnects, also while they wait for a connection", async () => {
    const gone = new AbortController();
    const slow = Array.from({ length: 6 }, () =>
      withSlowPool({ key: "user 1", limitMs: 60_000, signal: gone.signal }, () => sleep(60)),
    );
    const ended = Promise.allSettled(slow);
    await untilSleeping(2);
    gone.abort();
    expect((await ended).map(({ status }) => status)).toEqual(Array(6).fill("rejected"));
    await untilSleeping(0);
    expect(await withSlowPool({ key: "user 1", limitMs: 5_000 }, () => rows(store().db, sql`select 1 as n`))).toEqual([
      { n: 1 },
    ]);
  });

  test("of one user leave a connection for those of another", async () => {
    const ends: string[] = [];
    const ask = (user: string) =>
      withSlowPool({ key: user, limitMs: 60_000 }, () => sleep(0.2)).then(() => void ends.push(user));
    const all = Array.from({ length: 20 }, () => ask("many"));
    all.push(ask("one"), ask("other"));
    await Promise.all(all);
    expect(ends.slice(0, 4).sort()).toEqual(["many", "many", "one", "other"]);
  });

  test("are cancelled after their own limit, which no other statement inherits", async () => {
    const code = await withSlowPool({ key: "user 1", limitMs: 200 }, () => sleep(60)).catch(
      (error: { code?: string }) => error.code,
    );
    expect(code).toBe("57014");
    const limit = () => rows(store().db, sql`select current_setting('statement_timeout') as limit`);
    expect(await withSlowPool({ key: "user 1", limitMs: 7_000 }, limit)).toEqual([{ limit: "7s" }]);
    expect(await limit()).toEqual([{ limit: "0" }]);
    const within = () =>
      store()
        .db.transaction()
        .execute((tx) => rows(tx, sql`show statement_timeout`));
    expect(await withSlowPool({ key: "user 1", limitMs: 7_000 }, within)).toEqual([{ statement_timeout: "7s" }]);
    expect(await within()).toEqual([{ statement_timeout: "0" }]);
  });
});

test("a statement is not sent over a connection that turns out to be of no use, and over another one it is", async () => {
  const sent: string[] = [];
  const connection = {
    ...{ isLost: false, isWornOut: () => false, limit() {}, end: async () => {} },
    sendAlone: async (text: string) => [sent.push(text)],
  } as unknown as Connection;
  const ready = [Promise.reject(new Error("too far behind")), Promise.resolve(), undefined];
  const pool = new DeadlinePool({
    ...{ size: 1, waitMs: () => 1_000, maxAgeMs: 60_000, use: ["a read", "reads"], answerMs: () => 0, cancel() {} },
    open: () => connection,
    ready: () => ready.shift(),
  });
  const send = (text: string) => pool.send(text, [], { key: "", limitMs: 1_000 });
  await expect(send("select 1")).rejects.toThrow("too far behind");
  expect(sent).toEqual([]);
  await send("select 2");
  await send("select 3");
  expect(sent).toEqual(["select 2", "select 3"]);
});
