/**
 * The schema of a store as SQL that builds it again: types, sequences and functions, tables, and what follows their rows
 * (constraints, indexes, foreign keys, triggers, views). It is read from the system catalogs, so that it covers what any plugin
 * has made, also one that is no longer installed. Objects that cannot be described are an error: a backup must not omit them.
 */
import type postgres from "postgres";
import { StoreError } from "../query/errors.ts";
import { ident, literal } from "../query/quoting.ts";

/** A connection of postgres.js, or a transaction over one. */
export type Queries = Pick<postgres.Sql, "unsafe">;

/** A table of a store. */
export interface TableSchema {
  readonly name: string;
  /** The columns whose values are stored, without generated ones. */
  readonly columns: readonly string[];
  /** `create table`, without constraints and indexes. */
  readonly create: string;
}

/** SQL that follows the rows. */
export interface LaterStep {
  readonly sql: string;
  /** The extension without which it fails: an index with its operators. */
  readonly extension: string | null;
}

/** Everything that is needed to build the tables of a store again. */
export interface StoreSchema {
  /** The schema of the tables, usually "public". */
  readonly schema: string;
  /** Extensions beside plpgsql. */
  readonly extensions: readonly string[];
  /** Types, sequences and functions, in order. */
  readonly before: readonly string[];
  /** By name. */
  readonly tables: readonly TableSchema[];
  readonly after: readonly LaterStep[];
}

