/**
 * What named items of content share: columns, free slugs, updates of what differs. It knows columns and no kind by name, so
 * its statements are templates: the builder's types need the name of a table. Migrations are each plugin's own: a landed
 * step never changes.
 */
import { type Generated, type GeneratedAlways, type InsertType, type RawBuilder, sql } from "kysely";
import { type Db, flattened, rows, type TableName } from "../../db/mod.ts";
import { notFound } from "../errors.ts";
import { uniqueSlug } from "../i18n/slug.ts";

/** Columns of every table of named items. */
export interface ItemTable {
  id: Generated<number>;
  name: string;
  /** The sort and search key of the name, computed by the store. */
  name_key: GeneratedAlways<string>;
  slug: string;
  /** Ids of users; null where the user is gone. */
  created_by: number | null;
  updated_by: number | null;
  owned_by: number | null;
  created_at: Generated<string>;
  updated_at: Generated<string>;
  /** When the item was deleted and can still be restored; null while it is present. */
  deleted_at: string | null;
}

/**
 * The values that a write gives to the columns of a table beside those of `Base`; none may be missing, so that a column which is declared
 * and not written is an error of the compiler. Columns with a default of the store (`Generated`) are left out.
 * @example
 * interface NotesTable extends ItemTable { text: string; subtitle: string | null }
 * const own: OwnValues<NotesTable> = { text: "Milk, eggs", subtitle: null };
 */
export type OwnValues<Table, Base = ItemTable> = {
  readonly [C in OwnColumn<Table, Base>]: InsertType<Table[C]>;
};

/** The names of these columns. */
export type OwnColumn<Table, Base = ItemTable> = {
  [C in keyof Table & string]: C extends keyof Base ? never : undefined extends InsertType<Table[C]> ? never : C;
}[keyof Table & string];

const column = (name: keyof ItemTable) => flattened(sql.id(name));
const [ID, SLUG, UPDATED_AT, DELETED_AT] = [column("id"), column("slug"), column("updated_at"), column("deleted_at")];

/** The rows among which a slug has to be unique. */
export interface SlugScope {
  /** The id of the item itself, whose present slug counts as free. */
  readonly id?: number;
  /** A further condition over the table, such as "in this book". */
  readonly where?: RawBuilder<boolean>;
}

/**
 * A slug for a name, unique among the present rows of a table (content-api 4.1).
 * @example
 * const slug = await freeSlug(tx.db, "notes", "Call the DBA"); // call-the-dba, or call-the-dba-x7Q
 */
export function freeSlug(db: Db, table: TableName, name: string, scope: SlugScope = {}): Promise<string> {
  const { id = 0, where = sql<boolean>`true` } = scope;
  return uniqueSlug(name, async (slug) => {
    // Templates, here and below: the table is a parameter, whose columns the types of the builder do not know.
    const taken = await rows(
      db,
      sql`select 1 from ${sql.table(table)}
      where ${SLUG} = ${slug} and ${DELETED_AT} is null and ${ID} <> ${id}::integer and ${where} limit 1`,
    );
    return taken.length > 0;
  });
}

/**
 * Updates the columns of `wanted` that differ from the row, and `updated_at` if any does or `touched` is set: something
 * beside the columns changed (content-api 4.3, 4.4). Returns the row as stored.
 * @example
 * const saved = await saveChanges(tx.db, "notes", { id: 1, name: "Old" }, { wanted: { name: "New" } });
 */
export async function saveChanges<Row extends { id: number }>(
  db: Db,
  table: TableName,
  row: Row,
  { wanted, touched = false }: { wanted: Partial<Row>; touched?: boolean },
): Promise<Row> {
  const differs = (column: string, value: unknown) => value !== undefined && value !== row[column as keyof Row];
  const changed = Object.entries(wanted).filter(([column, value]) => differs(column, value));
  if (changed.length === 0 && !touched) return row;
  const sets = changed.map(([column, value]) => sql`${sql.id(column)} = ${value}`);
  const [saved] = await rows<Row>(
    db,
    sql`update ${sql.table(table)}
    set ${sql.join([...sets, sql`${UPDATED_AT} = clock_timestamp()`])} where ${ID} = ${row.id} returning *`,
  );
  return { ...row, ...saved };
}

/**
 * Marks an item as deleted: it can be restored, and no viewer sees it. Throws the 404 of `noun` where it is not present.
 * @example
 * await softDelete(tx.db, "notes", "Note", 1);
 */
export async function softDelete(db: Db, table: TableName, noun: string, id: number): Promise<void> {
  const gone = await rows(
    db,
    sql`update ${sql.table(table)} set ${DELETED_AT} = now()
      where ${ID} = ${id} and ${DELETED_AT} is null returning ${ID}`,
  );
  if (gone.length === 0) throw notFound(noun);
}
