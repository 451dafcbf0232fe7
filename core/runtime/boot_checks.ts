/** Checks of a boot that need the store: granted tables exist, and no plugin creates the table of another one. */
import { sql } from "kysely";
import { type Db, StoreError } from "../../db/mod.ts";
import { closestMatch } from "../closest_match.ts";
import { BootError } from "../errors.ts";
import { codeOf } from "../http/store_errors.ts";
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
  if (!first) return;
  const near = closestMatch(first.table, await tablesOf(db));
  const meant = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new BootError(`The plugin "${first.name}" needs the table "${first.table}", which no plugin creates${meant}`);
}

/** Runs the migrations of a plugin. Throws StoreError that names both sides where a step creates the table of another plugin. */
export async function namingTableOwners<R>(
  { name }: AnyPlugin,
  plugins: readonly AnyPlugin[],
  run: () => Promise<R>,
): Promise<R> {
  try {
    return await run();
  } catch (error) {
    const cause = error instanceof StoreError ? error.cause : undefined;
    const table = codeOf(cause) === DUPLICATE_TABLE ? /"(.+)"/.exec((cause as Error).message)?.[1] : undefined;
    if (!(error instanceof StoreError) || table === undefined) throw error;
    throw new StoreError(`${error.message}. The table exists already${writersOf(table, name, plugins)}`, { cause });
  }
}

const DUPLICATE_TABLE = "42P07";

/** The other plugins that write a table: ` of "books"`; "" if there are none. */
function writersOf(table: string, except: string, plugins: readonly AnyPlugin[]): string {
  const writers = plugins.filter(
    ({ name, permissions }) => name !== except && (permissions.write as readonly string[] | undefined)?.includes(table),
  );
  return writers.length === 0 ? "" : ` and is written by "${writers.map(({ name }) => name).join('", "')}"`;
}

/** The tables of the schema that plugins create theirs in. */
async function tablesOf(db: Db): Promise<string[]> {
  const tables = sql<{ name: string }>`(select tablename as name from pg_tables where schemaname = current_schema())`;
  return (await db.selectFrom(tables.as("tables")).select("name").execute()).map(({ name }) => name);
}
