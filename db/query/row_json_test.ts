import { beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { rows } from "./query.ts";
import { columnsOf, rowJson } from "./row_json.ts";
import type { Db } from "./tables.ts";

const TEXTS = [
  "",
  "plain",
  `"quotes" and 'apostrophes' \\ / \\u0041 \\n`,
  "emoji 🧑‍🚀, accents é ﬀ, right to left שלום, \u2028 \u2029 \ufeff \u00a0 \u007f \uffff",
  [...Array(31).keys()].map((code) => String.fromCharCode(code + 1)).join("-"),
  "null",
  '{"data":[1,2]},',
  "long ".repeat(50_000),
];
const TIMES = [
  ...["2026-01-05 09:30:00.123456+00", "2026-01-05 09:30:00+00", "2026-12-31 23:59:59.999999+00"],
  ...["2026-06-30 23:59:59.9+02", "1970-01-01 00:00:00+00", "1969-12-31 23:59:59.000001+00", "0001-01-01 00:00:00+00"],
  ...["9999-12-31 23:59:59.999999+00", "12345-06-07 08:09:10.5+00", "294276-12-31 23:59:59.999999+00"],
  ...["0044-03-15 12:00:00+00 BC", "4713-11-24 00:00:00+00 BC", "infinity", "-infinity"],
];
const NUMBERS = ["0", "-0", "1", "-1", "32767", "-32768"];
const LARGE = ["2147483647", "-2147483648"];
const LARGEST = ["9007199254740991", "-9007199254740991"];

onEachStore("rowJson()", (store) => {
  beforeAll(async () => {
    await store().sql.unsafe(`create table odd (id integer primary key, name text, short varchar(40), fixed char(9), at timestamptz,
      small smallint, number integer, large bigint, is_set boolean, "order" integer)`);
    const count = Math.max(TEXTS.length, TIMES.length, NUMBERS.length);
    const at = (list: readonly string[], n: number) => list[n] ?? null;
    for (let n = 0; n < count; n++)
      await rows(
        store().db as Db,
        sql`insert into odd values (${n}, ${at(TEXTS, n)}, left(${at(TEXTS, n)}::text, 40), left(${at(TEXTS, n)}::text, 9), ${at(TIMES, n)},
          ${at(NUMBERS, n)}, ${at([...NUMBERS, ...LARGE], n)}, ${at([...NUMBERS, ...LARGE, ...LARGEST], n)},
          ${[true, false, null][n % 3]}, ${n})`,
      );
  });

  test("writes rows as JSON.stringify writes what the driver decodes", async () => {
    const { db } = store();
    const all = sql`select * from odd order by id`;
    const json = rowJson((await columnsOf(db, all)) ?? [], "row");
    expect(json).toBeDefined();
    const [found] = await rows(db, sql<{ text: string }>`select string_agg(${json}, ',') as text from (${all}) as row`);
    expect(`[${found?.text}]`).toBe(JSON.stringify(await rows(db, all)));
  });

  test("has no text for types and names that JSON.stringify would write otherwise", async () => {
    const textOf = async (selected: string) =>
      rowJson((await columnsOf(store().db, sql`select ${sql.raw(selected)}`)) ?? [], "row");
    for (const selected of [
      "1.50",
      "1::float8",
      "'{}'::jsonb",
      "'{}'::json",
      "array[1]",
      "now()::date",
      "now()::timestamp",
      "'x'::bytea",
    ])
      expect([selected, await textOf(`1 as id, ${selected} as other`)]).toEqual([selected, undefined]);
    for (const selected of ["1 as id, 2 as id", '1 as "1"', `1 as "it's"`, '1 as "a\\b"', ""])
      expect([selected, await textOf(selected)]).toEqual([selected, undefined]);
    expect(await textOf("1 as id, null as nothing")).toBeDefined();
  });

  test("columns are not described within a transaction", async () => {
    await store()
      .db.transaction()
      .execute(async (tx) => {
        expect(await columnsOf(tx, sql`select 1 as id`)).toBeUndefined();
      });
  });
});
