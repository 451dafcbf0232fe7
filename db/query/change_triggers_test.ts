import { beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { CACHE_CHANNEL, watchTables } from "./change_triggers.ts";
import { rows } from "./query.ts";

onEachStore("changes of watched tables", (store) => {
  /** What the connections of the pools and the listener were told, in turn. */
  const shown: unknown[] = [];
  const notified: string[] = [];
  const arrived = Promise.withResolvers<void>();

  beforeAll(async () => {
    await store().sql.unsafe(`create table nests (id integer primary key, tree_id integer not null, eggs integer not null default 0);
      create table trees (id integer primary key, name text not null, height integer)`);
    await watchTables(store().db, [
      { table: "nests", columns: ["id", "tree_id"], only: undefined },
      { table: "trees", columns: ["id"], only: ["name"] },
    ]);
    store().observeChanges(({ table, values }) => {
      shown.push([table, values && Object.fromEntries(values)]);
      return { commits: () => {}, ends: () => {} };
    });
    await store().listen(CACHE_CHANNEL, {
      onNotify(payload) {
        notified.push(payload);
        if (payload === "last") arrived.resolve();
      },
    });
  }, 60_000);

  /** What a statement reports. */
  async function reports(text: string): Promise<unknown[]> {
    await rows(store().db, sql.raw(text));
    return shown.splice(0);
  }

  test("rows before and after a statement are reported once each, by their watched columns", async () => {
    expect(await reports("insert into nests values (1, 10), (2, 10)")).toEqual([
      ["nests", { id: [1, 2], tree_id: [10] }],
    ]);
    expect(await reports("update nests set tree_id = 11 where id = 2")).toEqual([
      ["nests", { id: [2], tree_id: [10, 11] }],
    ]);
    expect(await reports("delete from nests where id = 2")).toEqual([["nests", { id: [2], tree_id: [11] }]]);
    expect(await reports("delete from nests where id = 2")).toEqual([]);
  });

  test("an update that changes none of the reported columns is no change", async () => {
    await reports("insert into trees values (1, 'oak', 20)");
    expect(await reports("update trees set height = 21")).toEqual([]);
    expect(await reports("update trees set name = 'elm'")).toEqual([["trees", { id: [1] }]]);
  });

  test("many rows, and a truncated table, are reported as the table", async () => {
    expect(await reports("insert into nests select n, 1 from generate_series(100, 200) n")).toEqual([
      ["nests", undefined],
    ]);
    expect(await reports("truncate nests")).toEqual([["nests", undefined]]);
  });

  test("other servers are notified of the same at the commit, and of nothing that is undone", async () => {
    await store().notify(CACHE_CHANNEL, "first");
    const undone = store()
      .db.transaction()
      .execute(async (tx) => {
        await rows(tx, sql`insert into nests values (7, 70)`);
        throw new Error("undone");
      });
    await expect(undone).rejects.toThrow("undone");
    await reports("insert into nests values (8, 80)");
    await store().notify(CACHE_CHANNEL, "last");
    await arrived.promise;
    const between = notified.slice(notified.indexOf("first") + 1);
    expect(between).toEqual(['{"id": [8], "changed": "nests", "tree_id": [80]}', "last"]);
  });
});
