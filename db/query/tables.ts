import type { Kysely } from "kysely";

/**
 * All tables by name. Empty here: a plugin adds its own with
 * `declare module "lectern/db" { interface Tables { books: BooksTable } }`.
 */
export interface Tables {}

/** The name of a declared table. */
export type TableName = keyof Tables & string;

/** Kysely over all tables: the store or a transaction. */
export type Db = Kysely<Tables>;

/**
 * A store or transaction that is typed by the tables of one plugin, as one of all tables: for functions that take any table by name.
 * Grants are checked as before. The cast stands here alone, as the compiler would compare the two types of Kysely, which takes a
 * third of the whole type check.
 * @example
 * const [found] = await rows(overAll(context.db), sql<{ total: number }>`select count(*)::integer as total from notes`);
 */
export function overAll(db: Pick<Kysely<never>, "executeQuery">): Db {
  return db as Db;
}
