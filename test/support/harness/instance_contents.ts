/** Everything that an instance stores, as text that can be compared: each row of each table and ledger, and each file. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "lectern/db";

/** Where an instance stores. */
export interface InstancePlace {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** Rows by table, in an order of their own, with generated columns; sequences and ledgers likewise. */
export async function rowsOf(place: InstancePlace): Promise<Record<string, readonly string[]>> {
  const store = await openStore({ ...place, poolSize: 2 });
  try {
    const tables = await store.sql<{ name: string }[]>`
      select quote_ident(nspname) || '.' || quote_ident(relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind in ('r', 'v') and nspname in (current_schema(), 'lectern_ledger') order by 1`;
    const found: Record<string, readonly string[]> = {};
    for (const { name } of tables) {
      const rows = await store.sql.unsafe<{ row: string }[]>(
        `select to_jsonb(t)::text as row from ${name} t order by 1`,
      );
      found[name] = rows.map(({ row }) => row);
    }
    const sequences = await store.sql<{ row: string }[]>`
      select sequencename || ' ' || coalesce(last_value::text, 'unused') as row from pg_sequences order by 1`;
    return { ...found, sequences: sequences.map(({ row }) => row) };
  } finally {
    await store.close();
  }
}

/** SHA-256 of the files of a data folder, by key. */
export function filesOf(dataDir: string): Record<string, string> {
  const root = join(dataDir, "files");
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths
      .filter((path) => statSync(join(root, path)).isFile())
      .map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("hex"),
      ]),
  );
}
