/** What a boot does with one plugin: its migrations, its `setup`, its `syncSchema`. */
import { sql } from "kysely";
import { type Db, MIGRATION_LOCK, type MigrationStatus, migrate, type StepRunner } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { JudgeAnswer } from "../http/answer_judge.ts";
import { mountPlugin } from "../http/mount_plugin.ts";
import { lazyRoutesOf } from "../http/plugin_app.ts";
import { appBelow } from "../http/server.ts";
import type { Log } from "../log.ts";
import type { AnyContext, AnyPlugin, Grants } from "./plugin.ts";
import { type ContextParts, makeContext } from "./plugin_context.ts";
import type { PluginDb } from "./plugin_roles.ts";
import { runSetup } from "./plugin_setup.ts";
import { PowerChecks } from "./power_checks.ts";
import type { SchemaRoles } from "./schema_roles.ts";

/** What the contexts of all plugins share. */
export interface SharedParts extends ContextParts {
  /** Checks answers with their schemas; undefined where they are not checked. */
  readonly judge: JudgeAnswer | undefined;
}

/** What the migrations of a plugin need of the boot. */
interface MigrationParts {
  readonly status: MigrationStatus;
  readonly log: Log;
  readonly schemaRoles: Pick<SchemaRoles, "runnerOf">;
}

/**
 * Runs a plugin's pending steps. Warns where its ledger holds steps that it lacks: an older plugin over newer tables. `status` was
 * read at the beginning of the boot; steps that another process has run since are left out.
 */
export async function migratePlugin(
  plugin: AnyPlugin,
  db: Db,
  { status: { pending, unknown }, log, schemaRoles }: MigrationParts,
): Promise<readonly string[]> {
  const { name, migrations } = plugin;
  if (unknown.length > 0)
    log.warn("The plugin is older than its tables: it lacks migrations that they have", {
      plugin: name,
      steps: unknown,
    });
  return pending.length > 0 ? migrate(db, name, migrations, await schemaRoles.runnerOf(plugin)) : [];
}

/** Runs the `syncSchema` of a plugin. Throws BootError naming it. */
export async function syncSchema(
  plugin: AnyPlugin,
  db: Db,
  context: AnyContext | undefined,
  schemaRoles: Pick<SchemaRoles, "runnerOf">,
): Promise<void> {
  if (!plugin.syncSchema || !context) return;
  try {
    const runner = await schemaRoles.runnerOf(plugin);
    const sync = async (own: Db) => plugin.syncSchema?.(own, context);
    await db.transaction().execute((tx) => (runner ? underLock(tx, runner, sync) : sync(tx)));
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot bring the schema of the plugin "${plugin.name}" up to date: ${text}`, { cause });
  }
}

/** Schema changes of plugins that do not ship take turns, as migrations do: they compare the catalogs before and after. */
async function underLock(tx: Db, runner: StepRunner, run: (own: Db) => Promise<void>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::int8)`.execute(tx);
  await runner(tx, run);
}

/** Calls the `setup` of a plugin and mounts its routes. Throws BootError naming it. */
export async function setUp(
  plugin: AnyPlugin,
  tables: PluginDb,
  shared: SharedParts,
  denied: readonly (keyof Grants)[],
): Promise<AnyContext> {
  const apps = { app: appBelow("/api", shared.judge), site: appBelow("", shared.judge) };
  const grants = Object.fromEntries(
    Object.entries(plugin.permissions).filter(([kind]) => !denied.includes(kind as keyof Grants)),
  );
  // Without the grant no setting reads its variable either.
  const env = denied.includes("env") ? {} : shared.env;
  const powers = new PowerChecks(plugin, grants);
  const context = makeContext(plugin, grants, powers, apps, tables, { ...shared, env });
  await runSetup(plugin.name, shared.config.setupTimeoutMs, async () => {
    await plugin.setup(context);
    await Promise.all([lazyRoutesOf(apps.app), lazyRoutesOf(apps.site)]);
  });
  const missing = plugin.provides.filter((name) => !shared.contracts.has(name));
  if (missing.length > 0)
    throw new BootError(
      `The plugin "${plugin.name}" lists "${missing.join('", "')}" in "provides" and did not provide it`,
    );
  powers.routes(mountPlugin(plugin, apps.app, shared.http));
  powers.routes(mountPlugin(plugin, apps.site, shared.http));
  return context;
}
