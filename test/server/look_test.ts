/**
 * `plan` and `check` change nothing: catalogs, rows, sequences, roles and files are as before, and not even a transaction that was
 * rolled back has written, while steps and a `syncSchema` are pending; in an embedded store, at a server, and beside a running one.
 * Stored files are not touched, wherever they are.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore, type Store } from "lectern/db";
import { fakeS3 } from "../support/fakes/s3.ts";
import { type Cluster, createDatabase, startCluster, systemBinaries } from "../support/harness/cluster.ts";
import { command, quickCommand, SHIPPED } from "../support/harness/command.ts";
import { scaled } from "../support/harness/machine_speed.ts";
import { dataFolder, startProgram } from "../support/harness/program.ts";

setDefaultTimeout(scaled(180_000));
const onServer: (title: string, run: () => Promise<void>) => void = systemBinaries() ? test : () => {};
/** What a running server renews by itself. */
const BEATS = ["running_servers", "schedules", "jobs"];
const plugins = dataFolder();
let cluster: Cluster | undefined;
beforeAll(async () => {
  cluster = await startCluster({ fast: true });
  for (const steps of [1, 2]) writeFileSync(join(plugins.path, `looked_${steps}.ts`), pluginWith(steps));
});
afterAll(async () => {
  await cluster?.stop();
  plugins.remove();
});

/** A plugin whose second step and `syncSchema` would change the store. */
function pluginWith(steps: number): string {
  const second = `"0002_more": async (db) => {
      await sql\`alter table looked_notes add column more integer; select setval('looked_numbers', 5)\`.execute(db);
      await sql\`update looked_notes set id = id + 1\`.execute(db);
    },`;
  const sync = `syncSchema: async (db) => {
    await sql\`create table if not exists looked_synced (id integer)\`.execute(db);
    await sql\`select nextval('looked_numbers')\`.execute(db);
  },`;
  return `import { definePlugin, sql } from "lectern/core";
export default definePlugin({
  name: "looked",
  grants: { write: ["looked_notes"] },
  migrations: {
    "0001_init": async (db) => {
      await sql\`create table looked_notes (id integer primary key)\`.execute(db);
      await sql\`create sequence looked_numbers\`.execute(db);
      await sql\`insert into looked_notes values (1)\`.execute(db);
    },
    ${steps === 2 ? second : ""}
  },
  ${steps === 2 ? sync : ""}
  setup({ app, on, db }) {
    app.get("/looked", () => "", { permit: "public" });
    on("app_boot", { async inTransaction() { await sql\`insert into looked_notes values (77) on conflict do nothing\`.execute(db); } });
  },
});
`;
}

/** All rows with the transactions that wrote them, all objects with their owners and rights, sequences, roles and databases. */
async function stateOf(store: Store): Promise<string[]> {
  const tables = await store.sql<{ name: string }[]>`select quote_ident(nspname) || '.' || quote_ident(relname) as name
    from pg_class join pg_namespace n on n.oid = relnamespace where relkind in ('r', 'p') and nspname !~ '^pg_|^information_schema'
      and not relname = any(${BEATS}) order by 1`;
  const state: string[] = [];
  const add = async (text: string) => {
    for (const { line } of await store.sql.unsafe<{ line: string }[]>(text)) state.push(line);
  };
  for (const { name } of tables)
    await add(`select '${name} ' || xmin || ' ' || t::text as line from ${name} t order by 1`);
  for (const catalog of ["proc", "trigger", "namespace", "constraint", "attribute", "type", "roles"])
    await add(
      `select 'pg_${catalog} ' || t::text as line from pg_${catalog} t where t::text not like '%pg_toast%' order by 1`,
    );
  await add(
    `select 'pg_class ' || oid || relname || relowner || coalesce(relacl::text, '') as line from pg_class order by 1`,
  );
  await add(
    `select 'database ' || datname || datdba || coalesce(datacl::text, '') as line from pg_database order by 1`,
  );
  await add(
    `select 'sequence ' || sequencename || coalesce(last_value::text, '') as line from pg_sequences order by 1`,
  );
  return state;
}

