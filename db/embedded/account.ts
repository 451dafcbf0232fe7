/**
 * The accounts of the embedded server. Everyday connections are those of an account that owns the database and what is in it, and may
 * make roles for plugins; it is no superuser, so no statement reads files of the system, starts programs or becomes a superuser.
 * The superuser that initdb made creates it, and gives it what versions before it have left to the superuser: at each start what
 * is there, in one transaction. Such a version may run over the store again, as it connects as the superuser.
 */
import type postgres from "postgres";
import type { Probed } from "../connection/probe.ts";
import type { Server } from "../connection/server.ts";
import { codeOf } from "../query/unknown_values.ts";

/** The superuser that initdb creates; access is limited by the socket's folder. */
export const EMBEDDED_USER = "lectern";
/** The account of everyday connections. */
export const EMBEDDED_ACCOUNT = "lectern_owner";

/** The key of the advisory lock of the change of owners; other versions share it. */
const LOCK = 7_206_418;
/** SQLSTATEs of what another process has just made. */
const THERE: ReadonlySet<string> = new Set(["42P04", "42710", "23505"]);

/** Creates the account and its database where they are missing; `admin` is a connection of the superuser to another database. */
export async function ensureDatabase(admin: postgres.Sql, database: string): Promise<void> {
  const [found] = await admin<{ account: boolean; owner: string | null }[]>`select
    exists (select from pg_roles where rolname = ${EMBEDDED_ACCOUNT}) as account,
    (select pg_get_userbyid(datdba) from pg_database where datname = ${database}) as owner`;
  const owner = admin(EMBEDDED_ACCOUNT);
  if (!found?.account) await unlessThere(admin`create role ${owner} login createrole`);
  if (!found?.owner) await unlessThere(admin`create database ${admin(database)} owner ${owner}`);
  else if (found.owner !== EMBEDDED_ACCOUNT)
    await admin.begin(async (tx) => {
      // The server refuses to alter a database that another process is altering.
      await tx`select pg_advisory_xact_lock(${LOCK})`;
      await tx`alter database ${tx(database)} owner to ${tx(EMBEDDED_ACCOUNT)}`;
    });
}

/** Two processes may create it at once. */
async function unlessThere(created: PromiseLike<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!THERE.has(codeOf(error))) throw error;
  }
}

/** The catalogs whose objects have an owner and a schema, as columns of oid, owner and schema, and which of their rows are meant. */
const OWNED: readonly (readonly [catalog: string, columns: string, rows: string])[] = [
  [
    "pg_class",
    "oid, relowner, relnamespace",
    // Sequences of columns and toast tables follow their table.
    `relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not exists (select from pg_depend d
      where d.classid = 'pg_class'::regclass and d.objid = pg_class.oid and d.deptype in ('a', 'i') and relkind = 'S')`,
  ],
  ["pg_proc", "oid, proowner, pronamespace", "true"],
  [
    "pg_type",
    "oid, typowner, typnamespace",
    // Types of tables, arrays and multiranges follow theirs.
    `typtype in ('c', 'd', 'e', 'r', 'b') and (typrelid = 0 or exists (select from pg_class c where c.oid = typrelid and c.relkind = 'c'))
      and not exists (select from pg_type e where e.typarray = pg_type.oid)`,
  ],
  ["pg_operator", "oid, oprowner, oprnamespace", "true"],
  ["pg_opclass", "oid, opcowner, opcnamespace", "true"],
  ["pg_opfamily", "oid, opfowner, opfnamespace", "true"],
  ["pg_collation", "oid, collowner, collnamespace", "true"],
  ["pg_conversion", "oid, conowner, connamespace", "true"],
  ["pg_statistic_ext", "oid, stxowner, stxnamespace", "true"],
  ["pg_ts_config", "oid, cfgowner, cfgnamespace", "true"],
  ["pg_ts_dict", "oid, dictowner, dictnamespace", "true"],
  ["pg_namespace", "oid, nspowner, oid", "true"],
];

/** SQL: what belongs to the superuser beside the system's own objects and those of extensions, which nobody can give away. */
const LEFT = `${OWNED.map(
  ([
    catalog,
    columns,
    rows,
  ]) => `select '${catalog}'::regclass as class, o.id from (select ${columns} from ${catalog} where ${rows}) as o (id, owner, space)
    where o.owner = (select oid from pg_roles where rolname = '${EMBEDDED_USER}')
      and not exists (select from pg_namespace n where n.oid = o.space and (n.nspname like 'pg\\_%' or n.nspname = 'information_schema'))
      and not exists (select from pg_depend d where d.classid = '${catalog}'::regclass and d.objid = o.id and d.deptype = 'e')`,
).join(" union all ")}
  union all select 'pg_largeobject'::regclass, oid from pg_largeobject_metadata
    where lomowner = (select oid from pg_roles where rolname = '${EMBEDDED_USER}')`;

/** SQL: roles of plugins that the account may not give, take and drop. */
const ROLES = `select rolname from pg_roles where (starts_with(rolname, 'lectern:') or starts_with(rolname, 'owner of lectern:'))
    and not exists (select from pg_auth_members m where m.roleid = pg_roles.oid and m.member = (select oid from pg_roles where rolname = '${EMBEDDED_ACCOUNT}') and m.admin_option)`;

/** Gives the account what is left to the superuser; `own` are connections of the account, `admin` the same server for the superuser. */
export async function takeOver({ own, end }: Pick<Probed, "own" | "end">, admin: Server): Promise<void> {
  try {
    if (await isLeftToSuperuser(own)) await briefly(admin, giveToAccount);
  } catch (error) {
    await end(0);
    throw error;
  }
}

/** Runs a function over a connection of its own. */
export async function briefly({ connect }: Server, run: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const admin = connect({ max: 1 });
  try {
    await run(admin);
  } finally {
    // Limited, since the server may shut down meanwhile.
    await admin.end({ timeout: 1 });
  }
}

/** Whether something in the database belongs to the superuser that the account has to own; any account may ask. */
async function isLeftToSuperuser(sql: postgres.Sql): Promise<boolean> {
  const [found] = await sql.unsafe<{ left: boolean }[]>(`select exists (${LEFT}) or exists (${ROLES}) as left`);
  return found?.left === true;
}

/** Gives it to the account, all or nothing; `admin` is a connection of the superuser to the database. */
export async function giveToAccount(admin: postgres.Sql): Promise<void> {
  await admin.begin(async (tx) => {
    // Processes that start at once: the later ones find nothing left.
    await tx.unsafe(`select pg_advisory_xact_lock(${LOCK})`);
    await tx.unsafe(`do $give$
      declare one record; word text;
      begin
        for one in select found.type, found.identity from (${LEFT}) as o, pg_identify_object(o.class, o.id, 0) as found loop
          word := case one.type when 'statistics object' then 'statistics' else one.type end;
          execute format('alter %s %s owner to %I', word, one.identity, '${EMBEDDED_ACCOUNT}');
        end loop;
        for one in ${ROLES} loop
          execute format('grant %I to %I with admin true, inherit true, set true', one.rolname, '${EMBEDDED_ACCOUNT}');
        end loop;
      end $give$`);
  });
}
