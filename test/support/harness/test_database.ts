/**
 * Databases for tests: on the server of DATABASE_URL if it is set, else on an embedded server. `bun run test` starts that server
 * once for all files and makes a template on either server, a database in which all migrations have run: PostgreSQL copies
 * it in a fraction of the time that the migrations take. A file that runs alone starts a server of its own, and makes a template
 * on the embedded one, whose folder is removed by the next run.
 */
import { rmSync } from "node:fs";
import { migrate, openStore, type Store, syncRoles } from "lectern/db";
import { inBootOrder } from "../../../core/runtime/boot_order.ts";
import { coreMigrations } from "../../../core/runtime/migrations.ts";
import plugins from "../../../plugins/mod.ts";
import { FAST_SETTINGS } from "./fast_settings.ts";
import { folderOfRun } from "./leftovers.ts";
import { recorded } from "./sent_statements.ts";

/** By these environment variables a run names the folder of its embedded server and its template to its files. */
const FOLDER_VARIABLE = "TEST_EMBEDDED_FOLDER";
const TEMPLATE_VARIABLE = "TEST_DATABASE_TEMPLATE";

/** A database of a test's own. */
export interface TestDatabase {
  readonly name: string;
  /** Whether it is a copy of the template; a file that runs alone on the server of DATABASE_URL has none. */
  readonly isCopy: boolean;
  /** Removes it; every store over it has to be closed. */
  drop(): Promise<void>;
}

/** Creates a database: empty, or with the tables of everything that ships. */
export async function createTestDatabase(content: "empty" | "migrated"): Promise<TestDatabase> {
  const { admin, leave } = await adminStore();
  const name = newName(process.env[TEMPLATE_VARIABLE]);
  let template: string | undefined;
  try {
    template = content === "migrated" ? await templateOn(admin) : undefined;
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
    select rolname as name from pg_roles where starts_with(rolname, ${`lectern:${name}:`})`;
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

/** Opens a store over a database of the tests' server. */
export async function openTestStore(database: string, poolSize = 6): Promise<Store> {
  const server = process.env.DATABASE_URL;
  if (!server) return recorded(await openStore({ dataDir: embeddedFolder(), poolSize, database }));
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
      for (const { name } of left) await dropDatabase(admin, name);
      await dropDatabase(admin, template);
      await admin.close();
    },
  };
}

/** Starts an embedded server whose data nobody misses, and makes a template on it. */
export async function shareEmbedded(): Promise<SharedServer> {
  const folder = folderOfRun();
  const open = (database: string) => openStore({ dataDir: folder, database, poolSize: 2 });
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
  const roles = plugins.map(({ name: plugin, permissions: { read = [], write = [] } }) => ({
    plugin,
    read,
    write,
    columns: {},
  }));
  await syncRoles(store.db, roles);
  await store.close();
  return name;
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
