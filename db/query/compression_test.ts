import { expect, test } from "bun:test";
import { sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { readSchema } from "../backup/catalogue.ts";
import { compressWithLz4, rows } from "../mod.ts";

const TEXT = "Call the DBA on duty, at any hour. ".repeat(400);

onEachStore("compressed columns", (store) => {
  test("compress what is written from then on where the server has lz4, and hold what was there", async () => {
    const { db } = store();
    await sql`create table notes (id integer primary key, html text not null, name text not null)`.execute(db);
    const put = (id: number) => sql`insert into notes values (${id}, ${TEXT}, ${TEXT})`.execute(db);
    await put(1);
    await compressWithLz4(db, "notes", ["html"]);
    await put(2);
    const found = await rows(
      db,
      sql`select id, html = ${TEXT} as same, pg_column_compression(html) as html, pg_column_compression(name) as name
        from notes order by id`,
    );
    const [{ there } = { there: false }] = await rows<{ there: boolean }>(
      db,
      sql`select 'lz4' = any(enumvals) as there from pg_settings where name = 'default_toast_compression'`,
    );
    expect(found).toEqual([
      { id: 1, same: true, html: "pglz", name: "pglz" },
      { id: 2, same: true, html: there ? "lz4" : "pglz", name: "pglz" },
    ]);
    // A backup has it in words that a server without lz4 passes over.
    const { tables } = await readSchema(store().sql);
    const wanted =
      /begin alter table "?notes"? alter column "?html"? set compression lz4; exception when feature_not_supported/;
    expect(wanted.test(tables.find(({ name }) => name === "notes")?.create ?? "")).toBe(there);
  });
});
