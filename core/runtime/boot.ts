/**
 * Boot: checks plugins and choices, orders the plugins (providers before users), then migrates and sets up each of them. A
 * failure stops the boot and names the plugin. Jobs and schedules begin with `start()`; `stop()` runs in reverse order.
 */
import { type Db, isMigrated, migrate, migrationStatus, type Store } from "../../db/mod.ts";
import packaged from "../../package.json" with { type: "json" };
import { heldFiles } from "../backup/held_files.ts";
import { type ChildPool, openChildPool } from "../children/pool.ts";
import { checkCommands } from "../cli/command.ts";
import { baseUrlOf, type Config } from "../config.ts";
import type { ContentKind, ResponseFields } from "../contracts/content.ts";
import type { FileClaim } from "../contracts/files.ts";
import { BootError } from "../errors.ts";
import { Caches } from "../events/cache.ts";
import { EventBus } from "../events/event_bus.ts";
import { JobQueue } from "../events/job_queue.ts";
import { Faults } from "../faults.ts";
import { chosenStore } from "../files/contributed_store.ts";
import type { FileStore } from "../files/file_store.ts";
import { sweepFiles } from "../files/orphan_sweep.ts";
import { createAnswerJudge, type JudgeAnswer, type OnMismatch } from "../http/answer_judge.ts";
import { withContributedFields } from "../http/answer_types.ts";
import { createHttpServer } from "../http/create_server.ts";
import { checkPermits, compileRoutes, mountPlugin } from "../http/mount_plugin.ts";
import { lazyRoutesOf } from "../http/plugin_app.ts";
import { appBelow, type HttpServer } from "../http/server.ts";
import { currentStoreSession } from "../http/store_session.ts";
import { createTexts } from "../i18n/catalogue.ts";
import { openSpool, SPOOL_LEFTOVER_MS } from "../input/upload_spool.ts";
import type { Log } from "../log.ts";
import { VisibilityRules } from "../resources/visibility.ts";
import { coreChecks } from "../self_checks/core_checks.ts";
import { Tracing } from "../tracing.ts";
import { SYSTEM } from "../viewer.ts";
import { Waits } from "../waits.ts";
import { deletedAbsentItems } from "./absent_kinds.ts";
import { checkEvents, checkTables, warnOfEvents } from "./boot_checks.ts";
import { inBootOrder, unknownContracts, unknownNeighbours } from "./boot_order.ts";
import { grantedHosts } from "./granted_hosts.ts";
import { warnOfUnknownSlots } from "./known_names.ts";
import { missingTable } from "./left_out.ts";
import { runStarts, runStops, stopPart } from "./lifecycle_hooks.ts";
import { coreMigrations } from "./migrations.ts";
import { checkChoices, checkVariables, type PluginChoices } from "./operator_choices.ts";
import { checkPins } from "./pins.ts";
import type { AnyContext, AnyPlugin, Grants } from "./plugin.ts";
import { type ContextParts, makeContext } from "./plugin_context.ts";
import { type PluginDb, PluginRoles } from "./plugin_roles.ts";
import { runSetup } from "./plugin_setup.ts";
import { addPluginTexts } from "./plugin_texts.ts";
import { PowerChecks } from "./power_checks.ts";
import { checkPermissions } from "./powers.ts";
import type { SlotName, Slots } from "./registry.ts";
import { RunningServers } from "./running_servers.ts";
import type { BootedPlugin } from "./runtime_info.ts";
import { readSettings } from "./settings.ts";
import { checkStoreVersion, recordVersion } from "./store_version.ts";
import { foreignTable } from "./table_owners.ts";
import { checkVersions, recordPlugins, registrations } from "./versions.ts";

