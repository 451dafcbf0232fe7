import { expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "./_stores.ts";
import { rows } from "./rows.ts";

const BREAK = `select pg_terminate_backend(pid) from pg_stat_activity
  where application_name = 'lectern' and datname = current_database() and pid <> pg_backend_pid()`;

onEachStore("single statements", (store) => {
  test("whatever breaks under them, each is answered, and with its own answer", async () => {
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
    expect(outcomes.wrong).toBe(0);
    expect(outcomes.failed).toBeGreaterThan(0);
    expect(outcomes.own + outcomes.failed).toBe(2_000);
    expect(await rows(store().db, sql`select ${7}::int as n`)).toEqual([{ n: 7 }]);
  }, 20_000);
});
