import { expect, test } from "bun:test";
import { type QueryCreator, type RawBuilder, sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { GrantError } from "./errors.ts";
import { guarded } from "./grants.ts";
import { prepared, preparedStatements } from "./prepared.ts";
import type { Db } from "./tables.ts";

interface Own {
  prepared_notes: { id: number; name: string; pinned: boolean };
}
/** The builder over this test's table, which no plugin declares. */
const own = (db: unknown) => db as QueryCreator<Own>;

const insert = prepared("test.insert", (db, p: { id: number; name: string }) =>
  own(db).insertInto("prepared_notes").values({ id: p.id, name: p.name, pinned: false }),
);
const find = prepared("test.find", (db, p: { id: number; visible: RawBuilder<boolean>; name: string }) =>
  own(db)
    .selectFrom("prepared_notes")
    .select(["id", "name", sql<string>`${p.name} || name`.as("both")])
    .where("pinned", "=", false)
    .where(p.visible)
    .where((eb) => eb.or([eb("id", "=", p.id), eb("name", "=", p.name)]))
    .orderBy("id"),
);
const all = prepared("test.all", (db, p: { ids: readonly number[] }) =>
  own(db)
    .selectFrom("prepared_notes")
    .select("id")
    .where("id", "=", sql<number>`any(${p.ids}::integer[])`)
    .orderBy("id"),
);

test("a statement says its parameters by name, and is in the list", () => {
  expect(find.text()).toBe(
    'select "id", "name", :name || name as "both" from "prepared_notes" where "pinned" = $1 and :visible ' +
      'and ("id" = :id or "name" = :name) order by "id"',
  );
  expect(preparedStatements()).toContain(find as never);
});

onEachStore("prepared()", (store) => {
  const db = () => store().db;

  test("binds values and templates, however often it runs", async () => {
    await store().sql.unsafe("create table prepared_notes (id int primary key, name text, pinned boolean)");
    for (const [id, name] of [
      [1, "a"],
      [2, "b"],
      [3, "c"],
    ] as const)
      await insert.execute(db(), { id, name });
    const here = sql<boolean>`id <> ${2}`;
    const nested = sql<boolean>`exists ${own(db()).selectFrom("prepared_notes").select("id").where("name", "=", "c")} and id > ${0}`;
    const everything = sql<boolean>`true`;
    for (const _ of [1, 2]) {
      expect(await find.execute(db(), { id: 1, visible: here, name: "c" })).toEqual([
        { id: 1, name: "a", both: "ca" },
        { id: 3, name: "c", both: "cc" },
      ]);
      expect(await find.executeTakeFirst(db(), { id: 2, visible: here, name: "x" })).toBeUndefined();
      expect(await find.executeTakeFirst(db(), { id: 2, visible: nested, name: "x" })).toMatchObject({ both: "xb" });
      expect(await find.execute(db(), { id: 2, visible: everything, name: "$1" })).toMatchObject([{ both: "$1b" }]);
      expect(await all.execute(db(), { ids: [1, 3] })).toEqual([{ id: 1 }, { id: 3 }]);
    }
  });

  test("refuses a query as a parameter", async () => {
    const query = own(db()).selectFrom("prepared_notes").select("id");
    const visible = query as unknown as RawBuilder<boolean>;
    await expect(find.execute(db(), { id: 1, visible, name: "a" })).rejects.toThrow(TypeError);
  });

  test("runs in the transaction it is given, also without waiting for the answer", async () => {
    const undone = db()
      .transaction()
      .execute(async (tx) => {
        await insert.write(tx, { id: 8, name: "h" });
        expect(await all.execute(tx, { ids: [8] })).toEqual([{ id: 8 }]);
        throw new Error("undo");
      });
    await expect(undone).rejects.toThrow("undo");
    expect(await all.execute(db(), { ids: [8] })).toEqual([]);
  });

  test("compiles with its parameters for the deadline pool", async () => {
    const compiled = find.compile(db(), { id: 1, visible: sql<boolean>`id <> ${2}`, name: "c" });
    const rows = await store().queryWithDeadline(compiled);
    expect(rows.map(({ both }) => both)).toEqual(["ca", "cc"]);
  });

  test("is refused to a plugin without a grant on its tables", async () => {
    const [reader, stranger] = [
      { read: ["prepared_notes"], write: [] },
      { read: [], write: [] },
    ].map((grants) => guarded(db(), "notes", grants) as unknown as Db);
    if (!reader || !stranger) throw new Error("found no guarded store");
    for (const _ of [1, 2]) {
      expect(await all.execute(reader, { ids: [1] })).toEqual([{ id: 1 }]);
      await expect(all.execute(stranger, { ids: [1] })).rejects.toThrow(GrantError);
      await expect(insert.write(reader, { id: 9, name: "i" })).rejects.toThrow(GrantError);
    }
  });
});
