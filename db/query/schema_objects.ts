/**
 * The tables, columns, functions, constraints, indexes and triggers of a store, to compare it with a store in which the same
 * migrations have just run. What is missing or other is described with the SQL that makes it as it was, where that follows from what
 * is there: the rows of a lost table or column come from a backup only. Definitions are compared as PostgreSQL prints them, which is
 * the same text from version 14 on for what migrations write; without those of objects of extensions, whose schema differs.
 */
import { sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** An object of a schema. */
export interface SchemaObject {
  readonly kind: "table" | "column" | "default" | "not null" | "function" | "constraint" | "index" | "trigger";
  /** The table that it belongs to; "" for a function. */
  readonly table: string;
  /** Its name, for a default and "not null" that of the column; of a function with the types of its arguments. */
  readonly name: string;
  /** What it is, as text; null where only its name is compared. */
  readonly definition: string | null;
  /** SQL that makes it, also in place of one that is disabled, invalid or other; null for tables and for columns with values of their own. */
  readonly create: string | null;
  /** The extension without which it cannot be made. */
  readonly extension: string | null;
}

/** An object that a store lacks, or has with another definition. */
export interface SchemaDifference extends SchemaObject {
  readonly problem: "missing" | "other";
}

/** The order in which objects are made: each may use those before. */
const ORDER: readonly SchemaObject["kind"][] = [
  ...(["table", "function", "column", "default", "not null", "constraint", "index", "trigger"] as const),
];
/** What belongs to a column, and is lost with it. */
const OF_COLUMN: ReadonlySet<SchemaObject["kind"]> = new Set(["default", "not null"]);

const HERE = sql`current_schema()::regnamespace`;
const CREATE_FUNCTION = sql.lit("CREATE OR REPLACE FUNCTION ");

/**
 * The objects of a store, without those of extensions, triggers that are disabled and indexes that are invalid.
 * @example
 * const objects = await schemaObjects(db);
 */
export async function schemaObjects(db: Db): Promise<SchemaObject[]> {
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  return rows(
    db,
    sql<SchemaObject>`
    with tables as (select c.oid, relname, quote_ident(relname) as quoted from pg_class c where relnamespace = ${HERE}
      and relkind in ('r', 'p') and not exists (select from pg_depend e
        where e.classid = 'pg_class'::regclass and e.objid = c.oid and e.deptype = 'e')),
    columns as (select relname, attname, attnotnull, attgenerated <> '' as generated,
        pg_get_expr(adbin, adrelid, true) as expression,
        'alter table ' || quoted || ' alter column ' || quote_ident(attname) as alter,
        'alter table ' || quoted || ' add column ' || quote_ident(attname) as add,
        format_type(atttypid, atttypmod) || case when attcollation <> typcollation
          then ' collate ' || attcollation::regcollation::text else '' end ||
          case attidentity::text when '' then '' else ' identity ' || attidentity::text end as type
      from tables join pg_attribute on attrelid = tables.oid and attnum > 0 and not attisdropped
      join pg_type on pg_type.oid = atttypid left join pg_attrdef on adrelid = tables.oid and adnum = attnum),
    objects as (
    select 'table' as kind, relname::text as "table", relname::text as name, null as definition, null as "create",
      null as extension from tables
    union all select 'column', relname, attname, type || case when generated then ' as ' || expression else '' end,
        case when generated then add || ' ' || type || ' generated always as (' || expression || ') stored' ||
        case when attnotnull then ' not null' else '' end end, null from columns
    union all select 'default', relname, attname, coalesce(expression, 'none'),
        alter || coalesce(' set default ' || expression, ' drop default'), null from columns where not generated
    union all select 'not null', relname, attname, attnotnull::text,
        alter || case when attnotnull then ' set' else ' drop' end || ' not null', null from columns
    union all select 'function', '', proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
        regexp_replace(pg_get_functiondef(p.oid), '^[^(]*|(?<=\\n SET search_path TO )[^\\n]*', '', 'g'),
        ${CREATE_FUNCTION} || substr(pg_get_functiondef(p.oid),
          length(${CREATE_FUNCTION} || quote_ident(current_schema()) || '.') + 1), null
      from pg_proc p where pronamespace = ${HERE} and prokind = 'f' and not exists (select from pg_depend e
        where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
    union all select 'constraint', relname, conname, pg_get_constraintdef(o.oid, true),
        'alter table ' || quoted || ' drop constraint if exists ' ||
        quote_ident(conname) || '; alter table ' || quoted || ' add constraint ' || quote_ident(conname) || ' ' ||
        pg_get_constraintdef(o.oid, true), null
      from pg_constraint o join tables on tables.oid = conrelid where contype in ('p', 'u', 'c', 'x', 'f')
    union all select 'index', relname, indexrelid::regclass::text, pg_get_indexdef(indexrelid, 0, true),
        'drop index if exists ' || indexrelid::regclass::text || '; ' ||
        pg_get_indexdef(indexrelid, 0, true), (select extname::text from pg_depend d
          join pg_depend e on e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e'
          join pg_extension x on x.oid = e.refobjid where d.classid = 'pg_class'::regclass and d.objid = indexrelid limit 1)
      from pg_index join tables on tables.oid = indrelid where indisvalid
        and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u', 'x'))
    union all select 'trigger', relname, tgname, pg_get_triggerdef(t.oid, true),
        'drop trigger if exists ' || quote_ident(tgname) || ' on ' || quoted || '; ' ||
        pg_get_triggerdef(t.oid, true), null
      from pg_trigger t join tables on tables.oid = tgrelid where not tgisinternal and tgenabled in ('O', 'A'))
    select kind, "table", name, case when extension is null then definition end as definition, "create", extension
    from objects`,
  );
}

/**
 * The objects of `expected` that a store lacks or has in another form, in the order in which they can be made. Those of an extension that
 * the store does not have are left out: migrations make none there.
 * @example
 * const expected = await schemaObjects(db);
 * const lost = (await schemaDifferences(db, expected)).filter(({ problem }) => problem === "missing");
 */
export async function schemaDifferences(db: Db, expected: readonly SchemaObject[]): Promise<SchemaDifference[]> {
  const present = new Map((await schemaObjects(db)).map((one) => [keyOf(one), one.definition]));
  const installed = await rows(db, sql<{ name: string }>`select extname as name from pg_extension`);
  const extensions = new Set(installed.map(({ name }) => name));
  const found = expected.flatMap((one): SchemaDifference[] => {
    const definition = present.get(keyOf(one));
    if (definition === undefined)
      return one.extension === null || extensions.has(one.extension) ? [{ ...one, problem: "missing" }] : [];
    const isSame = one.definition === null || definition === null || one.definition === definition;
    return isSame ? [] : [{ ...one, problem: "other" }];
  });
  // A lost table says it all, and so does a lost column.
  const lost = new Set(found.filter(({ kind }) => kind === "table").map(({ table }) => table));
  const gone = new Set(found.filter(({ kind }) => kind === "column").map(({ table, name }) => `${table}.${name}`));
  return found
    .filter(({ kind, table }) => kind === "table" || !lost.has(table))
    .filter(({ kind, table, name }) => !OF_COLUMN.has(kind) || !gone.has(`${table}.${name}`))
    .sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
}

/**
 * Makes an object that is missing or other, if it has SQL for that. Throws the error of the server, such as of rows that a unique index refuses.
 * @example
 * for (const one of await schemaObjects(db)) if (one.kind === "index") await makeObject(db, one);
 */
export async function makeObject(db: Db, { create }: SchemaObject): Promise<void> {
  if (create !== null) await db.transaction().execute((tx) => sql.raw(create).execute(tx));
}

/** A trigger of a table. */
export type TableTrigger = Pick<SchemaObject, "table" | "name">;

/**
 * The triggers that are there and do not fire, also those that plugins make at each boot, which `schemaObjects` of a store that only
 * migrations have run over does not know.
 * @example
 * for (const one of await triggersOff(db)) await enableTrigger(db, one);
 */
export async function triggersOff(db: Db): Promise<TableTrigger[]> {
  return rows(
    db,
    sql<TableTrigger>`select relname::text as "table", tgname::text as name
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where relnamespace = ${HERE} and not tgisinternal and tgenabled not in ('O', 'A') order by 1, 2`,
  );
}

/**
 * Has a trigger fire again.
 * @example
 * await enableTrigger(db, { table: "notes", name: "count_notes" });
 */
export async function enableTrigger(db: Db, { table, name }: TableTrigger): Promise<void> {
  await sql`alter table ${sql.id(table)} enable trigger ${sql.id(name)}`.execute(db);
}

/**
 * A difference for people: 'index "notes_by_name" of notes is missing'.
 * @example
 * const lines = (await schemaDifferences(db, [])).map(differenceText);
 */
export function differenceText({ kind, table, name, problem, definition }: SchemaDifference): string {
  const label = OF_COLUMN.has(kind)
    ? `${kind} of column "${name}" of ${table}`
    : `${kind} "${name}"${kind === "table" || kind === "function" ? "" : ` of ${table}`}`;
  if (problem === "missing") return `${label} is missing`;
  return `${label} is not as migrations make it${kind === "function" ? "" : `: ${definition}`}`;
}

function keyOf({ kind, table, name }: SchemaObject): string {
  return JSON.stringify([kind, table, name]);
}
