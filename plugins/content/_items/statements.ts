/** Statements over the table of a kind of described items: each kind prepares its own, since a statement names its table. */
import type { QueryCreator, Selectable, SelectQueryBuilder } from "kysely";
import type { People, Tag } from "lectern/contracts";
import { type OwnColumn, type OwnValues, type RawBuilder, sql } from "lectern/core";
import { prepared, type Statement, type TableName, type Tables } from "lectern/db";
import type { DescribedTable } from "./contract.ts";

/** What a read of an item takes beside its id: SQL for what other plugins know of it. */
export interface ReadParameters {
  readonly id: number;
  readonly tags: RawBuilder<Tag[]>;
  readonly visible: RawBuilder<boolean>;
}

/** The values of the columns that all kinds have, as a write gives them. */
export type SharedValues = Pick<Selectable<DescribedTable>, (typeof SHARED_COLUMNS)[number]>;

/**
 * The statements of a kind. `Stored` is a row of the table, `Read` a row with what is joined to it, `Own` the values of the columns that the
 * kind has beside the shared ones.
 */
export interface ItemStatements<Stored, Read, Own> {
  /** An item with its people and tags. */
  readonly find: Statement<ReadParameters & { readonly people: RawBuilder<People> }, Read & ReadMore>;
  /** The present row, locked until the transaction ends. */
  readonly lock: Statement<{ readonly id: number }, Stored>;
  readonly insert: Statement<SharedValues & Own, Stored>;
  /** The stored description in HTML, of a row that is locked until the transaction ends. */
  readonly lockDescription: Statement<{ readonly id: number }, { description_html: string }>;
  readonly setDescription: Statement<Described & { readonly id: number }, never>;
}

type Described = Pick<DescribedTable, "description" | "description_html">;

interface ReadMore {
  readonly people: People;
  readonly tags: Tag[];
}

const SHARED_COLUMNS = [
  ...(["name", "slug", "description", "description_html", "created_by", "updated_by", "owned_by"] as const),
] satisfies readonly (keyof DescribedTable)[];

/** The builder over tables of any kind, by names that are not literal. All of them have the columns of a `DescribedTable`. */
export function described(db: QueryCreator<Tables>): QueryCreator<Record<string, DescribedTable>> {
  return db as unknown as QueryCreator<Record<string, DescribedTable>>;
}

/**
 * Prepares the statements of a kind, at the top of a module. `own` names the columns that an insert has beside the shared
 * ones, all of them; `read` selects what an item is read with.
 */
export function itemStatements<T extends TableName, Joined extends TableName, Read>(
  table: T,
  own: Readonly<Record<OwnColumn<Tables[T], DescribedTable>, true>>,
  read: (db: QueryCreator<Tables>) => SelectQueryBuilder<Tables, Joined, Read>,
): ItemStatements<Selectable<Tables[T]>, Read, OwnValues<Tables[T], DescribedTable>> {
  // As a string, since the builder cannot resolve a type parameter.
  const name: string = table;
  const columns = [...SHARED_COLUMNS, ...Object.keys(own)];
  const statements = {
    find: prepared(`${table}.find`, (db, p: ReadParameters & { readonly people: RawBuilder<People> }) =>
      read(db)
        .select([p.people.as("people"), p.tags.as("tags")])
        .where(sql.ref(`${table}.id`), "=", p.id)
        .where(p.visible),
    ),
    lock: prepared(`${table}.lock`, (db, p: { readonly id: number }) =>
      described(db).selectFrom(name).selectAll().where("id", "=", p.id).where("deleted_at", "is", null).forUpdate(),
    ),
    insert: prepared(`${table}.insert`, (db, p: SharedValues) =>
      described(db).insertInto(name).values(pick(p, columns)).returningAll(),
    ),
    lockDescription: prepared(`${table}.lockDescription`, (db, p: { readonly id: number }) =>
      described(db).selectFrom(name).select("description_html").where("id", "=", p.id).forUpdate(),
    ),
    setDescription: prepared(`${table}.setDescription`, (db, p: Described & { readonly id: number }) =>
      described(db)
        .updateTable(name)
        .set({ description: p.description, description_html: p.description_html })
        .where("id", "=", p.id),
    ),
  };
  // The builder knows the rows as those of a DescribedTable; they are those of `table`.
  return statements as unknown as ItemStatements<Selectable<Tables[T]>, Read, OwnValues<Tables[T], DescribedTable>>;
}

/** The values of the named columns. */
function pick<V extends object>(values: V, columns: readonly string[]): V {
  return Object.fromEntries(columns.map((column) => [column, values[column as keyof V]])) as V;
}
