/** Stores for commands that look and create nothing: the one that is named stays as it is, and the temporary one is removed. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../test/support/harness/cluster.ts";
import { dataFolder } from "./_stores.ts";
import { hasStore, migrate, openStore, withThrowawayStore } from "./mod.ts";

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

test("a temporary store is an embedded one, and is removed with its folder, also after a failure", async () => {
  let place = "";
  const kind = await withThrowawayStore(async ({ dataDir }) => {
    place = dataDir;
    const store = await openStore({ dataDir });
    await store.sql`create table made_by_a_look (id integer)`;
    await store.close();
    return store.kind;
  });
  expect([kind, existsSync(place)]).toEqual(["embedded", false]);
  const failed = withThrowawayStore(({ dataDir }) => {
    place = dataDir;
    return Promise.reject(new Error("looked wrong"));
  });
  await expect(failed).rejects.toThrow("looked wrong");
  expect(existsSync(place)).toBe(false);
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