/** The next transaction that would write; it moves on with each one that has written, rolled back or not. */
async function nextWriter(store: Store): Promise<string | undefined> {
  const [row] = await store.sql<{ next: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as next`;
  return row?.next;
}

const files = (path: string) =>
  readdirSync(path, { recursive: true }).filter((name) => !`${name}`.startsWith("postgres"));

/** Looks at a store in which the first step has run and the second has not. */
async function looksAt(env: Record<string, string>, dataDir: string, isQuiet: boolean): Promise<void> {
  const store = await openStore({ dataDir, databaseUrl: env.DATABASE_URL, poolSize: 2 });
  const look = join(plugins.path, "looked_2.ts");
  try {
    const before = { state: await stateOf(store), next: isQuiet && (await nextWriter(store)), files: files(dataDir) };
    const plan = await quickCommand(["plan", SHIPPED, look], env);
    const check = await quickCommand(["check", SHIPPED, look], env);
    const grants = await quickCommand(["grants", SHIPPED, look], env);
    const after = { state: await stateOf(store), next: isQuiet && (await nextWriter(store)), files: files(dataDir) };
    expect([plan, check, grants].map(({ code, err }) => [code, err])).toEqual([...Array(3)].map(() => [0, ""]));
    expect(after).toEqual(before);
    expect(plan.out).toMatch(/looked +write=looked_notes .*pending: 0002_more/);
    expect(plan.out).toContain("GET     /api/looked  (public)");
    expect(plan.out).toContain("Not checked: what follows from the rows that are there");
    expect(check.out).toContain("Pending: looked 0002_more");
  } finally {
    await store.close();
  }
}

test("a plan and a check of an embedded store with pending steps change nothing, also beside a running server", async () => {
  const folder = dataFolder("ready");
  const env = { DATA_DIR: folder.path, DATABASE_URL: "" };
  try {
    const first = join(plugins.path, "looked_1.ts");
    expect((await quickCommand(["migrate", SHIPPED, first], env)).code).toBe(0);
    await looksAt(env, folder.path, false);
    const program = await startProgram(folder.path, {}, { args: ["serve", SHIPPED, first] });
    await looksAt(env, folder.path, false);
    expect((await program.ask("GET", "/api/looked")).status).toBe(200);
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
  } finally {
    folder.remove();
  }
});

onServer("nor do they at a server, where no transaction has written", async () => {
  const folder = dataFolder();
  const databaseUrl = await createDatabase((cluster as Cluster).url);
  const env = { DATA_DIR: folder.path, DATABASE_URL: databaseUrl };
  try {
    expect((await quickCommand(["migrate", SHIPPED, join(plugins.path, "looked_1.ts")], env)).code).toBe(0);
    await looksAt(env, folder.path, true);
  } finally {
    folder.remove();
  }
});

/** A plugin that removes its files which no row names, as one does after a crash, and one whose store of files writes what it is asked. */
const CLEANER = `import { appendFileSync } from "node:fs";
import { definePlugin } from "lectern/core";
const calls = process.env.LOOKED_CALLS;
const note = (call, key) => appendFileSync(calls, call + " " + key + "\\n");
const cleaner = definePlugin({
  name: "cleaner",
  grants: { files: true },
  setup({ on, files }) {
    on("app_boot", {
      async inTransaction() {
        for await (const { key } of files.list()) await files.remove(key);
        await files.put("report.txt", new TextEncoder().encode("swept"));
      },
    });
  },
});
const elsewhere = definePlugin({
  name: "elsewhere",
  setup({ contribute }) {
    contribute("file_store", {
      name: "elsewhere",
      async put(key) { note("put", key); return 5; },
      async get(key) { note("get", key); return undefined; },
      async remove(key) { note("remove", key); },
      async *list(prefix = "") { note("list", prefix); yield { key: prefix + "kept.txt", size: 5, modified: new Date() }; },
    });
  },
});
export default [cleaner, ...(process.env.LOOKED_STORE ? [elsewhere] : [])];
`;

test.each([
  ["a bucket", { FILES_S3_BUCKET: "files" }],
  ["a bucket that FILES_STORE names", { FILES_STORE: "s3", FILES_S3_BUCKET: "files" }],
  ["the store of a plugin", { FILES_STORE: "elsewhere", LOOKED_STORE: "1" }],
])("files in %s are as before, though a plugin cleans up when it boots", async (_title, own) => {
  const folder = dataFolder();
  const s3 = fakeS3();
  const entry = join(folder.path, "cleaner.ts");
  const calls = join(folder.path, "calls.txt");
  writeFileSync(entry, CLEANER);
  writeFileSync(calls, "");
  s3.objects.set("cleaner/kept.txt", new TextEncoder().encode("kept"));
  const s3Env = { FILES_S3_ENDPOINT: s3.endpoint, FILES_S3_KEY: "key", FILES_S3_SECRET: "made-up" };
  const env = { DATA_DIR: join(folder.path, "data"), ...s3Env, LOOKED_CALLS: calls, ...own };
  try {
    for (const look of ["plan", "check"]) {
      const { code, out, err } = await command([look, SHIPPED, entry], env);
      expect([code, err]).toEqual([0, ""]);
      expect(out).toContain("There is no store yet");
    }
    expect([...s3.objects.keys()]).toEqual(["cleaner/kept.txt"]);
    expect(s3.bodies).toEqual([]);
    expect(readFileSync(calls, "utf8")).toBe("");
    const misspelt = await command(["check", SHIPPED, entry], { ...env, FILES_STORE: "elsewere" });
    expect(misspelt.err).toContain('FILES_STORE names "elsewere"');
  } finally {
    await s3.stop();
    folder.remove();
  }
});
