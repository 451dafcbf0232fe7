import { expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import {
  idColumn,
  type Migrations,
  migrate,
  migrationStatuses,
  pending,
  rows,
  StoreError,
  timeColumns,
} from "../mod.ts";

const init: Migrations = {
  async "0001_init"(db) {
    await db.schema.createTable("shelf_books").$call(idColumn).addColumn("name", "text").$call(timeColumns).execute();
  },
};
const second: Migrations = {
  async "0002_more"(db) {
    await sql`alter table shelf_books add column more text`.execute(db);
  },
};

onEachStore("migrate()", (store) => {
  const db = () => store().db;
  const columns = async (table: string) =>
    (
      await rows<{ name: string }>(
        db(),
        sql<{ name: string }>`select column_name as name
    from information_schema.columns where table_name = ${table} order by ordinal_position`,
      )
    ).map(({ name }) => name);

  test("runs pending steps in order, once", async () => {
    const steps = { ...second, ...init };
    expect(await pending(db(), "shelf", steps)).toEqual(["0001_init", "0002_more"]);
    expect(await migrate(db(), "shelf", init)).toEqual(["0001_init"]);
    expect(await migrate(db(), "shelf", steps)).toEqual(["0002_more"]);
    expect(await migrate(db(), "shelf", steps)).toEqual([]);
    expect(await columns("shelf_books")).toEqual(["id", "name", "created_at", "updated_at", "more"]);
  });

  test("ignores a recorded step that is missing in the code", async () => {
    expect(await migrate(db(), "shelf", { async "0003_next"() {} })).toEqual(["0003_next"]);
    expect(await pending(db(), "shelf", {})).toEqual([]);
  });

  test("has a ledger for each plugin", async () => {
    expect(await pending(db(), "@acme/kudos", init)).toEqual(["0001_init"]);
    expect(await migrate(db(), "@acme/kudos", { async "0001_init"() {} })).toEqual(["0001_init"]);
  });

  test("compares the ledgers of many plugins by two statements", async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ name: `many-${n}`, migrations: {} }));
    for (const { name } of many.slice(0, 10)) await migrate(db(), name, { async "0001_a"() {}, async "0002_b"() {} });
    const sent: string[] = [];
    store().observe(({ text }) => void sent.push(text));
    const statuses = await migrationStatuses(db(), [
      ...many.slice(1),
      { name: "many-0", migrations: { async "0001_a"() {}, async "0003_c"() {} } },
      { name: "many-new", migrations: init },
    ]);
    store().observe(() => {});
    expect(sent.length).toBe(2);
    expect(statuses.get("many-0")).toEqual({ pending: ["0003_c"], unknown: ["0002_b"], hasLedger: true });
    expect(statuses.get("many-1")).toEqual({ pending: [], unknown: ["0001_a", "0002_b"], hasLedger: true });
    expect(statuses.get("many-10")).toEqual({ pending: [], unknown: [], hasLedger: false });
    expect(statuses.get("many-new")).toEqual({ pending: ["0001_init"], unknown: [], hasLedger: false });
    await expect(migrationStatuses(db(), [...many, { name: 'a"b', migrations: {} }])).rejects.toThrow(
      'Cannot create a ledger for plugin "a"b"',
    );
  });

  test("names plugin and step of a failure, and rolls back that step alone", async () => {
    const steps: Migrations = {
      async "0001_good"(work) {
        await work.schema.createTable("good").$call(idColumn).execute();
      },
      async "0002_bad"(work) {
        await work.schema.createTable("half").$call(idColumn).execute();
        await sql`select * from nowhere`.execute(work);
      },
      async "0003_never"(work) {
        await work.schema.createTable("never").$call(idColumn).execute();
      },
    };
    const failure = await migrate(db(), "clumsy", steps).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreError);
    expect((failure as Error).message).toStartWith(
      'Cannot migrate plugin "clumsy" at step "0002_bad": relation "nowhere" does not exist',
    );
    expect([await columns("good"), await columns("half"), await columns("never")]).toEqual([["id"], [], []]);
    expect(await pending(db(), "clumsy", steps)).toEqual(["0002_bad", "0003_never"]);
  });

  test("runs each step once when several start at the same time", async () => {
    const ran: string[] = [];
    const step = (name: string) => async (work: Kysely<never>) => {
      ran.push(name);
      await sql`select pg_sleep(0.02)`.execute(work);
    };
    const steps = { "0001_a": step("a"), "0002_b": step("b"), "0003_c": step("c") } as unknown as Migrations;
    const applied = await Promise.all([
      migrate(db(), "busy", steps),
      migrate(db(), "busy", steps),
      migrate(db(), "busy", steps),
    ]);
    expect(ran).toEqual(["a", "b", "c"]);
    expect(applied.flat().sort()).toEqual(["0001_a", "0002_b", "0003_c"]);
  });

  test("rejects invalid names of steps and plugins", async () => {
    await expect(migrate(db(), "shelf", { async init() {} })).rejects.toThrow(
      'found step "init", wanted a name such as "0001_init"',
    );
    await expect(migrate(db(), 'a"b', init)).rejects.toThrow("Cannot create a ledger");
  });
});
