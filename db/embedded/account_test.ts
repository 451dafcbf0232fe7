/** The account of the embedded store: what it may not, and data that versions before it have left to the superuser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { until } from "../../test/support/harness/until.ts";
import { dropPluginRole, migrate, openStore, rows, type Store, syncRoles } from "../mod.ts";
import { EMBEDDED_ACCOUNT, EMBEDDED_USER, giveToAccount } from "./account.ts";

setDefaultTimeout(120_000);
let dataDir: string;
/** Keeps the server, which ends with the last store. */
let kept: Store;
const stores: Store[] = [];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "lectern-account-"));
  kept = await openStore({ dataDir, database: "kept", poolSize: 2 });
  await rows((await opened("watching", true)).db, sql`select 1`);
});
afterAll(async () => {
  for (const store of [...stores, kept]) await store?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function opened(database: string, asSuperuser = false): Promise<Store> {
  const store = await openStore({ dataDir, database, poolSize: 2, asSuperuser });
  stores.push(store);
  return store;
}

const GRANTS = { plugin: "shelf", read: [], write: ["boxes"], columns: {} };
/** One of each kind of object. */
const OBJECTS = `
  create type colour as enum ('red', 'blue');
  create type size as (wide integer, high integer);
  create domain word as text;
  create table boxes (id integer generated always as identity primary key, paint colour, called word);
  create table parts (id integer) partition by list (id);
  create table parts_1 partition of parts for values in (1);
  create sequence numbers;
  create view red_boxes as select * from boxes where paint = 'red';
  create materialized view counted as select count(*) from boxes;
  create function one() returns integer language sql as 'select 1';
  create procedure nothing() language sql as '';
  create aggregate total (integer) (sfunc = int4pl, stype = integer);
  create statistics related on id, paint from boxes;
  create collation plain (locale = 'C');
  create text search dictionary simplest (template = simple);
  create text search configuration simplest (copy = simple);
  create schema more; create table more.boxes (id integer);
  create operator === (function = int4eq, leftarg = integer, rightarg = integer);
  create extension pg_trgm;
  select lo_create(0)`;

/** How many objects of the database belong to an account, the system's and those of extensions left out. */
async function ownedBy(store: Store, account: string): Promise<number> {
  const catalogs = [
    ["pg_class", "relowner", "relnamespace"],
    ["pg_proc", "proowner", "pronamespace"],
    ["pg_type", "typowner", "typnamespace"],
    ["pg_operator", "oprowner", "oprnamespace"],
    ["pg_collation", "collowner", "collnamespace"],
    ["pg_statistic_ext", "stxowner", "stxnamespace"],
    ["pg_ts_config", "cfgowner", "cfgnamespace"],
    ["pg_ts_dict", "dictowner", "dictnamespace"],
  ];
  const all = catalogs.map(
    ([catalog, owner, space]) => `select o.oid from ${catalog} o join pg_namespace n on n.oid = o.${space}
      where pg_get_userbyid(o.${owner}) = '${account}' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
      and not exists (select from pg_depend d where d.objid = o.oid and d.deptype = 'e')`,
  );
  all.push(
    `select oid from pg_namespace where pg_get_userbyid(nspowner) = '${account}' and nspname in ('more', 'lectern_grants')`,
  );
  all.push(`select oid from pg_largeobject_metadata where pg_get_userbyid(lomowner) = '${account}'`);
  all.push(`select oid from pg_database where pg_get_userbyid(datdba) = '${account}' and datname = current_database()`);
  const [found] = await rows(
    store.db,
    sql<{ n: number }>`select count(*)::integer as n from (${sql.raw(all.join(" union all "))}) as o`,
  );
  return found?.n ?? -1;
}

/** A store as versions before the account left it: all is the superuser's. */
async function ofFormerVersion(database: string): Promise<number> {
  const store = await opened(database, true);
  const admin = await opened("postgres", true);
  await admin.sql.unsafe(`alter database ${database} owner to ${EMBEDDED_USER}`);
  await store.sql.unsafe(OBJECTS);
  await syncRoles(store.db, [GRANTS]);
  await rows(store.restrictedTo("shelf", GRANTS).db, sql`insert into boxes (paint) values ('red')`);
  const owned = await ownedBy(store, EMBEDDED_USER);
  await store.close();
  return owned;
}

const REFUSED: readonly [title: string, text: string][] = [
  ["reads a file", "select pg_read_file('/etc/passwd')"],
  ["lists a folder", "select pg_ls_dir('.')"],
  ["starts a program", "copy (select 1) to program 'true'"],
  ["writes a file", "copy (select 1) to '/tmp/lectern-out'"],
  ["reads a file as a large object", "select lo_import('/etc/passwd')"],
  ["writes a large object to a file", "select lo_export(1, '/tmp/lectern-out')"],
  ["reads hashes of accounts", "select rolpassword from pg_authid"],
  ["becomes the superuser", `set role ${EMBEDDED_USER}`],
  ["becomes the superuser for the session", `set session authorization ${EMBEDDED_USER}`],
  ["makes a superuser", "create role another superuser"],
  ["makes itself one", `alter role ${EMBEDDED_ACCOUNT} superuser`],
  ["may read files by a role of the system", `grant pg_read_server_files to ${EMBEDDED_ACCOUNT}`],
  ["connects to other servers", "create extension dblink"],
  ["changes settings of the server", "alter system set fsync = off"],
  ["loads a library", "load '/tmp/library'"],
  [
    "ends a session of the superuser",
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'lectern'",
  ],
];

test.each(REFUSED)("the account of everyday connections never %s", async (_title, text) => {
  await expect(kept.sql.unsafe(text).execute()).rejects.toMatchObject({ code: "42501" });
});

test("it makes tables, extensions that are trusted, and roles of plugins", async () => {
  const store = await opened("fresh");
  await migrate(store.db, "notes", {
    "0001_init": async (db) => void (await sql`create table boxes (id integer)`.execute(db)),
  });
  await rows(store.db, sql`create extension pg_trgm`);
  expect(await syncRoles(store.db, [GRANTS])).toMatchObject({ reason: undefined });
  await rows(store.restrictedTo("shelf", GRANTS).db, sql`insert into boxes values (1)`);
  expect(await dropPluginRole(store.db, "shelf")).toBe(true);
});

test("what a former version left to the superuser is the account's, all that works still works, and again after such a version", async () => {
  const owned = await ofFormerVersion("former");
  expect(owned).toBeGreaterThan(15);
  const store = await opened("former");
  expect([await ownedBy(store, EMBEDDED_USER), await ownedBy(store, EMBEDDED_ACCOUNT)]).toEqual([0, owned]);
  await store.sql.unsafe(
    "alter table boxes add column note text; drop view red_boxes; alter type colour add value 'green'",
  );
  expect(await syncRoles(store.db, [GRANTS])).toMatchObject({ reason: undefined });
  const shelf = store.restrictedTo("shelf", GRANTS);
  expect(await rows(shelf.db, sql`select paint from boxes`)).toEqual([{ paint: "red" }]);

  const older = await opened("former", true);
  expect(await syncRoles(older.db, [GRANTS])).toMatchObject({ changes: 0 });
  await older.sql.unsafe("create table later (id integer)");
  await syncRoles(older.db, [GRANTS, { ...GRANTS, plugin: "later", write: ["later"] }]);
  expect(await rows(older.restrictedTo("shelf", GRANTS).db, sql`select paint from boxes`)).toEqual([{ paint: "red" }]);
  await older.close();

  const again = await opened("former");
  expect(await ownedBy(again, EMBEDDED_USER)).toBe(0);
  expect(await syncRoles(again.db, [GRANTS, { ...GRANTS, plugin: "later", write: ["later"] }])).toMatchObject({
    reason: undefined,
  });
  expect([await dropPluginRole(again.db, "later"), await dropPluginRole(again.db, "shelf")]).toEqual([true, true]);
});

test("a start that is ended while it changes owners changes none, and the next one all; two starts at once agree", async () => {
  const owned = await ofFormerVersion("halfway");
  const admin = await opened("halfway", true);
  const locked = await admin.sql.reserve();
  await locked.unsafe("begin; lock table more.boxes in access share mode");
  const other = await opened("halfway", true);
  const failed = giveToAccount(other.sql).then(
    () => "done",
    (error: { code?: string }) => error.code,
  );
  const waiting = () =>
    locked.unsafe<{ pid: number }[]>("select pid from pg_locks where not granted and locktype = 'relation'").execute();
  await until(async () => (await waiting()).length > 0);
  await locked.unsafe(`select pg_cancel_backend(${(await waiting())[0]?.pid})`);
  expect(await failed).toBe("57014");
  expect(await ownedBy(admin, EMBEDDED_USER)).toBe(owned - 1);
  await locked.unsafe("rollback");
  locked.release();
  await Promise.all([opened("halfway"), opened("halfway")]);
  expect([await ownedBy(admin, EMBEDDED_USER), await ownedBy(admin, EMBEDDED_ACCOUNT)]).toEqual([0, owned]);
});
