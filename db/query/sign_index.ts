import { type Kysely, type RawBuilder, sql } from "kysely";

/**
 * Characters of keys (`text_key`) that are words, or syllables, by themselves: of scripts that are written without spaces, and of Hangul. Keys of
 * other letters are below.
 */
const SIGN = String.raw`[\u0c80-\U0010efff]`;
const OTHER = String.raw`[^\u0c80-\U0010efff]+`;

/**
 * SQL: whether the key of a text has such characters. Conditions have to contain it for the index to be used, which holds these texts alone.
 * @example
 * const found = sql`select id from notes where ${hasSigns(sql`name_key`)} and ${signsOf(sql`name_key`)} @> ${signsOf(sql`text_key('東')`)}`;
 */
export function hasSigns(key: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${key} ~ ${sql.lit(SIGN)}`;
}

/**
 * SQL: these characters of a key, as an array.
 * @example
 * const signs = signsOf(sql`text_key('東京 Tokyo')`); // {東,京}
 */
export function signsOf(key: RawBuilder<unknown>): RawBuilder<string[]> {
  return sql<string[]>`string_to_array(regexp_replace(${key}, ${sql.lit(OTHER)}, '', 'g'), null)`;
}

/**
 * Creates an index by such characters of the keys of names, so that one or two of them are found without reading all names. Trigrams begin at
 * three characters.
 * @example
 * await createSignIndex(db, "notes_name_signs", { table: "notes", where: sql`deleted_at is null` });
 */
export async function createSignIndex(
  // biome-ignore lint/suspicious/noExplicitAny: as in `Migrations`
  db: Kysely<any>,
  name: string,
  { table, where }: { table: string; where: RawBuilder<unknown> },
): Promise<void> {
  const key = sql`name_key`;
  await sql`create index ${sql.id(name)} on ${sql.table(table)} using gin ((${signsOf(key)}))
    where ${where} and ${hasSigns(key)}`.execute(db);
}
