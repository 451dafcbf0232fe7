import { sql } from "kysely";
import type { Db } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { AnyPlugin } from "./plugin.ts";

/** Checks that each granted table exists: else its name is misspelt, or the plugin that creates it is missing. Throws BootError. */
export async function checkTables(plugins: readonly AnyPlugin[], db: Db): Promise<void> {
  const wanted = plugins.flatMap(({ name, permissions: { read = [], write = [] } }) =>
    [...read, ...write].map((table) => ({ name, table })),
  );
  const given = sql<{ name: string; table: string }>`jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb)`;
  const first = await db
    .selectFrom(given.as<"wanted">(sql`wanted(name text, "table" text)`))
    .select(["wanted.name", "wanted.table"])
    .where(({ ref }) => sql<boolean>`to_regclass(quote_ident(${ref("wanted.table")})) is null`)
    .limit(1)
    .executeTakeFirst();
  if (first)
    throw new BootError(`The plugin "${first.name}" needs the table "${first.table}", which no plugin creates`);
}
