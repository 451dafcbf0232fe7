import { expect, test } from "bun:test";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { onEachStore } from "../_stores.ts";
import { rows } from "../query/query.ts";

const BREAK = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'lectern' and datname = current_database() and pid <> pg_backend_pid()`;

onEachStore("single statements", (store) => {
  test("each get their own answer while connections break", async () => {
    let asked = 0;
    const outcomes = { own: 0, failed: 0, wrong: 0 };
    const ask = async () => {
      const own = ++asked;
      // Long ones are still being sent when the connection breaks.
      const filler = "x".repeat(own % 5 === 0 ? 40_000 : 10);
      try {
        const [row] = await rows<{ own: number }>(
          store().db,
          sql`select ${own}::int as own, ${filler}::text as filler`,
        );
        outcomes[row?.own === own ? "own" : "wrong"] += 1;
      } catch {
        outcomes.failed += 1;
      }
    };
    const asking: Promise<void>[] = [];
    for (let round = 0; round < 10; round++)
      for (let at = 0; at < 200; at++) {
        asking.push(ask());
        if (at % 20 === 0) await Bun.sleep(1);
        if (at === 100)
          void store()
            .sql.unsafe(BREAK)
            .execute()
            .catch(() => {});
      }
    await Promise.all(asking);
    // The last sessions may break somewhat later.
    const works = () => rows(store().db, sql`select ${7}::int as n`).catch(() => []);
    expect(await until(works, ({ length }) => length > 0)).toEqual([{ n: 7 }]);
    expect(outcomes.wrong).toBe(0);
    expect(outcomes.failed).toBeGreaterThan(0);
    expect(outcomes.own + outcomes.failed).toBe(2_000);
    // The last break may end a connection after all answers.
    const seven = () => rows(store().db, sql`select ${7}::int as n`).catch(() => []);
    expect(await until(seven, ({ length }) => length > 0)).toEqual([{ n: 7 }]);
  }, 60_000);

  test("each get their own answer while a table is altered", async () => {
    await store().sql.unsafe("create table altered (n int); insert into altered values (1), (2)");
    const read = (n: number) => rows(store().db, sql`select * from altered where n = ${n}::int`);
    const number = async (n: number) => (await rows<{ n: number }>(store().db, sql`select ${n}::int as n`))[0]?.n;
    for (let round = 0; round < 3; round++) {
      // On every connection, often enough for a cached plan.
      for (let turn = 0; turn < 10; turn++) await Promise.all([1, 2, 1, 2, 1, 2].map(read));
      await store().sql.unsafe(`alter table altered add column more_${round} int`);
      const answers = await Promise.all([read(1), number(10), read(2), number(20), read(1), read(2), number(30)]);
      const numbers = answers.map((one) => (Array.isArray(one) ? (one[0] as { n: number }).n : one));
      expect(numbers).toEqual([1, 10, 2, 20, 1, 2, 30]);
      expect(await Promise.all([1, 2, 3, 4, 5, 6].map(number))).toEqual([1, 2, 3, 4, 5, 6]);
    }
  });

  test("that were rejected by a loss before they were sent do not run afterwards", async () => {
    await store().sql.unsafe("create table late (n int)");
    const slow = rows(store().db, sql`select pg_sleep(${5}::float8)`).catch(() => "lost");
    const rest = Array.from({ length: 8 }, (_, n) =>
      rows(store().db, sql`insert into late values (${n}::int) returning pg_sleep(0.5)`).then(
        () => true,
        () => false,
      ),
    );
    const sleeping = () => store().sql`select from pg_stat_activity where wait_event = 'PgSleep'`;
    await until(async () => (await sleeping()).length > 0);
    await store().sql.unsafe(BREAK);
    expect(await slow).toBe("lost");
    const made = (await Promise.all(rest)).filter(Boolean).length;
    await Bun.sleep(800);
    const [{ count } = { count: -1 }] = await rows<{ count: number }>(
      store().db,
      sql`select count(*) as count from late`,
    );
    expect(count).toBe(made);
  });
});
