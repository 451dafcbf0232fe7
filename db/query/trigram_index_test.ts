import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { onEachStore } from "../_stores.ts";
import { rows } from "./query.ts";
import { createTrigramIndex, hasTrigrams } from "./trigram_index.ts";

const INDEX = { table: "birds", on: sql`lower(name)`, where: sql`not gone` };

onEachStore("an index of trigrams", (store) => {
  test("is created where the user may create the extension, and only there", async () => {
    const { db } = store();
    // Roles belong to the whole server, which may have had this test before.
    const visitor = sql.raw(`visitor_${randomBytes(6).toString("hex")}`);
    await sql`create table birds (name text not null, gone boolean not null default false);
      insert into birds select 'Bird ' || n from generate_series(1, 2000) n;
      create role ${visitor}; grant ${visitor} to current_user; grant all on schema public to ${visitor}; alter table birds owner to ${visitor}`.execute(
      db,
    );
    await db.transaction().execute(async (tx) => {
      await sql`set local role ${visitor}`.execute(tx);
      await createTrigramIndex(tx, "birds_by_name", INDEX);
    });
    const indexes = async () =>
      (await rows<{ indexname: string }>(db, sql`select indexname from pg_indexes where tablename = 'birds'`)).length;
    expect([await hasTrigrams(db), await indexes()]).toEqual([false, 0]);
    await createTrigramIndex(db, "birds_by_name", INDEX);
    expect([await hasTrigrams(db), await indexes()]).toEqual([true, 1]);
    await sql`analyze birds`.execute(db);
    const plan = await rows(db, sql`explain select from birds where not gone and lower(name) like '%1234%'`);
    expect(JSON.stringify(plan)).toContain("birds_by_name");
  });
});