/** The state of a sequence; `value` is text, since it may exceed the safe integers. */
export interface SequenceValue {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

const HERE = "current_schema()::regnamespace";
/** Condition: the object is not a part of an extension. `class` is the catalog of the object. */
const own = (catalog: string, oid: string) =>
  `not exists (select from pg_depend e where e.classid = '${catalog}'::regclass and e.objid = ${oid} and e.deptype = 'e')`;

/** Reads the schema of a store. Throws StoreError that names what cannot be described. */
export async function readSchema(sql: Queries): Promise<StoreSchema> {
  await refuseUnknown(sql);
  const [place] = await sql.unsafe<{ schema: string }[]>("select current_schema() as schema");
  const extensions = await texts(sql, "select extname as text from pg_extension where extname <> 'plpgsql' order by 1");
  const sequences = await readSequences(sql);
  return {
    schema: place?.schema ?? "public",
    extensions,
    before: [
      ...(await texts(sql, ENUMS)),
      ...sequences.filter(({ identity }) => identity === null).map((one) => `create sequence ${sequenceText(one)}`),
      ...(await texts(sql, FUNCTIONS)),
    ],
    tables: await readTables(sql, sequences),
    after: [
      ...sequences.flatMap(ownedBy),
      ...(await sql.unsafe<LaterStep[]>(CONSTRAINTS)),
      ...(await sql.unsafe<LaterStep[]>(INDEXES)),
      ...(await sql.unsafe<LaterStep[]>(FOREIGN_KEYS)),
      ...(await sql.unsafe<LaterStep[]>(VIEWS)),
      ...(await sql.unsafe<LaterStep[]>(TRIGGERS)),
    ].map(({ sql: text, extension }) => ({ sql: text, extension })),
  };
}

/** Reads the values of all sequences. They are not part of a snapshot: a value may be ahead of the rows, never behind. */
export async function readSequenceValues(sql: Queries): Promise<SequenceValue[]> {
  const names = await texts(
    sql,
    `select relname as text from pg_class where relkind = 'S' and relnamespace = ${HERE} order by 1`,
  );
  if (names.length === 0) return [];
  const one = (name: string) =>
    `select ${literal(name)} as name, last_value::text as value, is_called as "isCalled" from ${ident(name)}`;
  return [...(await sql.unsafe<SequenceValue[]>(names.map(one).join(" union all ")))].map((row) => ({ ...row }));
}

async function texts(sql: Queries, query: string): Promise<string[]> {
  return (await sql.unsafe<{ text: string }[]>(query)).map(({ text }) => text);
}

async function refuseUnknown(sql: Queries): Promise<void> {
  const [odd] = await texts(sql, `${UNKNOWN} limit 1`);
  if (odd !== undefined)
    throw new StoreError(`Cannot describe the schema of the store: ${odd} is no table, view, function or sequence`);
}

/** Objects that have no description here. */
const UNKNOWN = `
  select 'the ' || case relkind when 'p' then 'partitioned table' when 'm' then 'materialized view'
    when 'f' then 'foreign table' when 'c' then 'type' else 'partition' end || ' "' || relname || '"' as text
  from pg_class c where relnamespace = ${HERE} and (relkind in ('p', 'm', 'f', 'c') or (relkind = 'r'
    and exists (select from pg_inherits where inhrelid = c.oid or inhparent = c.oid))) and ${own("pg_class", "c.oid")}
  union all select 'the aggregate "' || proname || '"' from pg_proc p
    where pronamespace = ${HERE} and prokind in ('a', 'w') and ${own("pg_proc", "p.oid")}
  union all select 'the domain or range "' || typname || '"' from pg_type t
    where typnamespace = ${HERE} and typtype in ('d', 'r') and ${own("pg_type", "t.oid")}
  union all select 'the collation "' || collname || '"' from pg_collation o
    where collnamespace = ${HERE} and ${own("pg_collation", "o.oid")}
  union all select 'the operator ' || oprname from pg_operator o
    where oprnamespace = ${HERE} and ${own("pg_operator", "o.oid")}
  union all select 'the text search configuration "' || cfgname || '"' from pg_ts_config o
    where cfgnamespace = ${HERE} and ${own("pg_ts_config", "o.oid")}
  union all select 'the policy "' || polname || '"' from pg_policy join pg_class c on c.oid = polrelid where relnamespace = ${HERE}
  union all select 'the rule "' || rulename || '"' from pg_rewrite join pg_class c on c.oid = ev_class
    where relnamespace = ${HERE} and rulename <> '_RETURN'`;

const ENUMS = `select 'create type ' || quote_ident(typname) || ' as enum (' ||
    (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid) || ')' as text
  from pg_type t where typnamespace = ${HERE} and typtype = 'e' and ${own("pg_type", "t.oid")} order by t.oid`;

/** The qualified name is taken off, which pg_get_functiondef always writes. */
const FUNCTIONS = `select 'create or replace ' || kind || ' ' ||
    substr(text, length('CREATE OR REPLACE ' || kind || ' ' || quote_ident(current_schema()) || '.') + 1) as text
  from (select p.oid, case prokind when 'p' then 'procedure' else 'function' end as kind, pg_get_functiondef(p.oid) as text
    from pg_proc p where pronamespace = ${HERE} and prokind in ('f', 'p') and ${own("pg_proc", "p.oid")}) described order by oid`;

const CONSTRAINT = `'alter table ' || quote_ident(c.relname) || ' add constraint ' || quote_ident(conname) || ' ' ||
  pg_get_constraintdef(o.oid, true) as sql, null as extension
  from pg_constraint o join pg_class c on c.oid = conrelid where connamespace = ${HERE} and c.relkind = 'r'`;
const CONSTRAINTS = `select ${CONSTRAINT} and contype in ('p', 'u', 'c', 'x') order by c.relname, contype = 'c', conname`;
const FOREIGN_KEYS = `select ${CONSTRAINT} and contype = 'f' order by c.relname, conname`;

/** Indexes beside those of constraints. One whose operator class is part of an extension names it. */
const INDEXES = `select pg_get_indexdef(i.indexrelid, 0, true) as sql, (select extname from pg_depend d
    join pg_depend e on e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e'
    join pg_extension x on x.oid = e.refobjid where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid limit 1) as extension
  from pg_index i join pg_class c on c.oid = i.indrelid join pg_class n on n.oid = i.indexrelid
  where c.relnamespace = ${HERE} and c.relkind = 'r'
    and not exists (select from pg_constraint where conindid = i.indexrelid and contype in ('p', 'u', 'x'))
  order by n.relname`;

const VIEWS = `select 'create view ' || quote_ident(relname) || ' as ' || pg_get_viewdef(c.oid) as sql, null as extension
  from pg_class c where relnamespace = ${HERE} and relkind = 'v' and ${own("pg_class", "c.oid")} order by c.oid`;

const TRIGGERS = `select pg_get_triggerdef(t.oid, true) || case tgenabled when 'O' then '' else
    '; alter table ' || quote_ident(relname) || case tgenabled when 'D' then ' disable' when 'R' then ' enable replica'
    else ' enable always' end || ' trigger ' || quote_ident(tgname) end as sql, null as extension
  from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace = ${HERE} and not tgisinternal order by relname, tgname`;

interface Sequence {
  readonly name: string;
  readonly options: string;
  readonly type: string;
  readonly persistence: string;
  readonly table: string | null;
  readonly column: string | null;
  /** "a" or "d" for a sequence of an identity column: always, by default. */
  readonly identity: string | null;
}

async function readSequences(sql: Queries): Promise<Sequence[]> {
  const found = await sql.unsafe<Sequence[]>(`select s.relname as name, format_type(seqtypid, null) as type,
      s.relpersistence as persistence, format('increment %s minvalue %s maxvalue %s start %s cache %s%s', seqincrement, seqmin,
        seqmax, seqstart, seqcache, case when seqcycle then ' cycle' else '' end) as options,
      t.relname as table, a.attname as column, nullif(a.attidentity, '') as identity
    from pg_class s join pg_sequence on seqrelid = s.oid
    left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = s.oid and d.refclassid = 'pg_class'::regclass
      and d.deptype in ('a', 'i')
    left join pg_class t on t.oid = d.refobjid
    left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where s.relnamespace = ${HERE} and ${own("pg_class", "s.oid")} order by 1`);
  return [...found];
}

function sequenceText({ name, type, options }: Sequence): string {
  return `${ident(name)} as ${type} ${options}`;
}

function ownedBy({ name, table, column, identity }: Sequence): LaterStep[] {
  if (identity !== null || table === null || column === null) return [];
  return [{ sql: `alter sequence ${ident(name)} owned by ${ident(table)}.${ident(column)}`, extension: null }];
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly storage: string | null;
  readonly lz4: boolean;
  readonly notNull: boolean;
  readonly identity: string;
  readonly generated: string;
  readonly expression: string | null;
}

const COLUMNS = `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
    case when a.attcollation <> t.typcollation then quote_ident(n.nspname) || '.' || quote_ident(o.collname) end as collation,
    case when a.attstorage <> t.typstorage then a.attstorage end as storage, a.attcompression = 'l' as lz4, a.attnotnull as "notNull",
    a.attidentity as identity, a.attgenerated as generated, pg_get_expr(d.adbin, d.adrelid, true) as expression
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  left join pg_collation o on o.oid = a.attcollation left join pg_namespace n on n.oid = o.collnamespace
  where c.relnamespace = ${HERE} and c.relkind = 'r' and ${own("pg_class", "c.oid")} order by c.relname, a.attnum`;

const TABLES = `select relname as name, relpersistence = 'u' as unlogged, array_to_string(reloptions, ', ') as options,
    obj_description(oid, 'pg_class') as comment
  from pg_class c where relnamespace = ${HERE} and relkind = 'r' and ${own("pg_class", "c.oid")} order by relname`;

async function readTables(sql: Queries, sequences: readonly Sequence[]): Promise<TableSchema[]> {
  const columns = Map.groupBy(await sql.unsafe<Column[]>(COLUMNS), ({ table }) => table);
  const tables =
    await sql.unsafe<{ name: string; unlogged: boolean; options: string | null; comment: string | null }[]>(TABLES);
  return tables.map(({ name, unlogged, options, comment }) => {
    const all = columns.get(name) ?? [];
    const texts = all.map((column) => columnText(column, sequences));
    const stored = options === null ? "" : ` with (${options})`;
    const create = `create ${unlogged ? "unlogged " : ""}table ${ident(name)} (${texts.join(", ")})${stored}`;
    const storage = all.flatMap((column) => storageText(name, column));
    const comments = comment === null ? [] : [`comment on table ${ident(name)} is ${literal(comment)}`];
    return {
      name,
      columns: all.filter(({ generated }) => generated === "").map((column) => column.name),
      create: [create, ...storage, ...comments].join(";\n"),
    };
  });
}

function columnText(column: Column, sequences: readonly Sequence[]): string {
  const { name, type, collation, notNull, identity, generated, expression } = column;
  const parts = [ident(name), type];
  if (collation !== null) parts.push(`collate ${collation}`);
  if (generated !== "") parts.push(`generated always as (${expression}) ${generated === "v" ? "virtual" : "stored"}`);
  else if (expression !== null) parts.push(`default ${expression}`);
  const sequence = sequences.find((one) => one.table === column.table && one.column === name && one.identity !== null);
  if (sequence)
    parts.push(
      `generated ${identity === "a" ? "always" : "by default"} as identity (sequence name ${ident(sequence.name)} ${sequence.options})`,
    );
  if (notNull) parts.push("not null");
  return parts.join(" ");
}

const STORAGE: Readonly<Record<string, string>> = { p: "plain", e: "external", m: "main", x: "extended" };

/** A server without lz4 keeps its default. */
function storageText(table: string, { name, storage, lz4 }: Column): string[] {
  const kind = storage === null ? undefined : STORAGE[storage];
  const column = `alter table ${ident(table)} alter column ${ident(name)}`;
  return [
    ...(kind === undefined ? [] : [`${column} set storage ${kind}`]),
    ...(lz4
      ? [
          `do $lectern$ begin ${column} set compression lz4; exception when feature_not_supported then null; end $lectern$`,
        ]
      : []),
  ];
}
