import type { Kysely, Transaction } from "kysely";

/**
 * Every table the runtime knows, by name. Empty here: each plugin widens it with
 * `declare module "lectern/db" { interface Tables { books: BooksTable } }`.
 */
export interface Tables {}

/** The name of a table that some plugin has declared. */
export type TableName = keyof Tables & string;

/** The whole store as Kysely sees it; a transaction fits wherever this is asked for. */
export type Db = Kysely<Tables>;

/** One transaction over the whole store. */
export type StoreTransaction = Transaction<Tables>;
