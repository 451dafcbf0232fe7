import { expect, test } from "bun:test";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { flatten, rows } from "./query.ts";

const dry = new Kysely<{ books: { id: number; name: string } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const deleted = sql`${sql.ref("b.deleted_at")} is null`;
const templates = {
  "a plain text": sql`select 1`,
  "values, null, booleans and lists": sql`select ${1}, ${null}, ${"x"}, ${true}, ${[1, 2]}, ${{ a: 1 }}`,
  "nested templates": sql`select * from b where ${deleted} and (${sql`${sql.ref("id")} = ${5} or ${deleted}`}) limit ${10}`,
  "names of every kind": sql`select ${sql.ref("s.t.c")}, ${sql.id("a", 'b"c')}, ${sql.table("s.t")}, ${sql.ref("x")} from ${sql.table('od"d')}`,
  "joined values and templates": sql`values (${sql.join([1, "a", null, sql`now()`])}) ${sql.join([sql`a`, sql`b`], sql` and `)} ${sql.join([])}`,
  "literals and raw text": sql`select ${sql.lit(5)}, ${sql.lit("it's")}, ${sql.lit(null)}, ${sql.lit(true)} ${sql.raw("order by 1")}`,
  "a whole Kysely query": sql`select exists ${dry.selectFrom("books").select("id").where("name", "=", "x")}, ${2}`,
  "an aliased template": sql`select ${sql`${1}`.as("one")}`,
};

for (const [title, template] of Object.entries(templates)) {
  test(`flatten() writes ${title} as Kysely's compiler does`, () => {
    const { sql: text, parameters } = flatten(template);
    const compiled = template.compile(dry);
    expect({ text, parameters }).toEqual({ text: compiled.sql, parameters: compiled.parameters });
  });
}

onEachStore("rows()", (store) => {
  test("returns exactly what execute() returns", async () => {
    const query = sql<{ n: number }>`select n, ${"é"}::text as word, ${[1, 2]}::int[] as list, ${null}::int as none
      from ${sql.id("pg_catalog", "generate_series")}(1, ${3}) n where n in (${sql.join([1, 3])}) order by ${sql.ref("n")}`;
    const { rows: executed } = await query.execute(store().db);
    expect(await rows(store().db, query)).toEqual(executed);
    expect(executed as unknown[]).toEqual([
      { n: 1, word: "é", list: [1, 2], none: null },
      { n: 3, word: "é", list: [1, 2], none: null },
    ]);
  });

  test("runs inside the caller's transaction", async () => {
    await store().sql.unsafe("create table kept (n int)");
    await store()
      .db.transaction()
      .execute(async (tx) => {
        await rows(tx, sql`insert into kept values (${1})`);
        expect(await rows(tx, sql`select n from kept`)).toEqual([{ n: 1 }]);
        expect(await rows(store().db, sql`select n from kept`)).toEqual([]);
        throw new Error("undo");
      })
      .catch(() => {});
    expect(await rows(store().db, sql`select n from kept`)).toEqual([]);
  });
});
