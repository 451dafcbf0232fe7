import { type Kysely, type RawBuilder, sql } from "kysely";
import { rows } from "./query.ts";

/**
 * Creates a trigram index over a text expression, so that `like '%x%'` does not scan the table. It needs the extension
 * pg_trgm: where that is not installed, or the user may not create it, there is no index and such filters scan the table.
 * @example
 * await createTrigramIndex(db, "notes_name_trigrams", { table: "notes", on: sql`name_key`, where: sql`deleted_at is null` });
 */
export async function createTrigramIndex(
  // biome-ignore lint/suspicious/noExplicitAny: as in `Migrations`
  db: Kysely<any>,
  name: string,
  { table, on, where }: { table: string; on: RawBuilder<unknown>; where: RawBuilder<unknown> },
): Promise<void> {
  await sql`do $$ begin
      create extension if not exists pg_trgm;
    exception when insufficient_privilege or undefined_file or feature_not_supported then
      raise notice 'There is no extension pg_trgm';
    end $$`.execute(db);
  if (!(await hasTrigrams(db))) return;
  await sql`create index ${sql.id(name)} on ${sql.table(table)} using gin ((${on}) gin_trgm_ops) where ${where}`.execute(
    db,
  );
}

/**
 * Whether the store has trigram indexes.
 * @example
 * const isIndexed = await hasTrigrams(db);
 */
export async function hasTrigrams(db: Pick<Kysely<never>, "executeQuery">): Promise<boolean> {
  // A template: Kysely's builder has no words for catalogs.
  const [found] = await rows<{ there: boolean }>(
    db,
    sql`select exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid)) as there`,
  );
  return found?.there ?? false;
}
