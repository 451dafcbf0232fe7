/** The rebuild of a store, which is what a restore does to the database. */
import { expect, test } from "bun:test";
import { sql } from "lectern/core";
import { rebuildStore } from "lectern/db";
import { createTestDatabase, openTestStore } from "../support/harness/test_database.ts";

const EMPTY = {
  schema: { schema: "public", extensions: [], before: [], tables: [], after: [] },
  sequences: [],
  ledgers: {},
};

test("a server that was started after a restore has looked keeps its tables", async () => {
  const database = await createTestDatabase("empty");
  const [server, tools] = [await openTestStore(database.name), await openTestStore(database.name)];
  try {
    await sql`create table notes (id integer)`.execute(server.db);
    const rebuilt = () => rebuildStore(tools, EMPTY, { replace: true, onLeftOut: () => {} }, async () => {});
    await expect(rebuilt()).rejects.toThrow("a server or a command that uses it was started meanwhile");
    expect((await sql`select * from notes`.execute(server.db)).rows).toEqual([]);
    await server.close();
    await rebuilt();
    expect(await tools.sql`select to_regclass('notes') as found`).toEqual([{ found: null }] as never);
  } finally {
    await server.close();
    await tools.close();
    await database.drop();
  }
}, 120_000);
