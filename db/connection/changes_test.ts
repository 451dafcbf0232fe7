/**
 * Changes of watched tables begin before the statement that made them is answered, and end once: when they are committed or undone.
 * One that never ended would keep answers that depend on it out of every cache for good.
 */
import { beforeAll, expect, test } from "bun:test";
import { type Kysely, sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { type TableChange, watchTables } from "../mod.ts";
import { rows } from "../query/query.ts";
import { type ChangeEnding, ConnectionChanges } from "./changes.ts";

interface House {
  boxes: { id: number; name: string };
}

onEachStore("a change of a watched table", (store) => {
  const db = () => store().db as unknown as Kysely<House>;
  /** How often each change has ended. */
  const seen: { readonly change: TableChange; commits: number; ends: number }[] = [];
  const ends = () => seen.map((one) => one.ends);
  const add = (id: number, via = db()) => via.insertInto("boxes").values({ id, name: "box" }).execute();

  beforeAll(async () => {
    await store().sql.unsafe("create table boxes (id integer primary key, name text not null)");
    await watchTables(store().db, [{ table: "boxes", columns: ["id"], only: undefined }]);
    store().observeChanges((change) => {
      const one = { change, commits: 0, ends: 0 };
      seen.push(one);
      return {
        commits() {
          one.commits += 1;
        },
        ends() {
          one.ends += 1;
        },
      };
    });
  }, 60_000);

  test("ends with the answer of a statement of its own", async () => {
    seen.length = 0;
    await add(1);
    expect(seen.map(({ change }) => [change.table, change.values?.get("id")])).toEqual([["boxes", [1]]]);
    expect(seen[0]?.commits).toBe(1);
    await rows(store().db, sql`select 1 as n`);
    expect(ends()).toEqual([1]);
  });

  test("ends once where others are sent over the same connections", async () => {
    seen.length = 0;
    await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        at % 2 === 0 ? add(100 + at) : db().selectFrom("boxes").select("id").execute(),
      ),
    );
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 20 }, () => rows(store().db, sql`select 1 as n`)));
    expect(ends()).toEqual(Array.from({ length: 30 }, () => 1));
  });

  test("ends with its transaction, neither before nor twice", async () => {
    seen.length = 0;
    await db()
      .transaction()
      .execute(async (tx) => {
        await add(2, tx);
        await add(3, tx);
        await rows(tx as never, sql`select 1 as n`);
        await rows(store().db, sql`select 1 as n`);
        expect(seen.map(({ commits }) => commits)).toEqual([0, 0]);
        expect(ends()).toEqual([0, 0]);
      });
    expect(seen.map(({ commits }) => commits)).toEqual([1, 1]);
    expect(ends()).toEqual([1, 1]);
    await db()
      .transaction()
      .execute(async (tx) => void (await tx.selectFrom("boxes").select("id").execute()));
    expect(ends()).toEqual([1, 1]);
  });

  test("ends where it is undone: by an error of its transaction, of the statement, or to a savepoint", async () => {
    seen.length = 0;
    const undone = db()
      .transaction()
      .execute(async (tx) => {
        await add(4, tx);
        throw new Error("No box");
      });
    await expect(undone).rejects.toThrow("No box");
    expect([ends(), seen[0]?.commits]).toEqual([[1], 0]);
    await expect(sql.raw("insert into boxes values (4, 'box'); select 1 / 0").execute(db())).rejects.toThrow("zero");
    expect(ends()).toEqual([1, 1]);
    const tx = await db().startTransaction().execute();
    const point = await tx.savepoint("before").execute();
    await add(5, point);
    await point.rollbackToSavepoint("before").execute();
    await tx.commit().execute();
    expect(ends()).toEqual([1, 1, 1]);
    expect(await db().selectFrom("boxes").select("id").where("id", "in", [4, 5]).execute()).toEqual([]);
  });

  test("ends with its connection", async () => {
    seen.length = 0;
    const broken = db()
      .transaction()
      .execute(async (tx) => {
        await add(6, tx);
        await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      });
    await expect(broken).rejects.toThrow();
    expect(ends()).toEqual([1]);
    const single = sql.raw("insert into boxes values (7, 'box'); select pg_terminate_backend(pg_backend_pid())");
    await expect(single.execute(db())).rejects.toThrow();
    expect(ends()).toEqual([1, 1]);
  });
});

/** A change that notes in a list when it ends. */
const noting = (ended: string[], name: string): ChangeEnding => ({
  commits: () => {},
  ends: () => void ended.push(name),
});

/** The changes of a connection with three of them, named by what has ended. */
function threeChanges(unanswered: readonly string[]) {
  const changes = new ConnectionChanges();
  const ended: string[] = [];
  for (const name of ["a", "b", "c"]) changes.add(noting(ended, name), unanswered);
  return { changes, ended };
}

test("outside a transaction a change ends when all are answered that were sent by then", () => {
  const { changes, ended } = threeChanges(["first", "second"]);
  changes.add(noting(ended, "later"), ["second", "third"]);
  changes.answered("first");
  expect(ended).toEqual([]);
  changes.answered("second");
  expect(ended).toEqual(["a", "b", "c"]);
  changes.answered("third");
  for (const again of ["first", "second", "third"]) changes.answered(again);
  expect(ended).toEqual(["a", "b", "c", "later"]);
});

test("a change without an unanswered statement has ended", () => {
  expect(threeChanges([]).ended).toEqual(["a", "b", "c"]);
});

test("after a transaction the changes of a connection end by themselves again", () => {
  const changes = new ConnectionChanges();
  const ended: string[] = [];
  changes.hold();
  changes.add(noting(ended, "held"), []);
  changes.answered("any");
  expect(ended).toEqual([]);
  changes.release();
  changes.release();
  changes.add(noting(ended, "alone"), ["one"]);
  expect(ended).toEqual(["held"]);
  changes.answered("one");
  expect(ended).toEqual(["held", "alone"]);
});

test("a lost connection ends its changes, once", () => {
  const { changes, ended } = threeChanges(["first"]);
  changes.lost();
  changes.lost();
  changes.answered("first");
  expect(ended).toEqual(["a", "b", "c"]);
});

test("a change whose report comes when the commit was sent already may be seen at once", () => {
  const changes = new ConnectionChanges();
  const said: string[] = [];
  const saying = (name: string): ChangeEnding => ({
    commits: () => void said.push(`${name} commits`),
    ends: () => void said.push(`${name} ends`),
  });
  changes.hold();
  changes.add(saying("early"), []);
  expect(said).toEqual([]);
  changes.commits();
  changes.add(saying("late"), []);
  expect(said).toEqual(["early commits", "late commits"]);
  changes.release();
  changes.hold();
  changes.add(saying("next"), []);
  expect(said).toEqual(["early commits", "late commits", "early ends", "late ends"]);
});
