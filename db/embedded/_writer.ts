// For embedded_test.ts: opens the store of a folder, prints "ready", and inserts rows until it is killed; prints the id of a
// row after PostgreSQL has acknowledged it. With "once" it inserts one row and closes the store.
import { writeSync } from "node:fs";
import { sql } from "kysely";
import { openStore, rows } from "../mod.ts";

const [, , dataDir = "", mode] = process.argv;
const store = await openStore({ dataDir });

async function write(): Promise<void> {
  const [row] = await rows<{ id: number }>(
    store.db,
    sql<{ id: number }>`insert into written (filler) values (${"x".repeat(500)}) returning id`,
  );
  writeSync(1, `${row?.id}\n`);
}

// Writers that start at once take turns: "if not exists" does not prevent a race.
await store.db.transaction().execute(async (tx) => {
  await sql`select pg_advisory_xact_lock(1)`.execute(tx);
  await sql`create table if not exists written (id int generated always as identity primary key, filler text)`.execute(
    tx,
  );
});
writeSync(1, "ready\n");
if (mode === "once") {
  await write();
  await store.close();
} else {
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (;;) await write();
    }),
  );
}
