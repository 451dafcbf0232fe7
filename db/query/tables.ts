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
