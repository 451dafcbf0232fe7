/**
 * The tables, columns, functions, constraints, indexes and triggers of a store, to compare it with a store in which the same
 * migrations have just run. What is missing is described with the SQL that makes it again, where that follows from what is
 * there: the rows of a lost table or column come from a backup only.
 */
import { sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** An object of a schema. */
export interface SchemaObject {
  readonly kind: "table" | "column" | "function" | "constraint" | "index" | "trigger";
  /** The table that it belongs to; "" for a function. */
  readonly table: string;
  /** Its name; of a function with the types of its arguments. */
  readonly name: string;
  /** SQL that makes it, also in place of one that is disabled or invalid; null for tables and for columns with values of their own. */
  readonly create: string | null;
  /** The extension without which it cannot be made. */
  readonly extension: string | null;
}

/** The order in which objects are made: each may use those before. */
const ORDER: readonly SchemaObject["kind"][] = ["table", "function", "column", "constraint", "index", "trigger"];

const HERE = sql`current_schema()::regnamespace`;
const CREATE_FUNCTION = sql.lit("CREATE OR REPLACE FUNCTION ");

/**
 * The objects of a store, without those of extensions, triggers that are disabled and indexes that are invalid.
 * @example
 * const objects = await schemaObjects(db);
 */
export async function schemaObjects(db: Db): Promise<SchemaObject[]> {
  return rows(
    db,
    sql<SchemaObject>`
    with tables as (select c.oid, relname, quote_ident(relname) as quoted from pg_class c where relnamespace = ${HERE}
      and relkind in ('r', 'p') and not exists (select from pg_depend e
        where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e'))
    select 'table' as kind, relname::text as "table", relname::text as name, null as "create", null as extension from tables
    union all select 'column', relname, attname, case when attgenerated = 's' then 'alter table ' || quoted || ' add column ' ||
        quote_ident(attname) || ' ' || format_type(atttypid, atttypmod) || case when attcollation <> typcollation
        then ' collate ' || attcollation::regcollation::text else '' end || ' generated always as (' ||
        pg_get_expr(adbin, adrelid, true) || ') stored' || case when attnotnull then ' not null' else '' end end, null
      from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      join pg_type on pg_type.oid = atttypid left join pg_attrdef on adrelid = tables.oid and adnum = attnum
    union all select 'function', '', proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        ${CREATE_FUNCTION} || substr(pg_get_functiondef(p.oid),
          length(${CREATE_FUNCTION} || quote_ident(current_schema()) || '.') + 1), null
      from pg_proc p where pronamespace = ${HERE} and prokind = 'f' and not exists (select from pg_depend e
        where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    union all select 'constraint', relname, conname, 'alter table ' || quoted || ' drop constraint if exists ' ||
        quote_ident(conname) || '; alter table ' || quoted || ' add constraint ' || quote_ident(conname) || ' ' ||
        pg_get_constraintdef(o.oid, true), null
      from pg_constraint o join tables on tables.oid = conrelid where contype in ('p', 'u', 'c', 'x', 'f')
    union all select 'index', relname, indexrelid::regclass::text, 'drop index if exists ' || indexrelid::regclass::text || '; ' ||
        pg_get_indexdef(indexrelid, 0, true), (select extname::text from pg_depend d
          join pg_depend e on e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e'
          join pg_extension x on x.oid = e.refobjid where d.classid = 'pg_class'::regclass and d.objid = indexrelid limit 1)
      from pg_index join tables on tables.oid = indrelid where indisvalid
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    union all select 'trigger', relname, tgname, 'drop trigger if exists ' || quote_ident(tgname) || ' on ' || quoted || '; ' ||
        pg_get_triggerdef(t.oid, true), null
      from pg_trigger t join tables on tables.oid = tgrelid where not tgisinternal and tgenabled in ('O', 'A')`,
  );
}

/**
 * The objects of `expected` that a store lacks, in the order in which they can be made. Those of an extension that the store
 * does not have are left out: migrations make none there.
 * @example
 * const expected = await schemaObjects(db);
 * const lost = (await missingObjects(db, expected)).map(({ name }) => name);
 */
export async function missingObjects(db: Db, expected: readonly SchemaObject[]): Promise<SchemaObject[]> {
  const present = new Set((await schemaObjects(db)).map(keyOf));
  const installed = await rows(db, sql<{ name: string }>`select extname as name from pg_extension`);
  const extensions = new Set(installed.map(({ name }) => name));
  const missing = expected.filter(
    (one) => !present.has(keyOf(one)) && (one.extension === null || extensions.has(one.extension)),
  );
  // A lost table says it all.
  const lost = new Set(missing.filter(({ kind }) => kind === "table").map(({ table }) => table));
  return missing
    .filter(({ kind, table }) => kind === "table" || !lost.has(table))
    .sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}

/**
 * Makes a missing object, if it has SQL for that. Throws the error of the server, such as of rows that a unique index refuses.
 * @example
 * for (const one of await schemaObjects(db)) if (one.kind === "index") await makeObject(db, one);
 */
export async function makeObject(db: Db, { create }: SchemaObject): Promise<void> {
  if (create !== null) await db.transaction().execute((tx) => sql.raw(create).execute(tx));
}

/**
 * The name of an object for people: 'index "notes_by_name" of notes'.
 * @example
 * const labels = (await schemaObjects(db)).map(objectLabel);
 */
export function objectLabel({ kind, table, name }: SchemaObject): string {
  return `${kind} "${name}"${kind === "table" || kind === "function" ? "" : ` of ${table}`}`;
}

function keyOf({ kind, table, name }: SchemaObject): string {
  return JSON.stringify([kind, table, name]);
}
