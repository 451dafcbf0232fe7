import { sql } from "kysely";
import { type Db, rows } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { AnyPlugin } from "./plugin.ts";

/** Checks that each granted table exists: else its name is misspelt, or the plugin that creates it is missing. Throws BootError. */
export async function checkTables(plugins: readonly AnyPlugin[], db: Db): Promise<void> {
  const wanted = plugins.flatMap(({ name, permissions: { read = [], write = [] } }) =>
    [...read, ...write].map((table) => ({ name, table })),
  );
  const missing = await rows<{ name: string; table: string }>(
    db,
    sql`select wanted.* from jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) as wanted(name text, "table" text)
      where to_regclass(quote_ident(wanted."table")) is null limit 1`,
  );
  const [first] = missing;
  if (first)
    throw new BootError(`The plugin "${first.name}" needs the table "${first.table}", which no plugin creates`);
}
