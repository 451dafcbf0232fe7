/**
 * What a boot does with one plugin: its migrations, its `setup`, its `syncSchema`. Each has a time limit, and each error names the
 * plugin, so that an operator knows which line of the list to take out. The order of the plugins, and what is checked of all of them
 * together, is in `boot.ts`.
 */
import { sql } from "kysely";
import { type Db, MIGRATION_LOCK, type MigrationStatus, migrate, type StepRunner } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { JudgeAnswer } from "../http/answer_judge.ts";
import { lazyRoutesOf } from "../http/plugin_app.ts";
import { appBelow } from "../http/server.ts";
import type { Log } from "../log.ts";
import { performedOf } from "./boot_checks.ts";
import { BootLate, type BootWatch } from "./boot_watch.ts";
import type { Kind } from "./grant_kinds.ts";
import { mountPlugin } from "./mount_plugin.ts";
import { pinOf } from "./pins.ts";
import type { AnyContext, AnyPlugin } from "./plugin.ts";
import { type ContextParts, makeContext } from "./plugin_context.ts";
import type { PluginDb } from "./plugin_roles.ts";
import { runSetup } from "./plugin_setup.ts";
import { grantsWithout, PowerChecks } from "./power_checks.ts";
import type { Recorded } from "./recorded.ts";
import type { SchemaRoles } from "./schema_roles.ts";

/** What the contexts of all plugins share. */
export interface SharedParts extends ContextParts {
  /** Checks answers with their schemas; undefined where they are not checked. */
  readonly judge: JudgeAnswer | undefined;
}

/** What changes of the schema need of the boot. */
interface SchemaParts {
  readonly schemaRoles: Pick<SchemaRoles, "runnerOf">;
  readonly watch: BootWatch;
}

/** What the migrations of a plugin need of the boot. */
interface MigrationParts extends SchemaParts {
  readonly status: MigrationStatus;
  readonly log: Log;
}

/** Runs a step with the rights of the account. */
const withAllRights: StepRunner = (tx, run) => run(tx);

/**
 * Runs a plugin's pending steps. Warns where its ledger holds steps that it lacks: an older plugin over newer tables. `status` was
 * read at the beginning of the boot; steps that another process has run since are left out.
 */
export async function migratePlugin(
  plugin: AnyPlugin,
  db: Db,
  { status: { pending, unknown }, log, schemaRoles, watch }: MigrationParts,
): Promise<readonly string[]> {
  const { name, migrations } = plugin;
  if (unknown.length > 0)
    log.warn("The plugin is older than its tables: it lacks migrations that they have", {
      plugin: name,
      steps: unknown,
    });
  if (pending.length === 0) return [];
  const runner = (await schemaRoles.runnerOf(plugin)) ?? withAllRights;
  // Another process may hold the lock of migrations.
  return watch.shown({ plugin: name, part: "migrations" }, () =>
    migrate(db, name, migrations, (tx, run, step) =>
      watch.schemaChange({ plugin: name, part: `migration ${step}` }, tx, () => runner(tx, run, step)),
    ),
  );
}

/** Runs the `syncSchema` of a plugin. Throws BootError naming it. */
export async function syncSchema(
  plugin: AnyPlugin,
  db: Db,
  context: AnyContext | undefined,
  { schemaRoles, watch }: SchemaParts,
): Promise<void> {
  if (!plugin.syncSchema || !context) return;
  try {
    const runner = await schemaRoles.runnerOf(plugin);
    const sync = async (own: Db) => plugin.syncSchema?.(own, context);
    await db
      .transaction()
      .execute((tx) =>
        watch.schemaChange({ plugin: plugin.name, part: "syncSchema" }, tx, () =>
          runner ? underLock(tx, runner, sync) : sync(tx),
        ),
      );
  } catch (cause) {
    if (cause instanceof BootError && !(cause instanceof BootLate)) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot bring the schema of the plugin "${plugin.name}" up to date: ${text}`, { cause });
  }
}

/** Schema changes of plugins that do not ship take turns, as migrations do: they compare the catalogs before and after. */
async function underLock(tx: Db, runner: StepRunner, run: (own: Db) => Promise<void>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int8)`.execute(tx);
  await runner(tx, run, "syncSchema");
}

/** A plugin that is set up. */
interface SetUp {
  readonly context: AnyContext;
  readonly recorded: Recorded;
}

/** Calls the `setup` of a plugin, mounts its routes and records what it registers. Throws BootError naming it. */
export async function setUp(
  plugin: AnyPlugin,
  tables: PluginDb,
  shared: SharedParts,
  denied: readonly Kind[],
): Promise<SetUp> {
  const site = appBelow("", shared.judge);
  const app = Object.assign(appBelow("/api", shared.judge), { site });
  const grants = grantsWithout(plugin, denied);
  // Without the grant no setting reads its variable either.
  const env = denied.includes("env") ? {} : shared.env;
  const ships = shared.ships(plugin);
  const powers = new PowerChecks(plugin, grants, { denied, pin: pinOf(shared.grants, plugin.name), ships });
  for (const event of performedOf(plugin, shared.plugins, shared.shipped ?? shared.plugins))
    powers.record("performs", event, `performs "${event}"`);
  if (plugin.fileStore) powers.fileStore();
  const context = makeContext(plugin, grants, powers, app, tables, { ...shared, env });
  try {
    await shared.watch.shown({ plugin: plugin.name, part: "setup" }, () =>
      runSetup(plugin.name, shared.config.setupTimeoutMs, async () => {
        await plugin.setup(context);
        await Promise.all([lazyRoutesOf(app), lazyRoutesOf(site)]);
      }),
    );
    const missing = plugin.provides.filter((name) => !shared.contracts.has(name));
    if (missing.length > 0)
      throw new BootError(
        `The plugin "${plugin.name}" lists "${missing.join('", "')}" in "provides" and did not provide it`,
      );
    const strip = ships ? undefined : (request: Request) => shared.credentials.strip(request, plugin.name);
    powers.routes(mountPlugin(plugin, app, shared.http, strip));
    powers.routes(mountPlugin(plugin, site, shared.http, strip));
    powers.settle();
  } finally {
    shared.onSetUp?.(plugin.name, powers.recorded);
  }
  return { context, recorded: powers.recorded };
}
