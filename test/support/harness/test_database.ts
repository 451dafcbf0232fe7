/**
 * Databases for tests: on the server of DATABASE_URL if it is set, else on an embedded server. `bun run test` starts that server
 * once for all files and makes a template on either server, a database in which all migrations have run: PostgreSQL copies
 * it in a fraction of the time that the migrations take. A file that runs alone starts a server of its own, and makes a template
 * on the embedded one, whose folder is removed by the next run.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, openStore, type Store, syncRoles } from "lectern/db";
import { configSchema } from "../../../core/config.ts";
import { DISK } from "../../../core/files/contributed_store.ts";
import { folderStore } from "../../../core/files/file_store.ts";
import { createLog } from "../../../core/log.ts";
import { boot } from "../../../core/runtime/boot.ts";
import { inBootOrder } from "../../../core/runtime/boot_order.ts";
import { coreMigrations } from "../../../core/runtime/migrations.ts";
import { readSettings } from "../../../core/runtime/settings.ts";
import plugins from "../../../plugins/mod.ts";
import { FAST_SETTINGS } from "./fast_settings.ts";
import { folderOfRun } from "./leftovers.ts";
import { recorded } from "./sent_statements.ts";

/** By these environment variables a run names the folder of its embedded server and its template to its files. */
const FOLDER_VARIABLE = "TEST_EMBEDDED_FOLDER";
export const TEMPLATE_VARIABLE = "TEST_DATABASE_TEMPLATE";

/** A database of a test's own. */
export interface TestDatabase {
  readonly name: string;
  /** Whether it is a copy of the template; a file that runs alone on the server of DATABASE_URL has none. */
  readonly isCopy: boolean;
  /** Removes it; every store over it has to be closed. */
  drop(): Promise<void>;
}

/** What a new database holds: nothing, the tables of everything that ships, or also what the first boot stores in them. */
export type Content = "empty" | "migrated" | "booted";

/** Creates a database. */
export async function createTestDatabase(content: Content): Promise<TestDatabase> {
  const { admin, leave } = await adminStore();
  const name = newName(process.env[TEMPLATE_VARIABLE]);
  let template: string | undefined;
  try {
    template = content === "empty" ? undefined : await templateOn(admin);
    if (template !== undefined && content === "booted") template = bootedOf(template);
    await admin.sql.unsafe(`create database ${name}${template === undefined ? "" : ` template ${template}`}`);
    // A copy has no rights of the template on itself; the boot would revoke this one.
    if (template !== undefined) await admin.sql.unsafe(`revoke temporary on database ${name} from public`);
  } catch (error) {
    await leave();
    throw error;
  }
  return {
    name,
    isCopy: template !== undefined,
    async drop() {
      await dropDatabase(admin, name);
      await leave();
    },
  };
}

/** Drops a database and the roles of its plugins, which belong to the whole server. */
async function dropDatabase(admin: Store, name: string): Promise<void> {
  await admin.sql.unsafe(`drop database ${name} with (force)`);
  const roles = await admin.sql<{ name: string }[]>`
    select rolname as name from pg_roles where starts_with(regexp_replace(rolname, '^owner of ', ''), ${`lectern:${name}:`})`;
  for (const role of roles) await admin.sql`drop role ${admin.sql(role.name)}`;
}

let admins: Promise<Store> | undefined;

/**
 * A store to create and drop databases with. Within a run one of the process stays open; a file that runs alone closes it
 * after each database, since the embedded server ends with the last process that leaves it, and not with one that exits.
 */
async function adminStore(): Promise<{ admin: Store; leave: () => Promise<void> }> {
  if (process.env[TEMPLATE_VARIABLE] === undefined) {
    const admin = await openTestStore("postgres", 2);
    return { admin, leave: () => admin.close() };
  }
  admins ??= openTestStore("postgres", 2);
  return { admin: await admins, leave: async () => {} };
}

/** Opens a store over a database of the tests' server; as a superuser by default where it is that for creating others. */
export async function openTestStore(
  database: string,
  poolSize = 6,
  asSuperuser = database === "postgres",
): Promise<Store> {
  const server = process.env.DATABASE_URL;
  if (!server) return recorded(await openStore({ dataDir: embeddedFolder(), poolSize, database, asSuperuser }));
  return recorded(await openStore({ databaseUrl: urlOf(server, database), dataDir: "", poolSize }));
}

/** The URL of another database of a server; for "postgres" the one that the URL names, which is sure to be there. */
function urlOf(server: string, database: string): string {
  const url = new URL(server);
  if (database !== "postgres") url.pathname = `/${database}`;
  return url.href;
}

