/** What an account needs for roles of plugins: CREATEROLE and a database of its own, no more; without it the store says why. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "kysely";
import postgres from "postgres";
import { type Cluster, startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import {
  asOwner,
  dropOwned,
  dropPluginRole,
  GrantError,
  openStore,
  roleObstacle,
  rows,
  type Store,
  syncRoles,
} from "../mod.ts";

const GRANTS = { plugin: "shelf", read: [], write: ["boxes"], columns: {} };
/** Without an installed PostgreSQL there is no server with such accounts. */
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
let cluster: Cluster | undefined;
const stores: Store[] = [];

beforeAll(async () => {
  cluster = await startCluster({ fast: true });
}, 60_000);
afterAll(async () => {
  for (const store of stores) await store.close();
  await cluster?.stop();
}, 60_000);

/** A store over a database that an account of these rights owns. */
async function storeOf(account: string, rights: string): Promise<Store> {
  const { url } = cluster as Cluster;
  const admin = postgres(url, { max: 1, onnotice() {} });
  await admin.unsafe(`create role ${account} login ${rights}`);
  await admin.unsafe(`create database ${account} owner ${account}`);
  await admin.end();
  const own = new URL(url);
  own.username = account;
  own.pathname = `/${account}`;
  const store = await openStore({ dataDir: "", databaseUrl: own.href });
  stores.push(store);
  await store.sql.unsafe("create table boxes (id integer); create table secrets (word text)");
  return store;
}

onServer("an account with CREATEROLE alone makes and drops roles that hold", async () => {
  const store = await storeOf("maker", "createrole");
  expect((await syncRoles(store.db, [GRANTS])).reason).toBeUndefined();
  expect((await syncRoles(store.db, [GRANTS])).changes).toBe(0);
  const own = store.restrictedTo("shelf", { read: [], write: ["boxes"] });
  await sql`insert into boxes values (1)`.execute(own.db);
  expect(await rows(own.db, sql`select id from boxes`)).toEqual([{ id: 1 }]);
  await expect(rows(own.db, sql`select word from secrets`)).rejects.toThrow(GrantError);
  await expect(rows(own.db, sql`select 1 as id into temporary boxes`)).rejects.toThrow();
  expect(await dropPluginRole(store.db, "shelf")).toBe(true);
  expect(await rows(store.db, sql`select from pg_roles where rolname like 'lectern:%'`)).toEqual([]);
});

onServer("such an account runs schema changes of a plugin as their owner, and drops what that owns", async () => {
  const store = await storeOf("builder", "createrole");
  await syncRoles(store.db, [GRANTS]);
  const change = (text: string) =>
    store.db.transaction().execute((tx) =>
      asOwner(tx, "shelf", (own) =>
        sql
          .raw(text)
          .execute(own)
          .then(() => {}),
      ),
    );
  await change(`create table parcels (id integer generated always as identity, word text);
    create function wrap() returns trigger language plpgsql as $$ begin new.word := 'wrapped'; return new; end $$;
    create trigger wrap before insert on parcels for each row execute function wrap()`);
  await expect(change("alter table secrets add column stolen text")).rejects.toThrow("must be owner of table secrets");
  await expect(change("create table stolen as select * from secrets")).rejects.toThrow("permission denied");
  await sql`insert into parcels (word) values ('')`.execute(store.db);
  await change("alter table parcels add column more text");
  expect(await rows(store.db, sql`select word, more from parcels`)).toEqual([{ word: "wrapped", more: null }]);
  await store.db.transaction().execute((tx) => dropOwned(tx, "shelf"));
  expect(await rows(store.db, sql`select from pg_roles where rolname like 'owner of lectern:builder:%'`)).toEqual([]);
  expect(await rows(store.db, sql`select to_regclass('parcels')::text as found`)).toEqual([{ found: null }]);
});

onServer("an account without CREATEROLE is told why, and nothing is left behind", async () => {
  const store = await storeOf("plain", "");
  const { reason, changes } = await syncRoles(store.db, [GRANTS]);
  expect([reason, changes]).toEqual([expect.stringContaining("permission denied"), 0]);
  expect(await rows(store.db, sql`select to_regnamespace('lectern_grants')::text as found`)).toEqual([{ found: null }]);
});

onServer("what an account lacks is said beforehand, and nothing where it lacks nothing", async () => {
  const { url } = cluster as Cluster;
  const admin = postgres(url, { max: 1, onnotice() {} });
  await admin.unsafe("create role holder; create role lodger login createrole");
  await admin.unsafe("create database lodger owner holder");
  await admin.unsafe("grant create on database lodger to lodger");
  await admin.end();
  const own = new URL(url);
  own.username = "lodger";
  own.pathname = "/lodger";
  const lodging = await openStore({ dataDir: "", databaseUrl: own.href });
  stores.push(lodging);
  expect(await roleObstacle(lodging.db, [GRANTS])).toContain('may create temporary tables in "lodger"');
  expect(await roleObstacle((await storeOf("landlord", "createrole")).db, [GRANTS])).toBeUndefined();
  expect(await roleObstacle((await storeOf("tenant", "")).db, [GRANTS])).toBe("permission denied to create role");
});
