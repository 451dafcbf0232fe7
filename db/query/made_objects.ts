/**
 * What else than tables a plugin's migrations make: functions, triggers, types, views, sequences, indexes, and columns and constraints
 * of tables of others. The objects before and after each step are compared, in its transaction. The record is the table
 * `plugin_objects`; it is what a purge drops where a step ran with the rights of the account, and after a restore, which brings back
 * objects without their owners, what is given to the plugin's role again. Objects that a step replaces are not in it.
 */
import { type RawBuilder, sql } from "kysely";
import { rows } from "./query.ts";
import type { Db } from "./tables.ts";

/** An object, as PostgreSQL addresses it (`pg_identify_object_as_address`). */
interface MadeObject {
  readonly type: string;
  readonly names: readonly string[];
  readonly args: readonly string[];
}

/** An object that exists. */
export interface FoundObject extends MadeObject {
  readonly plugin: string;
  /** Whether it was made as the role of the plugin, which then owns it. */
  readonly owned: boolean;
  readonly owner: string | null;
  /** As SQL names it, such as `count_notes()` or `"more" of users`. */
  readonly identity: string;
  /** SQL that drops it. */
  readonly drop: string;
}

const HERE = sql`current_schema()::regnamespace`;

/** SQL: the objects of the runtime's schema that are no tables, and no part of a table's column, a constraint or an extension. */
const OBJECTS = sql`(
  select o.*, address.type, address.object_names as names, address.object_args as args, identified.identity from (
    select 'pg_proc'::regclass as classid, oid as objid, 0 as objsubid, proowner as owner from pg_proc where pronamespace = ${HERE}
    union all select 'pg_class'::regclass, oid, 0, relowner from pg_class
      where relnamespace = ${HERE} and relkind in ('v', 'm', 'S', 'f', 'i', 'I')
        and not exists (select from pg_constraint where conindid = pg_class.oid)
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and relkind = 'S'
          and refclassid = 'pg_class'::regclass and deptype in ('a', 'i'))
    union all select 'pg_class'::regclass, attrelid, attnum, null from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace = ${HERE} and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    union all select 'pg_type'::regclass, oid, 0, typowner from pg_type where typnamespace = ${HERE} and typtype in ('e', 'd', 'r')
    union all select 'pg_operator'::regclass, oid, 0, oprowner from pg_operator where oprnamespace = ${HERE}
    union all select 'pg_constraint'::regclass, k.oid, 0, null from pg_constraint k join pg_class c on c.oid = conrelid
      where relnamespace = ${HERE} and contype <> 'n'
    union all select 'pg_trigger'::regclass, t.oid, 0, null from pg_trigger t join pg_class c on c.oid = tgrelid
      where relnamespace = ${HERE} and not tgisinternal
    union all select 'pg_rewrite'::regclass, r.oid, 0, null from pg_rewrite r join pg_class c on c.oid = ev_class
      where relnamespace = ${HERE} and rulename <> '_RETURN'
    union all select 'pg_policy'::regclass, p.oid, 0, null from pg_policy p join pg_class c on c.oid = polrelid
      where relnamespace = ${HERE}
    union all select 'pg_event_trigger'::regclass, oid, 0, evtowner from pg_event_trigger
  ) as o cross join pg_identify_object_as_address(classid, objid, objsubid) as address
    cross join pg_identify_object(classid, objid, objsubid) as identified
  where not exists (select from pg_depend e where e.classid = o.classid and e.objid = o.objid and e.deptype = 'e'))`;

/**
 * Runs a step of a plugin and records what it makes. `owned`: whether it runs as the role that then owns that.
 * @example
 * await db.transaction().execute((tx) =>
 *   recordingObjects(tx, { plugin: "notes", owned: false }, async () => void (await sql`create sequence note_numbers`.execute(tx))),
 * );
 */
