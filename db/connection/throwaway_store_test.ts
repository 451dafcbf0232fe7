/** Stores for commands that look and create nothing: the one that is named stays as it is, and the temporary one is removed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../../test/support/harness/cluster.ts";
import { dataFolder } from "../_stores.ts";
import { hasStore, migrate, openStore, withThrowawayStore } from "../mod.ts";

/** Without an installed PostgreSQL there is no server to name. */
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
let cluster: Cluster | undefined;
let folder: string;
beforeAll(async () => {
  folder = dataFolder();
  cluster = await startCluster();
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await cluster?.stop();
}, 60_000);

/** The databases of the server. */
async function databases(): Promise<string[]> {
  const sql = postgres((cluster as Cluster).url, { max: 1 });
  const found = await sql<{ name: string }[]>`select datname as name from pg_database order by 1`;
  await sql.end();
  return found.map(({ name }) => name);
}

onServer("on a server it is a database of its own, which is dropped, also after a failure", async () => {
  const databaseUrl = await createDatabase((cluster as Cluster).url);
  const before = await databases();
  const place = { databaseUrl, dataDir: folder };
  const found = await withThrowawayStore(place, async (throwAway) => {
    const store = await openStore(throwAway);
    await store.sql`create table made_by_a_look (id integer)`;
    const [row] = await store.sql<{ name: string }[]>`select current_database() as name`;
    await store.close();
    return { name: row?.name ?? "", during: await databases(), ...throwAway };
  });
  expect(found.during.filter((name) => !before.includes(name))).toEqual([found.name]);
  expect([await databases(), existsSync(found.dataDir)]).toEqual([before, false]);
  const failed = withThrowawayStore(place, () => Promise.reject(new Error("looked wrong")));
  await expect(failed).rejects.toThrow("looked wrong");
  expect(await databases()).toEqual(before);
});

onServer("an account that may not create databases gets an embedded one", async () => {
  const { url } = cluster as Cluster;
  const admin = postgres(url, { max: 1 });
  await admin.unsafe("create role looker login");
  await admin.unsafe("create database looked owner looker");
  await admin.end();
  const databaseUrl = url.replace("postgres@", "looker@").replace(/\/postgres$/, "/looked");
  const kind = await withThrowawayStore({ databaseUrl, dataDir: folder }, async (place) => {
    const store = await openStore(place);
    await store.close();
    return [store.kind, place.databaseUrl ?? "none"];
  });
  expect(kind).toEqual(["embedded", "none"]);
});

onServer("a store on a server exists once something was migrated there; opening it creates nothing", async () => {
  const databaseUrl = await createDatabase((cluster as Cluster).url);
  expect(await hasStore({ databaseUrl, dataDir: folder })).toBe(false);
  const store = await openStore({ databaseUrl, dataDir: folder });
  const schemas = () => store.sql`select nspname from pg_namespace where nspname !~ '^pg_' order by 1`;
  expect((await schemas()).map(({ nspname }) => nspname)).toEqual(["information_schema", "public"]);
  await migrate(store.db, "looks", {
    "0001_init": async (db) => void (await db.schema.createTable("looks").execute()),
  });
  await store.close();
  expect(await hasStore({ databaseUrl, dataDir: folder })).toBe(true);
});

test("an embedded store exists once it was opened; asking creates nothing", async () => {
  const dataDir = join(folder, "deeper", "data");
  expect([await hasStore({ dataDir }), existsSync(join(folder, "deeper"))]).toEqual([false, false]);
  await (await openStore({ dataDir: folder })).close();
  expect(await hasStore({ dataDir: folder })).toBe(true);
});