/** What a run of many files shares: environment variables for its processes. */
export interface SharedServer {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Makes a template on a server. `stop` also drops databases that tests left behind, since they refer to the template's roles. */
export async function shareServer(url: string): Promise<SharedServer> {
  const open = (database: string) => openStore({ databaseUrl: urlOf(url, database), dataDir: "", poolSize: 2 });
  const admin = await open("postgres");
  const template = await createTemplate(admin, open);
  return {
    env: { DATABASE_URL: url, [TEMPLATE_VARIABLE]: template },
    async stop() {
      const left = await admin.sql<{ name: string }[]>`
        select datname as name from pg_database where starts_with(datname, ${`${template}_`})`;
      for (const { name } of [...left, { name: template }]) await dropDatabase(admin, name);
      await admin.close();
    },
  };
}

/** Starts an embedded server whose data nobody misses, and makes a template on it. */
export async function shareEmbedded(): Promise<SharedServer> {
  const folder = folderOfRun();
  const open = (database: string) =>
    openStore({ dataDir: folder, database, poolSize: 2, asSuperuser: database === "postgres" });
  const admin = await open("postgres");
  for (const [name, value] of Object.entries(FAST_SETTINGS))
    await admin.sql.unsafe(`alter system set ${name} = ${value}`);
  await admin.sql.unsafe("select pg_reload_conf()");
  return {
    env: { DATABASE_URL: "", [FOLDER_VARIABLE]: folder, [TEMPLATE_VARIABLE]: await createTemplate(admin, open) },
    async stop() {
      await admin.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A free name; it begins with that of the run's template, so that the run finds what its processes left behind. */
const newName = (template?: string) =>
  `${template === undefined ? "lectern_test" : template}_${crypto.randomUUID().replaceAll("-", "").slice(0, 8)}`;

async function createTemplate(admin: Store, open: (database: string) => Promise<Store>): Promise<string> {
  const name = newName();
  await admin.sql.unsafe(`create database ${name}`);
  const store = await open(name);
  await migrate(store.db, "core", coreMigrations);
  for (const plugin of inBootOrder(plugins)) await migrate(store.db, plugin.name, plugin.migrations);
  // Copies use the roles of the template, so that a boot makes none.
  const roles = plugins.map(({ name: plugin, grants: { read = [], write = [] } }) => ({
    plugin,
    read,
    write,
    columns: {},
  }));
  await syncRoles(store.db, roles);
  await store.close();
  await admin.sql.unsafe(`create database ${bootedOf(name)} template ${name}`);
  await bootOnce(await open(bootedOf(name)));
  return name;
}

/** The copy of a template in which a runtime has booted: boots of its copies find what a first one stores, and write nothing. */
function bootedOf(template: string): string {
  return `${template}_booted`;
}

/** Settings of a test's runtime, unless it has its own. */
export const DEFAULT_ENV = {
  APP_URL: "http://localhost",
  ADMIN_EMAIL: "admin@example.com",
  ADMIN_PASSWORD: "correct horse battery",
  ADMIN_TOKEN: "adminid:adminsecret",
  API_REQUESTS_PER_MIN: "1000000",
  LOG_LEVEL: "silent",
  PLUGIN_ROLES: process.env.TEST_PLUGIN_ROLES ?? "all",
} as const satisfies Readonly<Record<string, string>>;

async function bootOnce(store: Store): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "lectern-template-"));
  const env = { ...DEFAULT_ENV, DATA_DIR: dataDir };
  const config = readSettings("lectern", configSchema, env);
  const files = { name: DISK, files: folderStore(join(dataDir, "files")) };
  const runtime = await boot({ config, store, files, log: createLog("silent"), plugins, shipped: plugins, env });
  // Jobs of the first boot would wait in each copy.
  await runtime.jobs.drain();
  await runtime.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

let ownTemplate: Promise<string> | undefined;

/** The run's template, or on an embedded server one of this process; none on a server that others keep. */
async function templateOn(admin: Store): Promise<string | undefined> {
  const given = process.env[TEMPLATE_VARIABLE];
  if (given !== undefined || admin.kind === "server") return given;
  ownTemplate ??= createTemplate(admin, openTestStore);
  return ownTemplate;
}

let folder: string | undefined;

function embeddedFolder(): string {
  folder ??= process.env[FOLDER_VARIABLE] ?? folderOfRun();
  return folder;
}