/** What a runtime is booted from. */
export interface RuntimeOptions extends PluginChoices {
  readonly config: Config;
  readonly store: Store;
  /** The shipped file store, in use unless the operator chose that of a plugin. */
  readonly files: FileStore;
  readonly log: Log;
  readonly plugins: readonly AnyPlugin[];
  /** The plugins that ship with Lectern; errors about what is missing name those that are left out. */
  readonly shipped?: readonly AnyPlugin[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Receives each answer that its schema does not describe; without it answers are not checked. */
  readonly onAnswerMismatch?: OnMismatch;
}

/** A booted runtime. */
export interface Runtime {
  readonly http: HttpServer;
  readonly bus: EventBus;
  readonly jobs: JobQueue;
  readonly children: ChildPool;
  /** The file store in use. */
  readonly files: FileStore;
  readonly contexts: ReadonlyMap<string, AnyContext>;
  /** Plugins in boot order. */
  readonly booted: readonly BootedPlugin[];
  /** How the grants of each plugin are enforced. */
  readonly roles: Pick<PluginRoles, "enforcementOf">;
  /** Starts jobs and schedules. */
  start(): Promise<void>;
  /** Stops jobs, notifications, plugins and child processes, then closes the store. */
  stop(): Promise<void>;
}

/** Boots a runtime; nothing listens yet when it resolves. Throws BootError naming the plugin and the cause. */
export async function boot(parts: RuntimeOptions): Promise<Runtime> {
  const { config, store, log, shipped = [] } = parts;
  const plugins = inBootOrder(parts.plugins, shipped);
  for (const neighbour of unknownNeighbours(plugins, shipped))
    log.warn("A plugin wants to boot before or after one that is neither installed nor shipped", { ...neighbour });
  for (const unknown of unknownContracts(plugins, shipped))
    log.warn("A plugin uses a contract that no plugin provides; check its name", { ...unknown });
  checkVersions(plugins);
  checkPermissions(parts.plugins);
  checkEvents(plugins, shipped);
  checkVariables(parts.plugins);
  checkCommands(parts.plugins, []);
  checkChoices(plugins, parts);
  checkPins(plugins, parts, parts.shipped);
  // Settings are checked before the first table is altered; `makeContext` reads them again.
  for (const plugin of plugins) {
    const { name, settings, permissions } = plugin;
    if (!settings) continue;
    grantedHosts(plugin, permissions.net ?? [], readSettings(name, settings, parts.env, parts.settings?.[name]));
  }
  await checkStoreVersion(store.db, plugins);
  await migrate(store.db, "core", coreMigrations);
  const caches = new Caches();
  const stopCaches = await caches.listen(store);
  const tracing = new Tracing();
  const waits = new Waits(store);
  const jobs = new JobQueue(store, log, config.jobTimeoutMs, tracing);
  const bus = new EventBus({ db: store.db, log, jobs });
  const texts = createTexts();
  addPluginTexts(plugins, texts, { shipped: parts.shipped ?? plugins, log });
  const spool = openSpool(`${config.dataDir}/spool`);
  await spool.sweep();
  const children = openChildPool(config, log);
  const http = createHttpServer(config, parts.env, store.db, {
    ...{ log, children, spool, texts, tracing },
    readsReplicas: store.replicas !== undefined,
  });
  store.replicas?.sessionBy(currentStoreSession);
  const booted: BootedPlugin[] = [];
  const slots: ContextParts["slots"] = new Map();
  const faults = new Faults(log, config.partTimeoutMs);
  const visibility = new VisibilityRules();
  const thirdParty = new Set(
    plugins.filter((plugin) => !(parts.shipped ?? plugins).includes(plugin)).map(({ name }) => name),
  );
  const content = () => (slots.get("content") ?? []) as ContentKind[];
  const contentTables = () => content().map(({ table }) => table);
  const servers = new RunningServers({ db: store.db, log, leaseSeconds: config.serverLeaseSeconds });
  const roles = new PluginRoles({
    ...{ store, log, mode: config.pluginRoles, thirdParty, visibility, contentTables, servers },
  });
  await roles.begin(plugins, parts.denied);
  const contributed = () => (slots.get("response_fields") ?? []) as ResponseFields[];
  const chosen = chosenStore(parts.files, config);
  const held = heldFiles(chosen.files, store.db, log);
  const shared: ContextParts & { readonly judge: JudgeAnswer | undefined } = {
    ...parts,
    files: held.files,
    jobs,
    bus,
    http,
    tracing,
    children,
    caches,
    visibility,
    texts,
    baseUrl: baseUrlOf(config),
    contracts: new Map(),
    slots,
    faults,
    readSlots: new Set(),
    judge:
      parts.onAnswerMismatch &&
      createAnswerJudge(parts.onAnswerMismatch, (schema) => withContributedFields(schema, contributed())),
    runtime: {
      version: packaged.version,
      plugins: () => booted,
      routes: () => http.routes(),
      serves: (method, path) => http.serves(method, path),
      hasHandlers: (name) => bus.hasHandlers(name),
      pluginOfJob: (name) => jobs.pluginOf(name),
      faults: () => faults.list(),
      isWorking: () => jobs.isOpen,
      storeLoad: () => store.load(),
      replicas: () => store.replicas?.status() ?? [],
      readCounts: () => store.replicas?.counts,
      onAnswer: (listener) => http.observers.add(listener),
      deletedAbsentItems: (parents) =>
        deletedAbsentItems(
          store.db,
          ((slots.get("content") ?? []) as ContentKind[]).map(({ kind }) => kind),
          parents,
        ),
      onWait: (listener) => waits.add(listener),
      askPeers: async (topic) => config.worker?.peers.ask(topic) ?? [],
      onPeersAsk: (topic, answer) => config.worker?.peers.onAsk(topic, answer),
      isMigrated: () => isMigrated(store, [{ name: "core", migrations: coreMigrations }, ...plugins]),
      recordTraces(recorder) {
        tracing.recordBy(recorder);
        store.observe(tracing.observeStatement);
      },
      traced: (span, run) => tracing.run(span, run),
      traceHeaders: () => tracing.headers(),
      lostFiles: () => sweepFiles(chosen.files, (slots.get("file_claims") ?? []) as FileClaim[], { dryRun: true }),
    },
    starts: [],
    stops: [{ plugin: "lectern", run: () => held.stop() }],
  };
  const contexts = new Map<string, AnyContext>();
  const registered = registrations(jobs, content);
  const records: Parameters<typeof recordPlugins>[1][number][] = [];
  for (const plugin of plugins) {
    const started = performance.now();
    const migrated = await migratePlugin(plugin, store.db, log).catch((error: unknown) => {
      throw missingTable(foreignTable(error, plugin, plugins), plugins, shipped);
    });
    const denied = parts.denied?.[plugin.name] ?? [];
    const tables = await roles.prepare(plugin, denied, migrated.length > 0);
    contexts.set(plugin.name, await setUp(plugin, tables, shared, denied));
    records.push({ plugin, registered: registered() });
    booted.push({ plugin, migrated, denied, ms: performance.now() - started });
  }
  const slot = <N extends SlotName>(name: N) => (slots.get(name) ?? []) as Slots[N][];
  chosen.settle(slot("file_store"));
  compileRoutes(http);
  checkPermits(plugins, http, shipped);
  await checkTables(plugins, store.db, shipped);
  warnOfUnknownSlots(slots, shared.readSlots, log);
  for (const plugin of plugins) await syncSchema(plugin, store.db, contexts);
  await roles.complete();
  warnOfEvents(bus, plugins, { shipped, log });
  shared.slots.set(
    "permission",
    plugins.flatMap((plugin) => [...plugin.adds]),
  );
  const contributions = { claims: () => slot("file_claims"), kinds: () => slot("content") };
  const { replicas } = store;
  const checked = {
    ...contributions,
    replicas,
    config,
    db: store.db,
    files: held.files,
    jobs,
    roles,
    servers,
    plugins,
    env: parts.env,
  };
  shared.slots.set("self_check", [...coreChecks(checked), ...slot("self_check")]);
  bus.close();
  await bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  await recordPlugins(store.db, records, log);
  await recordVersion(store.db);
  await servers.keep(() => roles.refresh());
  return {
    http,
    bus,
    jobs,
    children,
    files: held.files,
    contexts,
    booted,
    roles,
    async start() {
      const { databaseTimeoutMs: statementMs, writeTimeoutMs: writeMs, databaseWaitMs: waitMs } = config;
      store.limit({ statementMs, writeMs, waitMs });
      await store.replicas?.start();
      const failed = (error: unknown) => log.warn("Cannot sweep files of requests", { error });
      const sweeps = setInterval(() => void spool.sweep().catch(failed), SPOOL_LEFTOVER_MS).unref();
      shared.stops.push({ plugin: "lectern", run: () => clearInterval(sweeps) });
      await jobs.start();
      servers.compareFiles(chosen.files);
      await runStarts(shared.starts, config.setupTimeoutMs);
    },
    async stop() {
      const { stopWorkTimeoutMs: limitMs } = config;
      const late = (what: string) => (error: unknown) => log.error(`${what} did not end before the stop`, { error });
      await stopPart(limitMs, () => jobs.stop(), late("Jobs or schedules"));
      await stopPart(limitMs, () => bus.settle(), late("Handlers of events"));
      await runStops(shared.stops, limitMs, log);
      waits.stop();
      await servers.end();
      await children.stop();
      await stopCaches();
      await store.close();
    },
  };
}

/** Runs a plugin's pending steps. Warns where its ledger holds steps that it lacks: an older plugin over newer tables. */
async function migratePlugin({ name, migrations }: AnyPlugin, db: Db, log: Log): Promise<readonly string[]> {
  const { pending, unknown } = await migrationStatus(db, name, migrations);
  if (unknown.length > 0)
    log.warn("The plugin is older than its tables: it lacks migrations that they have", {
      plugin: name,
      steps: unknown,
    });
  return pending.length > 0 ? migrate(db, name, migrations) : [];
}

/** Runs the `syncSchema` of a plugin. Throws BootError naming it. */
async function syncSchema(plugin: AnyPlugin, db: Db, contexts: ReadonlyMap<string, AnyContext>): Promise<void> {
  const context = contexts.get(plugin.name);
  if (!plugin.syncSchema || !context) return;
  try {
    await db.transaction().execute((tx) => plugin.syncSchema?.(tx, context) ?? Promise.resolve());
  } catch (cause) {
    if (cause instanceof BootError) throw cause;
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new BootError(`Cannot bring the schema of the plugin "${plugin.name}" up to date: ${text}`, { cause });
  }
}

async function setUp(
  plugin: AnyPlugin,
  tables: PluginDb,
  shared: ContextParts & { readonly judge: JudgeAnswer | undefined },
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