export async function recordingObjects(
  db: Db,
  { plugin, owned }: { readonly plugin: string; readonly owned: boolean },
  run: () => Promise<void>,
): Promise<void> {
  const present = await objectsOf(db);
  const before = new Set(present.map(keyOf));
  const tables = new Set(await tablesOf(db));
  await run();
  const found = await objectsOf(db);
  const foundTables = new Set(await tablesOf(db));
  const after = new Set(found.map(keyOf));
  const gone = present.filter((object) => !after.has(keyOf(object)));
  await forget(db, gone, [...tables.difference(foundTables)]);
  const created = found.filter((object) => !before.has(keyOf(object)));
  const newTables = foundTables.difference(tables);
  // What belongs to a new table goes with it.
  const kept = created.filter(({ type, names }) => !(isOfTable(type) && newTables.has(names[1] ?? "")));
  if (kept.length === 0) return;
  await sql`insert into plugin_objects (plugin, owned, type, names, args)
    select ${plugin}, ${owned}, "type", names, args
      from jsonb_to_recordset(${JSON.stringify(kept)}::text::jsonb) as made("type" text, names text[], args text[])
    on conflict (type, names, args) do update set plugin = excluded.plugin, owned = excluded.owned`.execute(db);
}

/** Forgets what a step has dropped: another plugin, or Lectern, may make what has the same name later. */
async function forget(db: Db, objects: readonly MadeObject[], tables: readonly string[]): Promise<void> {
  if (objects.length > 0)
    await sql`delete from plugin_objects kept using jsonb_to_recordset(${JSON.stringify(objects)}::text::jsonb)
        as gone("type" text, names text[], args text[])
      where kept.type = gone.type and kept.names = gone.names and kept.args = gone.args`.execute(db);
  if (tables.length > 0)
    await sql`delete from plugin_tables where table_name = any(${[...tables]}::text[])`.execute(db);
}

/**
 * What was recorded of some plugins, or of all, and is still there.
 * @example
 * const functions = (await madeObjects(db, ["notes"])).filter(({ type }) => type === "function");
 */
export async function madeObjects(db: Db, plugins?: readonly string[]): Promise<FoundObject[]> {
  const chosen = plugins === undefined ? sql`true` : sql`made.plugin = any(${[...plugins]}::text[])`;
  // Templates, here and below: Kysely's builder has no words for catalogs and roles.
  return rows(
    db,
    sql<FoundObject>`select made.plugin, made.owned, o.type, o.names, o.args, ${SHOWN} as identity, ${DROP} as drop,
        pg_get_userbyid(o.owner)::text as owner
      from plugin_objects made join ${OBJECTS} o on o.type = made.type and o.names = made.names and o.args = made.args
      where ${chosen} order by made.plugin, o.type, o.names`,
  );
}

/** Names of columns and constraints come with their table. */
const SHOWN = sql`case when o.type in ('table column', 'table constraint') then quote_ident(o.names[3]) || ' of ' || quote_ident(o.names[2])
  else o.identity end`;

const DROP = sql`case o.type
  when 'table column' then format('alter table if exists %I.%I drop column if exists %I cascade', o.names[1], o.names[2], o.names[3])
  when 'table constraint' then format('alter table if exists %I.%I drop constraint if exists %I cascade', o.names[1], o.names[2], o.names[3])
  else format('drop %s if exists %s cascade', o.type, o.identity) end`;

function isOfTable(type: string): boolean {
  return ["table column", "table constraint", "trigger", "rule", "policy"].includes(type);
}

function keyOf({ type, names, args }: MadeObject): string {
  return JSON.stringify([type, names, args]);
}

function objectsOf(db: Db): Promise<MadeObject[]> {
  const all: RawBuilder<MadeObject> = sql`select type, names, args from ${OBJECTS} as objects`;
  return rows(db, all);
}

async function tablesOf(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    sql<{ name: string }>`select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = ${HERE}`,
  );
  return found.map(({ name }) => name);
}
