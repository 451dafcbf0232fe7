import { expect, test } from "bun:test";
import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { onEachStore } from "../_stores.ts";
import { rows } from "../mod.ts";

onEachStore("transactions", (store) => {
  test("of owners take turns: one waits for none of the many that another began before it", async () => {
    const owners = new AsyncLocalStorage<string>();
    store().limit({ statementMs: 0, writeMs: 0, waitMs: 60_000, ownerOf: () => owners.getStore() ?? "" });
    const order: string[] = [];
    const held = Promise.withResolvers<void>();
    const transaction = (owner: string) =>
      owners.run(owner, () =>
        store()
          .db.transaction()
          .execute(async (tx) => {
            order.push(owner);
            await held.promise;
            await rows(tx, sql`select 1`);
          }),
      );
    const all = Array.from({ length: 30 }, () => transaction("many"));
    all.push(transaction("one"), transaction("another"));
    await until(() => store().load().transactions.busy + store().load().transactions.waiting === all.length);
    held.resolve();
    await Promise.all(all);
    expect(order).toHaveLength(32);
    // Those that hold the connections were first, and one more may have its turn before each.
    expect(Math.max(order.indexOf("one"), order.indexOf("another"))).toBeLessThan(10);
  });
});
